import {
  alertNames,
  armed,
  type Fill,
  type Latches,
  latchesObject,
  parseLatches,
  rearm,
  type Thresholds,
} from "../core/brain/alerts.ts";
import { fillOf, type TokenUsage } from "../core/brain/effective-window.ts";
import { rpcFailure } from "../core/brain/rpc-errors.ts";
import type { BrainStore, Snapshot } from "../core/brain/store.ts";

/** What the brain knows of one CLI session while it runs. */
export interface SessionState {
  readonly session: string;
  /** Unknown until somebody says it. */
  cli: string | undefined;
  latches: Latches;
  /** The latches that the store has. */
  stored: Latches | undefined;
  fill: Fill | undefined;
  usage: TokenUsage | undefined;
  updated: string;
  /** Of the last `state.update` that had one. */
  seq: number;
  /** Nobody has told of it before: it may be given what came before it. */
  isNew: boolean;
  /** What it is still to be given of the session before it, or of its own past. */
  restore: Snapshot | undefined;
}

const sessionsMax = 256;

/** The sessions of one brain. What must outlive it is in the store. */
export class SessionStates {
  readonly #store: BrainStore;
  readonly #thresholds: Thresholds;
  readonly #known = new Map<string, SessionState>();
  /** Where a model was seen to be compacted; better than any table. */
  readonly #learned = new Map<string, number>();

  constructor(store: BrainStore, thresholds: Thresholds) {
    this.#store = store;
    this.#thresholds = thresholds;
  }

  /** The state of a session. @throws RpcFailure SESSION_TAKEN when another CLI has this id. */
  of(session: string, cli: string | undefined, at: string): SessionState {
    const state = this.#known.get(session) ?? this.#load(session, at);
    if (cli !== undefined && state.cli !== undefined && state.cli !== cli) {
      const reason = `session ${session} belongs to ${state.cli}, not to ${cli}`;
      throw rpcFailure("SESSION_TAKEN", reason);
    }
    state.cli ??= cli;
    // The one used last stands last: the first of the map is the one to drop.
    this.#known.delete(session);
    this.#known.set(session, state);
    const [oldest] = this.#known.keys();
    if (this.#known.size > sessionsMax && oldest !== undefined) this.#known.delete(oldest);
    return state;
  }

  all(): SessionState[] {
    return [...this.#known.values()].reverse();
  }

  /** Takes in how full the context is; usage that makes no sense changes nothing. */
  observe(state: SessionState, usage: TokenUsage, at: string): void {
    const { model, compacted_at: learned } = usage;
    if (model !== undefined && learned !== undefined && learned > 0) {
      this.#learned.set(model, learned);
    }
    const known = model === undefined ? undefined : this.#learned.get(model);
    const fill = fillOf(usage, learned ?? known);
    if (fill === undefined) return;
    const latches = rearm(state.latches, fill, this.#thresholds);
    Object.assign(state, { fill, usage, updated: at });
    this.setLatches(state, latches, at);
  }

  /** Each write waits for the disk, and tools run often: what is stored already is not again. */
  setLatches(state: SessionState, latches: Latches, at: string): void {
    state.latches = latches;
    state.updated = at;
    const { session, stored } = state;
    if (stored !== undefined && isSame(stored, latches)) return;
    this.#store.saveLatches(session, latchesObject(latches), at);
    state.stored = latches;
  }

  /** A context that was emptied has nothing left in it of what was injected, and room again. */
  beginEpoch(state: SessionState, at: string): void {
    this.#store.beginEpoch(state.session, at);
    Object.assign(state, { fill: undefined, usage: undefined });
    this.setLatches(state, armed, at);
  }

  #load(session: string, at: string): SessionState {
    const kept = this.#store.latches(session);
    return {
      session,
      cli: undefined,
      latches: parseLatches(kept),
      stored: kept === undefined ? undefined : parseLatches(kept),
      fill: undefined,
      usage: undefined,
      updated: at,
      seq: -1,
      isNew: kept === undefined && this.#store.snapshotOf(session) === undefined,
      restore: undefined,
    };
  }
}

function isSame(one: Latches, other: Latches): boolean {
  return alertNames.every((name) => one[name] === other[name]);
}
