import { defined } from "../../base/omit-undefined.ts";
import {
  alertNames,
  armed,
  type Fill,
  fillOf,
  firstRises,
  firstTurn,
  type Latches,
  latchesObject,
  nextTurn,
  parseLatches,
  type Rises,
  rearm,
  risesAfter,
  type Thresholds,
  type Turns,
} from "../rules/alerts.ts";
import type { TokenUsage } from "../rules/methods.ts";
import { rpcFailure } from "../rules/rpc-errors.ts";
import { fieldText } from "../rules/transcripts.ts";
import type { SessionTable } from "../store/sessions.ts";

/** What the brain knows of one CLI session while it runs. */
export interface SessionState {
  readonly session: string;
  /** Unknown until somebody says it. */
  cli: string | undefined;
  /** Then its id is free for another CLI. */
  hasEnded: boolean;
  latches: Latches;
  rises: Rises;
  turns: Turns;
  /** What the store has of this, as JSON. */
  stored: string | undefined;
  fill: Fill | undefined;
  usage: TokenUsage | undefined;
  updated: string;
  /** Of the last `state.update` that had one. */
  seq: number;
  /** Nobody has told of it before: it may be given what came before it. */
  isNew: boolean;
  /** The session, perhaps this one, whose snapshot it is still to be given. */
  restore: string | undefined;
}

const sessionsMax = 256;

/** The sessions of one brain. What must outlive it is in the store. */
export class SessionStates {
  readonly #store: SessionTable;
  readonly #thresholds: Thresholds;
  /** Called when a session was warned, or is armed again. */
  readonly #changed: () => void;
  readonly #known = new Map<string, SessionState>();

  constructor(store: SessionTable, thresholds: Thresholds, changed: () => void) {
    this.#store = store;
    this.#thresholds = thresholds;
    this.#changed = changed;
  }

  /** The state of a session. @throws RpcFailure SESSION_TAKEN when another CLI has this id. */
  of(session: string, cli: string | undefined, at: string): SessionState {
    const state = this.#known.get(session) ?? this.#load(session, at);
    const isOther = cli !== undefined && state.cli !== undefined && state.cli !== cli;
    if (isOther && !state.hasEnded) {
      const reason = `session ${session} belongs to ${state.cli}, not to ${cli}`;
      throw rpcFailure("SESSION_TAKEN", reason);
    }
    state.cli = cli ?? state.cli;
    state.hasEnded = false;
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

  /** Those that go on and were warned on their present rise. */
  warned(): string[] {
    return this.all()
      .filter(({ hasEnded, latches }) => !hasEnded && alertNames.some((name) => latches[name]))
      .map(({ session }) => session);
  }

  /** Takes in how full the context is; usage that makes no sense changes nothing. */
  observe(state: SessionState, usage: TokenUsage, at: string): void {
    const fill = fillOf(usage);
    if (fill === undefined) return;
    const latches = rearm(state.latches, fill, this.#thresholds);
    const rises = risesAfter(state.rises, fill, this.#thresholds);
    Object.assign(state, { fill, usage, rises, updated: at });
    this.setLatches(state, latches, at);
  }

  beginTurn(state: SessionState): void {
    state.turns = nextTurn(state.turns);
  }

  setLatches(state: SessionState, latches: Latches, at: string): void {
    state.latches = latches;
    this.#keep(state, at);
  }

  /** What a session is still to be given outlives a brain that leaves before it was. */
  setRestore(state: SessionState, restore: string | undefined, at: string): void {
    state.restore = restore;
    this.#keep(state, at);
  }

  /** Each write waits for the disk, and tools run often: what is stored already is not again. */
  #keep(state: SessionState, at: string): void {
    state.updated = at;
    const { session, latches, restore } = state;
    const kept = { ...latchesObject(latches), ...defined({ restore }) };
    if (state.stored === JSON.stringify(kept)) return;
    this.#store.saveLatches(session, kept, at);
    state.stored = JSON.stringify(kept);
    this.#changed();
  }

  /** A context that was emptied has nothing left in it of what was injected, and room again. */
  beginEpoch(state: SessionState, at: string): void {
    this.#store.beginEpoch(state.session, at);
    const rises = risesAfter(state.rises, undefined);
    const turns = nextTurn(state.turns);
    Object.assign(state, { fill: undefined, usage: undefined, rises, turns });
    this.setLatches(state, armed, at);
  }

  #load(session: string, at: string): SessionState {
    const kept = this.#store.latches(session);
    return {
      session,
      cli: undefined,
      hasEnded: false,
      latches: parseLatches(kept),
      rises: firstRises,
      turns: firstTurn,
      stored: kept === undefined ? undefined : JSON.stringify(kept),
      fill: undefined,
      usage: undefined,
      updated: at,
      seq: -1,
      isNew: kept === undefined && this.#store.snapshotOf(session) === undefined,
      restore: fieldText(kept, "restore"),
    };
  }
}
