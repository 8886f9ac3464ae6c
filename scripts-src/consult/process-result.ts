import { inline } from "../base/json.ts";
import { runLimits } from "../clis/run-limits.ts";
import type { ProcessEnd } from "../clis/run-process.ts";
import { lastLine, shortLine } from "../clis/short-line.ts";
import type { Turn, TurnResult } from "./driver.ts";

/** The result of a turn that a process gave, before anybody reads what it printed. */
export function processResult(name: string, turn: Turn, end: ProcessEnd): TurnResult {
  const { exitCode, stdout: answer } = end;
  const failure = processFailure(turn, end);
  if (failure === undefined) return { answer, exitCode };
  return { answer, exitCode, failure: shortLine(`${name} ${failure}`) };
}

function processFailure(turn: Turn, end: ProcessEnd): string | undefined {
  if (end.unstarted !== undefined) return `could not be started: ${end.unstarted}`;
  switch (end.stopped) {
    case "timeout":
      return `did not finish within ${turn.timeoutMs / 1_000} s and was stopped; --turn-timeout gives it longer`;
    case "output":
      return `printed more than ${runLimits.outputBytes} bytes and was stopped`;
    case "aborted":
      return "was stopped";
    default: {
      if (end.exitCode === 0) return undefined;
      if (end.killedBy !== undefined) return `was killed in mid-turn by ${end.killedBy}`;
      const said = lastLine(end.stderr) || lastLine(end.stdout);
      return `ended with exit code ${end.exitCode}${said === "" ? "" : `: ${inline(said, runLimits.quotedReasonCharacters)}`}`;
    }
  }
}
