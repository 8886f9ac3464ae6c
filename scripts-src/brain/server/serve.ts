import { dirname } from "node:path";
import type { WebSocket } from "ws";
import { ConsultaError, exitCodes, refused } from "../../base/errors.ts";
import { sweepTemporaryFiles } from "../../files/atomic-file.ts";
import { folderIdentity } from "../../files/folder-identity.ts";
import { makeUserKey } from "../../files/user-key.ts";
import type { Arguments } from "../../script/arguments.ts";
import { systemClock } from "../../script/clock.ts";
import { catchInterruption } from "../../script/interruption.ts";
import { print, printErrorLines } from "../../script/output.ts";
import { workspaceMade } from "../../session/session-options.ts";
import { isBrainOff } from "../../session/workspace/workspace.ts";
import { refuseMisuse } from "../client/brain-commands.ts";
import { connectBrain } from "../client/connect-brain.ts";
import {
  type Endpoint,
  ensureBrainFolder,
  protocolVersion,
  readEndpoint,
  removeEndpoint,
  ringBell,
  writeEndpoint,
} from "../endpoint.ts";
import { openRpcSocket } from "../rpc-peer.ts";
import { type BrainStore, openStore } from "../store/brain-store.ts";
import { loadSqlite } from "../store/sqlite.ts";
import { BrainLog } from "./brain-log.ts";
import { Delegate } from "./delegate.ts";
import { Door } from "./door.ts";
import { handlersOf } from "./handlers.ts";
import { SessionLearner } from "./learn-sessions.ts";
import { Sessions } from "./sessions.ts";
import { readUserSettings, type UserSettings } from "./user-settings.ts";

const idleMinutes = 30;

/** Runs the brain of a project here, until it is stopped or nobody has needed it for long. */
export async function serveHere(args: Arguments): Promise<number> {
  refuseMisuse(args);
  // Before anything is written: there may be no SQLite to keep it in.
  await loadSqlite();
  const { root } = await workspaceMade(args);
  const adopts = args.has("adopt");
  const interruption = catchInterruption();
  const options: ServeOptions = {
    root,
    settings: () => readUserSettings(process.env),
    environment: process.env,
    idleMs: idleMsOf(args),
    now: systemClock.now,
    openStore: (folder, key) => openStore(folder, { key, adopts }),
    ready: ({ port }) => print(`${JSON.stringify({ port, pid: process.pid })}\n`),
  };
  const reason = await serveBrain(options, interruption.signal);
  interruption.release();
  printErrorLines(
    reason === undefined ? "another brain serves this project" : `stopped: ${reason}`,
  );
  return interruption.exitCode() ?? exitCodes.OK;
}

function idleMsOf(args: Arguments): number {
  const minutes = Number(args.one("idle-minutes") ?? idleMinutes);
  if (minutes > 0 && minutes <= 10_080) return minutes * 60_000;
  const given = `--idle-minutes is ${args.one("idle-minutes")}`;
  throw refused(`${given}, expected a number above 0, at most 10080`);
}

export interface ServeOptions {
  /** The `.consulta` folder. */
  readonly root: string;
  /** @throws ConsultaError REFUSED when they are wrong. */
  readonly settings: () => Promise<UserSettings>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How long nobody has to be connected until the brain leaves. */
  readonly idleMs: number;
  readonly now: () => string;
  readonly openStore: (folder: string, key: string) => Promise<BrainStore>;
  /** Says where it listens. */
  readonly ready: (endpoint: Endpoint) => void;
}

/**
 * Runs a project's brain until it is told to stop or nobody has needed it for long; returns why it ended.
 * Undefined: another one serves this project already. The database, which only one process can open, decides which.
 */
export async function serveBrain(
  options: ServeOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const settings = await options.settings();
  const folder = ensureBrainFolder(options.root);
  const key = makeUserKey();
  const log = new BrainLog(folder, options.now);
  const door = new Door(key, (text) => log.note(text));
  try {
    // Who may not listen would take the place of a brain and serve nobody.
    const port = await door.open();
    const store = (await isServed(folder))
      ? undefined
      : await storeUnlessHeld(options, folder, key);
    if (store === undefined) return undefined;
    sweepTemporaryFiles(folder);
    return await new Service(options, { folder, log, door, port, store, settings }).run(signal);
  } catch (error) {
    // A brain that cannot be seen from here may hold the database: then the log is its own.
    if (!isHeld(error) || readEndpoint(folder) === undefined)
      log.note(`failed: ${error instanceof Error ? error.stack : String(error)}`);
    throw error;
  } finally {
    door.shut();
  }
}

async function storeUnlessHeld({ openStore: open }: ServeOptions, folder: string, key: string) {
  try {
    return await open(folder, key);
  } catch (error) {
    // A program that is no brain may hold it, or one that hangs.
    if (isHeld(error) && (await isServed(folder))) return undefined;
    throw error;
  }
}

function isHeld(error: unknown): boolean {
  return error instanceof ConsultaError && error.reason === "held";
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

const tickMs = 2_000;
/** Whether a backup is due is looked at so often. */
const backUpEveryMs = 3_600_000;
const farewellMs = 500;

/** What a brain has once it is the one. */
interface Holding {
  readonly folder: string;
  readonly log: BrainLog;
  readonly door: Door;
  readonly port: number;
  readonly store: BrainStore;
  readonly settings: UserSettings;
}

/** A brain at work, from the moment at which it has the database to its end. */
class Service {
  readonly #options: ServeOptions;
  readonly #held: Holding;
  readonly #identity: string | undefined;
  readonly #sessions: Sessions;
  readonly #learner: SessionLearner;
  #lastBusyMs = performance.now();
  #lastFault = "";
  #lastBackUpMs = Number.NEGATIVE_INFINITY;

  constructor(options: ServeOptions, held: Holding) {
    this.#options = options;
    this.#held = held;
    const { folder, log, door, store, settings } = held;
    this.#identity = folderIdentity(folder)?.inode;
    const note = (text: string) => log.note(text);
    const { now, environment } = options;
    const project = dirname(options.root);
    this.#learner = new SessionLearner({ project, memories: store.memories, now, note });
    const { thresholds } = settings;
    const ring = () => this.#unlessDiskFails(() => ringBell(folder));
    this.#sessions = new Sessions({ store, thresholds, now, ring });
    const handlers = handlersOf({
      ...{ store, started: now(), now },
      sessions: this.#sessions,
      delegate: new Delegate({ settings: options.settings, project, environment }),
      connections: () => door.connections,
      learn: () => this.#learner.look(),
    });
    door.enter = (socket: WebSocket) => {
      this.#lastBusyMs = performance.now();
      openRpcSocket(socket, { handlers, note });
      socket.on("close", () => {
        this.#lastBusyMs = performance.now();
      });
    };
  }

  async run(signal: AbortSignal): Promise<string> {
    const { store } = this.#held;
    try {
      return await this.#serve(signal);
    } finally {
      await this.#sayGoodbye();
      await this.#learner.stop();
      await this.#sessions.stop();
      store.close();
    }
  }

  async #serve(signal: AbortSignal): Promise<string> {
    const { folder, log, door, port, store } = this.#held;
    const { setAside, loss } = store.stats();
    for (const path of setAside) log.note(`a database that was moved aside lies in ${path}`);
    if (loss !== undefined) log.note(loss);
    const endpoint: Endpoint = {
      protocol: protocolVersion,
      port,
      token: door.token,
      pid: process.pid,
      started: this.#options.now(),
    };
    writeEndpoint(folder, endpoint);
    log.note(`listens on 127.0.0.1:${port}, process ${process.pid}`);
    this.#options.ready(endpoint);
    // Whatever ended while no brain ran.
    void this.#learner.look();
    const reason = await this.#untilEnd(endpoint, signal);
    log.note(`ends: ${reason}`);
    // Nobody shall find a door that is about to close.
    if (this.#isFolderThere()) removeEndpoint(folder, endpoint);
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
          if (reason !== undefined) return end(reason);
          this.#sessions.look();
          this.#backUp();
        });
      };
      const timer = setInterval(check, Math.min(tickMs, this.#options.idleMs));
      if (signal.aborted) end("it was told to");
      signal.addEventListener("abort", () => end("it was told to"), { once: true });
    });
  }

  #reasonToEnd(endpoint: Endpoint): string | undefined {
    const { folder, door } = this.#held;
    if (!this.#isFolderThere()) return "its folder is gone";
    if (isBrainOff(dirname(this.#options.root))) return "config.json has switched it off";
    // Somebody cleared it away, or checked out another: without it no client finds the way.
    if (readEndpoint(folder)?.token !== endpoint.token) writeEndpoint(folder, endpoint);
    if (door.connections > 0) this.#lastBusyMs = performance.now();
    const idleMs = performance.now() - this.#lastBusyMs;
    return idleMs >= this.#options.idleMs ? "nobody has needed it" : undefined;
  }

  #backUp(): void {
    if (performance.now() - this.#lastBackUpMs < backUpEveryMs) return;
    this.#lastBackUpMs = performance.now();
    this.#held.store.backUp();
  }

  /** A disk that fails once must not end the brain: it looks again soon, and says so once. */
  #unlessDiskFails(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof ConsultaError)) throw error;
      if (error.message !== this.#lastFault) this.#held.log.note(`the disk: ${error.message}`);
      this.#lastFault = error.message;
    }
  }

  /** Not the one that somebody put in its place. */
  #isFolderThere(): boolean {
    return folderIdentity(this.#held.folder)?.inode === this.#identity;
  }

  async #sayGoodbye(): Promise<void> {
    const { door } = this.#held;
    door.close();
    const deadline = performance.now() + farewellMs;
    while (door.connections > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    door.shut();
  }
}
