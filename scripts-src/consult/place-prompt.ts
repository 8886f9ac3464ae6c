import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runLimits } from "../clis/run-limits.ts";
import { writeNewFile } from "../files/atomic-file.ts";

/** A task where the CLI looks for it. */
interface Placed {
  readonly input: string;
  readonly words: readonly string[];
  /** Removes what is on disk for it. */
  discard(): void;
}

/**
 * Puts the task of a turn where the profile has a place for it: `{prompt}` as it is, `{prompt_json}`
 * as a JSON string, `{prompt_file}` as the path of a file that holds it.
 */
export function placePrompt(
  input: string,
  words: readonly string[],
  prompt: string,
  program: string,
): Placed | { readonly fault: string } {
  const fill = (text: string) =>
    text.replace(/\{prompt(_json)?\}/g, (_, json) =>
      json === undefined ? prompt : JSON.stringify(prompt),
    );
  const fault = words.some((word) => fill(word) !== word)
    ? argumentFault(prompt, program)
    : undefined;
  if (fault !== undefined) return { fault };
  const folder = words.some((word) => word.includes("{prompt_file}"))
    ? mkdtempSync(join(tmpdir(), "consulta-"))
    : undefined;
  const file = join(folder ?? "", "task.txt");
  if (folder !== undefined) writeNewFile(file, prompt, {});
  return {
    input: fill(input),
    words: words.map((word) => fill(word.replaceAll("{prompt_file}", () => file))),
    discard: () => folder !== undefined && rmSync(folder, { recursive: true, force: true }),
  };
}

/** Why a command line cannot hold the task. */
function argumentFault(prompt: string, program: string): string | undefined {
  // Its shell would take parts of the task for commands.
  if (/\.(?:cmd|bat)$/i.test(program))
    return "a batch file cannot take the task as an argument; give it {prompt} in input, or {prompt_file}";
  const bytes = Buffer.byteLength(prompt);
  if (bytes <= runLimits.argumentBytes) return undefined;
  return `the task has ${bytes} bytes, an argument at most ${runLimits.argumentBytes}; give it {prompt} in input, or {prompt_file}`;
}
