import { ConsultaError } from "../../base/errors.ts";
import { lookAtProcesses } from "../../clis/process-table.ts";
import { sweepTemporaryFiles } from "../../files/atomic-file.ts";
import { ensureBrainFolder } from "../brain-endpoint.ts";
import { type BrainKey, makeBrainKey } from "../brain-key.ts";
import { connectBrain } from "../client/connect-brain.ts";
import type { BrainStore } from "../rules/brain-store.ts";
import { type Holding, Service, type ServiceOptions } from "./brain-lifecycle.ts";
import { BrainEntrance } from "./brain-listener.ts";
import { BrainLog } from "./brain-log.ts";
import { InstanceLock } from "./instance-lock.ts";

export interface ServeOptions extends ServiceOptions {
  /** The `.consulta` folder. */
  readonly root: string;
  /** Asked for only when this brain is the one. */
  readonly openStore: (folder: string, key: BrainKey) => Promise<BrainStore>;
}

/**
 * Runs a project's brain until it is told to stop or nobody has needed it for long; returns why it
 * ended. Undefined: another one serves this project already.
 */
export async function serveBrain(
  options: ServeOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { thresholds } = await options.settings();
  const folder = ensureBrainFolder(options.root);
  const key = makeBrainKey();
  const log = new BrainLog(folder, options.now);
  const entrance = new BrainEntrance(key, log);
  try {
    // Who may not listen would take the place of a brain and serve nobody.
    await entrance.open();
    if (await isServed(folder)) return undefined;
    const claim = InstanceLock.take(folder, true, await lookAtProcesses());
    if (claim === undefined) return undefined;
    try {
      return await serveClaimed(options, { folder, key, claim, log, entrance, thresholds }, signal);
    } finally {
      claim.release();
    }
  } catch (error) {
    log.note(`failed: ${error instanceof Error ? error.stack : String(error)}`);
    throw error;
  } finally {
    entrance.shut();
  }
}

async function serveClaimed(
  options: ServeOptions,
  held: Omit<Holding, "store"> & { readonly key: BrainKey },
  signal: AbortSignal,
): Promise<string> {
  const { folder, key, log } = held;
  sweepTemporaryFiles(folder);
  const store = await options.openStore(folder, key);
  try {
    const { setAside, loss } = store.stats();
    for (const path of setAside) log.note(`a database that was moved aside lies in ${path}`);
    if (loss !== undefined) log.note(loss);
    return await new Service(options, { ...held, store }).run(signal);
  } finally {
    store.close();
  }
}

/** Also one that has no room for us is there. */
async function isServed(folder: string): Promise<boolean> {
  try {
    const line = await connectBrain(folder, { handlers: new Map() });
    line?.close();
    return line !== undefined;
  } catch (error) {
    if (error instanceof ConsultaError && error.code === "UNAVAILABLE") return true;
    throw error;
  }
}
