import { visibleText } from "./visible-text.ts";

/**
 * A prompt for a headless CLI, in which no word of another participant names a file: Gemini CLI puts
 * the file after every `@` that has no backslash before it into the prompt, Claude Code those
 * after white space.
 */
export function literalPrompt(prompt: string): string {
  const text = visibleText(prompt);
  const literal = text.replace(/(?<!\\)@/g, "\\@");
  return literal === text ? text : `${literal}${note}\n`;
}

const note =
  "(Each at sign has a backslash before it here, so that no file is read for it: write it without.)";
