import { childEnvironment } from "./child-environment.ts";
import { type Driver, type Environment, machineTries } from "./driver.ts";
import { processResult } from "./process-result.ts";
import { runProcess } from "./run-process.ts";

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
      };
      return processResult("the command", turn, await runProcess(request, signal));
    },
  };
}
