import { lookAtProcesses } from "../app/processes.ts";
import type { BrainStore } from "../core/brain/store.ts";
import { ConsultaError } from "../core/errors.ts";
import { sweepTemporaryFiles } from "../store/atomic-file.ts";
import { brainFolder } from "./brain-folder.ts";
import { type BrainKey, makeBrainKey } from "./brain-key.ts";
import { BrainLog } from "./brain-log.ts";
import { Claim } from "./claim.ts";
import { connectBrain } from "./connect-brain.ts";
import { Entrance } from "./entrance.ts";
import { type Holding, Service, type ServiceOptions } from "./service.ts";

export interface ServeOptions extends ServiceOptions {
  /** The `.consulta` folder. */
  readonly root: string;
  /** Asked for only when this brain is the one. */
  readonly openStore: (folder: string, key: BrainKey) => Promise<BrainStore>;
}

/**
 * Runs a project's brain until it is told to stop or nobody has needed it for long; gives why it
 * ended. Undefined: another one serves this project already.
 */
export async function serveBrain(
  options: ServeOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { thresholds } = await options.settings();
  const folder = brainFolder(options.root);
  const key = makeBrainKey();
  const log = new BrainLog(folder, options.now);
  const entrance = new Entrance(key, log);
  try {
    // Who may not listen would take the place of a brain and serve nobody.
    await entrance.open();
    if (await isServed(folder)) return undefined;
    const claim = Claim.take(folder, true, await lookAtProcesses());
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
    for (const path of store.stats().setAside)
      log.note(`a database that was moved aside lies in ${path}`);
    for (const text of store.stats().rescues) log.note(`rescued of ${text}`);
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
