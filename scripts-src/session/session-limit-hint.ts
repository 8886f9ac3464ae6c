import { durationText, millisecondsOf } from "../base/time.ts";
import type { Arguments } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { commandLine, givenPath } from "../script/command-line.ts";
import { printErrorLines } from "../script/output.ts";
import type { OnFull } from "./create-session.ts";

/** Says for each open session since when nobody has acted in it, and the command that closes it. */
export function openSessionsPrinter(args: Arguments): OnFull {
  return (open) => {
    for (const { id, lastAt } of open) {
      const seconds = (millisecondsOf(systemClock.now()) - millisecondsOf(lastAt)) / 1_000;
      const age = Number.isNaN(seconds)
        ? ""
        : `, last event ${durationText(Math.round(seconds))} ago`;
      const why = { session: id, reason: "nobody goes on with it" };
      printErrorLines(
        `open: ${id}${age}; to end it: ${commandLine("close", { workspace: givenPath(args, "workspace"), ...why })}`,
      );
    }
  };
}
