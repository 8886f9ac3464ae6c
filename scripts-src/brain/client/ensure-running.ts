import { setTimeout as sleep } from "node:timers/promises";
import { ConsultaError } from "../../base/errors.ts";
import {
  type BrainConnection,
  type ConnectOptions,
  connectBrain,
  meetBrain,
} from "./connect-brain.ts";

const pauseMs = 30;

/**
 * Connects to a project's brain, and has one started where none runs.
 * @throws ConsultaError UNAVAILABLE when none can be reached in time.
 */
export async function ensureRunning(
  folder: string,
  options: ConnectOptions & { readonly start: () => void; readonly startMs: number },
): Promise<BrainConnection> {
  const running = await connectBrain(folder, options);
  if (running !== undefined) return running;
  options.start();
  const deadline = performance.now() + options.startMs;
  while (performance.now() < deadline) {
    await sleep(pauseMs);
    const line = await connectBrain(folder, options);
    if (line !== undefined) return line;
  }
  if ((await meetBrain(folder, options)) === "stranger") {
    throw new ConsultaError("UNAVAILABLE", `${strangerText}; doctor says which process that is`);
  }
  const reason = `the brain did not start within ${options.startMs / 1_000} s`;
  throw new ConsultaError("UNAVAILABLE", `${reason}; doctor may say why, or ${folder}/brain.log`);
}

/** Of whoever serves a project without knowing this user's key. */
export const strangerText =
  "what serves as this project's brain does not know ~/.consulta/brain.key: it was started with " +
  "another home folder, or is no brain";
