import type { Arguments, OptionSpec } from "../../script/arguments.ts";
import { commandLine, givenPath } from "../../script/command-line.ts";
import { wholeNumberOf } from "../../script/whole-number.ts";

/** A CLI ends the run of an agent that types the same line too often: each line to wait on differs. */
export const attemptOption: OptionSpec = {
  flags: "--again <n>",
  text: "which try this is; the line to wait on with counts up, nothing else depends on it",
};

/**
 * The value of `--again` for the next try.
 * @throws ConsultaError REFUSED when this one is no count.
 */
export function nextAttempt(args: Arguments): string {
  return String((wholeNumberOf(args, "again") ?? 1) + 1);
}

/** The line of `wait-for-turn` that waits on when the time of this one is up. */
export function retryLine(args: Arguments, participant: string): string {
  const options = {
    session: args.one("session"),
    folder: givenPath(args, "folder"),
    workspace: givenPath(args, "workspace"),
    timeout: args.one("timeout"),
    interval: args.one("interval"),
  };
  const flags = args.has("follow") ? ["--follow"] : [];
  return commandLine("wait-for-turn", { ...options, participant, again: nextAttempt(args) }, flags);
}
