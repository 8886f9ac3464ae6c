import { boardAt } from "../app/board-at.ts";
import type { Place } from "../app/place.ts";
import type { ErrorCode, OwnExitCode } from "../core/errors.ts";
import type { Arguments } from "./arguments.ts";
import { commandLine } from "./context.ts";

/** Seed 004: what tells the usage of a board's scripts from their refusals. */
export const usageExit: OwnExitCode = {
  exit: 1,
  failures: ["USAGE"],
  advice: "wrong usage: words are missing or too many; nothing was written",
};

export const notRegisteredExit: OwnExitCode = {
  exit: 1,
  failures: ["USAGE", "NOT_YET"],
  advice: "you are not registered, there is no board there, or words are missing or too many",
};

/** What every script of a board begins with: `<dir> <name>`. */
export interface BoardArguments {
  /** The folder as it was given. */
  readonly dir: string;
  readonly name: string;
  readonly place: Place;
}

/** The board and the agent that the first two words of a command line name. */
export async function boardOf(args: Arguments, missing?: ErrorCode): Promise<BoardArguments> {
  const [dir = "", name = ""] = args.positionals;
  return { dir, name, place: await boardAt(dir, missing) };
}

/** What to run next on the same board. */
export function boardLine(
  { dir, name }: Pick<BoardArguments, "dir" | "name">,
  script: string,
  ...words: string[]
): string {
  return commandLine(script, {}, [dir, name, ...words]);
}
