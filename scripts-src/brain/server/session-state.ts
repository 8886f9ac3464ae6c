import { defined } from "../../base/omit-undefined.ts";
import {
  type Alerts,
  alertsAfter,
  type Fill,
  fillOf,
  givenAlerts,
  parseAlerts,
  type Thresholds,
} from "../rules/alerts.ts";
import type { TokenUsage } from "../rules/methods.ts";
import { rpcFailure } from "../rules/rpc-errors.ts";
import { fieldText } from "../rules/usage-in-transcript.ts";
import type { SessionTable } from "../store/sessions.ts";

/** What the brain knows of one CLI session while it runs. */
export interface SessionState {
  readonly session: string;
  /** Unknown until somebody says it. */
  cli: string | undefined;
  /** Then its id is free for another CLI. */
  hasEnded: boolean;
  alerts: Alerts;
  /** Its turns, counted. */
  turn: number;
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
  readonly #known = new Map<string, SessionState>();

  constructor(store: SessionTable, thresholds: Thresholds) {
    this.#store = store;
    this.#thresholds = thresholds;
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

  /** Takes in how full the context is; usage that makes no sense changes nothing. */
  observe(state: SessionState, usage: TokenUsage, at: string): void {
    const fill = fillOf(usage);
    if (fill === undefined) return;
    const alerts = alertsAfter(state.alerts, fill, this.#thresholds);
    this.keep(Object.assign(state, { fill, usage, alerts }), at);
  }

  /** A context that was emptied has nothing left in it of what was injected, and room again. */
  beginEpoch(state: SessionState, at: string): void {
    this.#store.beginEpoch(state.session, at);
    const alerts = alertsAfter(state.alerts, undefined);
    this.keep(Object.assign(state, { fill: undefined, usage: undefined, alerts }), at);
  }

  /**
   * Keeps which alerts a session was given and what it is still to be given: that outlives the brain. Each write waits
   * for the disk, and tools run often: what is stored already is not again.
   */
  keep(state: SessionState, at: string): void {
    state.updated = at;
    const { session, alerts, restore } = state;
    const kept = { ...givenAlerts(alerts), ...defined({ restore }) };
    if (state.stored === JSON.stringify(kept)) return;
    this.#store.saveLatches(session, kept, at);
    state.stored = JSON.stringify(kept);
  }

  #load(session: string, at: string): SessionState {
    const kept = this.#store.latches(session);
    return {
      session,
      cli: undefined,
      hasEnded: false,
      alerts: parseAlerts(kept),
      turn: 0,
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
