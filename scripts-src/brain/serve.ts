import { randomBytes } from "node:crypto";
import type { WebSocket } from "ws";
import { isBrainOff } from "../app/brain-switch.ts";
import { lookAtProcesses } from "../app/processes.ts";
import type { Thresholds } from "../core/brain/alerts.ts";
import type { BrainStore } from "../core/brain/store.ts";
import { ConsultaError } from "../core/errors.ts";
import { sweepTemporaryFiles } from "../store/atomic-file.ts";
import { folderIdentity } from "../store/folder-identity.ts";
import { Attention } from "./attention.ts";
import {
  brainFolder,
  type Endpoint,
  protocolVersion,
  readEndpoint,
  removeEndpoint,
  writeEndpoint,
} from "./brain-folder.ts";
import { type BrainKey, makeBrainKey } from "./brain-key.ts";
import { BrainLog } from "./brain-log.ts";
import { Claim } from "./claim.ts";
import { connectBrain } from "./connect-brain.ts";
import { Delegate } from "./delegate.ts";
import { Door } from "./door.ts";
import { handlersOf } from "./handlers.ts";
import { keepAlive } from "./heartbeat.ts";
import { SessionLearner } from "./learn-sessions.ts";
import { openLine } from "./line.ts";
import { Sessions, type SessionsOptions } from "./sessions.ts";
import { ownNetwork } from "./sockets.ts";
import type { UserSettings } from "./user-settings.ts";

export interface ServeOptions {
  /** The `.consulta` folder. */
  readonly root: string;
  /** The folder that holds it. */
  readonly project: string;
  /** @throws ConsultaError REFUSED when they are wrong. */
  readonly settings: () => Promise<UserSettings>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How long nobody has to be connected until the brain leaves. */
  readonly idleMs: number;
  readonly now: () => string;
  /** Asked for only when this brain is the one. */
  readonly openStore: (folder: string, key: BrainKey) => Promise<BrainStore>;
  /** Says where it listens. */
  readonly ready: (endpoint: Endpoint) => void;
}

const tickMs = 2_000;
/** Whether a backup is due is looked at so often. */
const backUpEveryMs = 3_600_000;
const farewellMs = 500;

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

/** The door, which is opened before anybody is behind it: nobody knows the token until then. */
class Entrance {
  readonly token = randomBytes(32).toString("hex");
  readonly door: Door;
  port = 0;
  enter: (socket: WebSocket) => void = (socket) => socket.terminate();

  constructor(key: BrainKey, log: BrainLog) {
    const { token } = this;
    const note = (text: string) => log.note(text);
    this.door = new Door({ token, key, port: 0, note, enter: (socket) => this.enter(socket) });
  }

  async open(): Promise<void> {
    this.port = await this.door.open();
  }

  /** A door that stays open keeps the process from its end. */
  shut(): void {
    this.door.close();
    this.door.shut();
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

/** What a brain has once it is the one. */
interface Holding {
  readonly folder: string;
  readonly claim: Claim;
  readonly log: BrainLog;
  readonly entrance: Entrance;
  readonly store: BrainStore;
  readonly thresholds: Thresholds;
}

class Service {
  readonly #options: ServeOptions;
  readonly #folder: string;
  readonly #claim: Claim;
  readonly #log: BrainLog;
  readonly #entrance: Entrance;
  readonly #identity: string | undefined;
  readonly #learner: SessionLearner;
  readonly #store: BrainStore;
  #lastBusyMs = performance.now();
  #lastFault = "";
  #lastBackUpMs = Number.NEGATIVE_INFINITY;

  constructor(options: ServeOptions, holding: Holding) {
    const { folder, claim, log, entrance, store, thresholds } = holding;
    this.#options = options;
    this.#store = store;
    this.#folder = folder;
    this.#identity = folderIdentity(folder)?.inode;
    this.#claim = claim;
    this.#log = log;
    this.#entrance = entrance;
    const note = (text: string) => log.note(text);
    const connections = () => entrance.door.connections;
    const attention = new Attention(folder, note);
    const heed = (sessions: readonly (string | null)[]) => attention.name(sessions);
    const { project, now } = options;
    this.#learner = new SessionLearner({ project, store, now, note });
    const learn = () => this.#learner.look();
    const handlers = handlersOf({
      ...brainOf(options, { store, thresholds, note, heed }),
      ...{ connections, learn },
    });
    entrance.enter = (socket) => {
      this.#lastBusyMs = performance.now();
      keepAlive(socket);
      openLine(socket, { handlers, note });
      socket.on("close", () => {
        this.#lastBusyMs = performance.now();
      });
    };
  }

  async run(signal: AbortSignal): Promise<string> {
    try {
      return await this.#serve(signal);
    } finally {
      await this.#close();
      await this.#learner.stop();
    }
  }

  async #serve(signal: AbortSignal): Promise<string> {
    const { now, ready } = this.#options;
    const { port, token } = this.#entrance;
    const endpoint: Endpoint = {
      protocol: protocolVersion,
      port,
      token,
      pid: process.pid,
      started: now(),
      network: ownNetwork(),
    };
    writeEndpoint(this.#folder, endpoint);
    this.#log.note(`listens on 127.0.0.1:${port}, process ${process.pid}`);
    ready(endpoint);
    // Whatever ended while no brain ran.
    void this.#learner.look();
    const reason = await this.#untilEnd(endpoint, signal);
    this.#log.note(`ends: ${reason}`);
    // Nobody shall find a door that is about to close.
    if (this.#isFolderThere()) removeEndpoint(this.#folder, endpoint);
    return reason;
  }

  #untilEnd(endpoint: Endpoint, signal: AbortSignal): Promise<string> {
    return new Promise((resolve) => {
      const end = (reason: string) => {
        clearInterval(timer);
        resolve(reason);
      };
      const check = () => {
        this.#unlessDiskFails(() => {
          const reason = this.#reasonToEnd(endpoint);
          if (reason !== undefined) end(reason);
          else this.#backUp();
        });
      };
      const timer = setInterval(check, Math.min(tickMs, this.#options.idleMs));
      if (signal.aborted) end("it was told to");
      signal.addEventListener("abort", () => end("it was told to"), { once: true });
    });
  }

  #reasonToEnd(endpoint: Endpoint): string | undefined {
    if (!this.#isFolderThere()) return "its folder is gone";
    if (isBrainOff(this.#options.project)) return "config.json has switched it off";
    if (!this.#claim.holds()) return "another brain has taken over";
    // Somebody cleared it away, or checked out another: without it no client finds the way.
    if (readEndpoint(this.#folder)?.token !== endpoint.token) {
      writeEndpoint(this.#folder, endpoint);
    }
    if (this.#entrance.door.connections > 0) this.#lastBusyMs = performance.now();
    const idleMs = performance.now() - this.#lastBusyMs;
    return idleMs >= this.#options.idleMs ? "nobody has needed it" : undefined;
  }

  #backUp(): void {
    if (performance.now() - this.#lastBackUpMs < backUpEveryMs) return;
    this.#lastBackUpMs = performance.now();
    this.#store.backUp();
  }

  /** A disk that fails once must not end the brain: it looks again soon, and says so once. */
  #unlessDiskFails(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof ConsultaError)) throw error;
      if (error.message !== this.#lastFault) this.#log.note(`the disk: ${error.message}`);
      this.#lastFault = error.message;
    }
  }

  /** Not the one that somebody put in its place. */
  #isFolderThere(): boolean {
    return folderIdentity(this.#folder)?.inode === this.#identity;
  }

  async #close(): Promise<void> {
    const { door } = this.#entrance;
    door.close();
    const deadline = performance.now() + farewellMs;
    while (door.connections > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    door.shut();
  }
}

function brainOf(
  options: ServeOptions,
  held: Pick<SessionsOptions, "store" | "thresholds" | "note" | "heed">,
) {
  const { settings, project, environment, now } = options;
  const { store } = held;
  const delegate = new Delegate({ settings, project, environment });
  const sessions = new Sessions({ ...held, now });
  return { store, sessions, delegate, started: now(), now };
}
