import { setTimeout as sleep } from "node:timers/promises";
import { ConsultaError } from "../core/errors.ts";
import { type BrainLine, type ConnectOptions, connectBrain } from "./connect-brain.ts";

const pauseMs = 30;

/**
 * Connects to a project's brain, and has one started where none runs.
 * @throws ConsultaError UNAVAILABLE when none can be reached in time.
 */
export async function reachBrain(
  folder: string,
  options: ConnectOptions & { readonly start: () => void; readonly startMs: number },
): Promise<BrainLine> {
  const running = await connectBrain(folder, options);
  if (running !== undefined) return running;
  options.start();
  const deadline = performance.now() + options.startMs;
  while (performance.now() < deadline) {
    await sleep(pauseMs);
    const line = await connectBrain(folder, options);
    if (line !== undefined) return line;
  }
  const reason = `the brain did not start within ${options.startMs / 1_000} s`;
  throw new ConsultaError("UNAVAILABLE", `${reason}; ${folder}/brain.log may say why`);
}
