import { runLimits } from "../../clis/run-limits.ts";
import { runProcess } from "../../clis/run-process.ts";
import type { Environment } from "../../files/environment.ts";
import { programOf } from "../../script/command-line.ts";
import { childEnvironment } from "../child-environment.ts";
import { type Driver, machineTries } from "../driver.ts";
import { processResult } from "../process-result.ts";

/** Runs a scripted peer: a process of its own that uses the real scripts and nothing else. */
export function rehearsalDriver(environment: Environment): Driver {
  return {
    name: "rehearsal",
    triesMax: machineTries,
    hasShell: true,
    async takeTurn(turn, signal) {
      const { scripts, place, participant, project } = turn;
      const who = ["--folder", place.folder, "--participant", participant];
      const request = {
        command: process.execPath,
        arguments: [...programOf(scripts, "rehearsal"), ...who],
        shell: false,
        folder: project,
        environment: childEnvironment(environment, turn),
        input: "",
        timeoutMs: turn.timeoutMs,
        bounds: runLimits,
      };
      return processResult("the rehearsal", turn, await runProcess(request, signal));
    },
  };
}
