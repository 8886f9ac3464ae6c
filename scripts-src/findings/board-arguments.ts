import type { OwnExitCode } from "../base/errors.ts";
import type { Arguments } from "../script/arguments.ts";
import { commandLine, type Word } from "../script/command-line.ts";
import type { Place } from "../session/place.ts";
import { boardAt } from "./locate-board.ts";

/** Seed 004: what tells the usage of a board's scripts from their refusals. */
export const usageExit: OwnExitCode = {
  exit: 1,
  failures: ["USAGE"],
  advice: "wrong usage: words are missing or too many; nothing was written",
};

export const notRegisteredExit: OwnExitCode = {
  exit: 1,
  failures: ["USAGE", "NOT_YET"],
  advice: "you are not registered, or words are missing or too many",
};

/** What every script of a board begins with: `<dir> <name>`. */
export interface BoardArguments {
  /** The folder as it was given. */
  readonly dir: string;
  readonly name: string;
  readonly place: Place;
}

/** The board and the agent that the first two words of a command line name. */
export async function boardOf(args: Arguments): Promise<BoardArguments> {
  const [dir = "", name = ""] = args.positionals;
  return { dir, name, place: await boardAt(dir) };
}

/** What to run next on the same board. */
export function boardLine(
  { dir, name }: Pick<BoardArguments, "dir" | "name">,
  script: string,
  ...words: Word[]
): string {
  return commandLine(script, {}, [{ path: dir }, name, ...words]);
}
