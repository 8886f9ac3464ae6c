import { inline } from "../base/json.ts";
import { lastLine, shortLine } from "../clis/output-line.ts";
import { withoutParentCli } from "../clis/parent-cli-variables.ts";
import { passedVariables } from "../clis/passed-variables.ts";
import { runLimits } from "../clis/run-limits.ts";
import { type ProcessEnd, runProcess } from "../clis/run-process.ts";
import type { Environment } from "../files/environment.ts";
import { type Driver, machineTries, type Turn, type TurnResult } from "./driver.ts";

/**
 * Runs any shell command in the project folder: the task on standard input, CONSULTA_SESSION,
 * CONSULTA_PARTICIPANT, CONSULTA_SCRIPTS and CONSULTA_WORKSPACE around it, its output the answer.
 */
export function commandDriver(line: string, environment: Environment): Driver {
  return {
    name: "command",
    triesMax: machineTries,
    async takeTurn(turn, signal) {
      const request = {
        command: line,
        arguments: [],
        shell: true,
        folder: turn.project,
        environment: childEnvironment(environment, turn),
        input: turn.prompt,
        timeoutMs: turn.timeoutMs,
        bounds: runLimits,
      };
      const end = await runProcess(request, signal);
      const result = processResult("the command", turn, end);
      if (end.stopped !== undefined || !unstartable.has(end.exitCode)) return result;
      const said = inline(lastLine(end.stderr) || line, runLimits.quotedReasonCharacters);
      return { ...result, failure: `could not start: ${said}; fix it, then go on`, left: true };
    },
  };
}

/** Of a shell: the program is there and may not run, or is not there. `cmd.exe` has its own for that. */
const unstartable: ReadonlySet<number> = new Set([126, 127, 9009]);

/**
 * The environment of a participant's process: the user's own, and which turn this is. A command line
 * is the user's and may need any of it; a known CLI is given what `driven` lists.
 */
export function childEnvironment(
  outer: Environment,
  turn: Turn,
  driven?: readonly string[],
): Environment {
  const own = withoutParentCli(outer);
  return {
    ...(driven === undefined ? own : passedVariables(own, driven)),
    CONSULTA_SESSION: turn.place.id,
    CONSULTA_FOLDER: turn.place.folder,
    CONSULTA_PARTICIPANT: turn.participant,
    CONSULTA_SCRIPTS: turn.scripts,
    CONSULTA_WORKSPACE: turn.project,
  };
}

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
