import { commandLine } from "./context.ts";

const lineCharacters = 300;

/**
 * The command line that runs this, under a Node that has SQLite: one line, whatever was given. With
 * another prefix npx takes neither `node` nor `.npmrc` from the project.
 */
export function underNewerNode(): string {
  const [command = "", ...words] = process.argv.slice(2);
  const whole = lineOf([command, ...words]);
  return whole.length > lineCharacters || whole.includes("\n") ? `${lineOf([command])} ...` : whole;
}

function lineOf(words: readonly string[]): string {
  return `npx --prefix "$HOME" -y node@24 ${commandLine("brain", {}, words).replace(/^node /, "")}`;
}
