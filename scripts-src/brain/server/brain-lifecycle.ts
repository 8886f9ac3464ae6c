import { ConsultaError } from "../../base/errors.ts";
import { folderIdentity } from "../../files/folder-identity.ts";
import { isBrainOff } from "../../session/workspace/brain-switch.ts";
import {
  type Endpoint,
  protocolVersion,
  readEndpoint,
  removeEndpoint,
  writeEndpoint,
} from "../brain-endpoint.ts";
import { openRpcSocket } from "../rpc-websocket.ts";
import type { Thresholds } from "../rules/alerts.ts";
import type { BrainStore } from "../rules/brain-store.ts";
import { ownNetwork } from "../socket-availability.ts";
import { type BrainEntrance, keepAlive } from "./brain-listener.ts";
import type { BrainLog } from "./brain-log.ts";
import { decisionsToday } from "./decision-today.ts";
import { Delegate } from "./delegate.ts";
import { handlersOf } from "./handlers.ts";
import type { InstanceLock } from "./instance-lock.ts";
import { SessionLearner } from "./learn-sessions.ts";
import { PendingMarkers } from "./pending-markers.ts";
import { Sessions, type SessionsOptions } from "./sessions.ts";
import type { UserSettings } from "./user-settings.ts";

export interface ServiceOptions {
  /** The folder that holds the workspace. */
  readonly project: string;
  /** @throws ConsultaError REFUSED when they are wrong. */
  readonly settings: () => Promise<UserSettings>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How long nobody has to be connected until the brain leaves. */
  readonly idleMs: number;
  readonly now: () => string;
  /** Says where it listens. */
  readonly ready: (endpoint: Endpoint) => void;
}

const tickMs = 2_000;
/** Whether a backup is due is looked at so often. */
const backUpEveryMs = 3_600_000;
const farewellMs = 500;

/** What a brain has once it is the one. */
export interface Holding {
  readonly folder: string;
  readonly claim: InstanceLock;
  readonly log: BrainLog;
  readonly entrance: BrainEntrance;
  readonly store: BrainStore;
  readonly thresholds: Thresholds;
}

/** A brain at work, from the moment at which its claim counts to its end. */
export class Service {
  readonly #options: ServiceOptions;
  readonly #folder: string;
  readonly #claim: InstanceLock;
  readonly #log: BrainLog;
  readonly #entrance: BrainEntrance;
  readonly #identity: string | undefined;
  readonly #learner: SessionLearner;
  readonly #store: BrainStore;
  #lastBusyMs = performance.now();
  #lastFault = "";
  #lastBackUpMs = Number.NEGATIVE_INFINITY;

  constructor(options: ServiceOptions, holding: Holding) {
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
    const attention = new PendingMarkers(folder, note);
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
      openRpcSocket(socket, { handlers, note });
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
  options: ServiceOptions,
  held: Pick<SessionsOptions, "store" | "thresholds" | "note" | "heed">,
) {
  const { settings, project, environment, now } = options;
  const { store } = held;
  const delegate = new Delegate({ settings, project, environment });
  const today = decisionsToday(project);
  const sessions = new Sessions({ ...held, now, today });
  return { store, today, sessions, delegate, started: now(), now };
}
