import { inline } from "../base/json.ts";
import { runLimits } from "../clis/run-limits.ts";
import { runProcess } from "../clis/run-process.ts";
import { lastLine } from "../clis/short-line.ts";
import type { Environment } from "../files/environment.ts";
import { childEnvironment } from "./child-environment.ts";
import { type Driver, machineTries } from "./driver.ts";
import { processResult } from "./process-result.ts";

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
