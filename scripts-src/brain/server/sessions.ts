import { randomBytes } from "node:crypto";
import { defined } from "../../base/omit-undefined.ts";
import { findSecret, withoutSecrets } from "../../base/secrets.ts";
import { isoSecond, millisecondsOf } from "../../base/time.ts";
import { settingsClis } from "../../clis/hook-entries.ts";
import type { RpcPeer } from "../rpc-peer.ts";
import { dueAlerts, type Thresholds } from "../rules/alerts.ts";
import { brainLimits } from "../rules/limits.ts";
import type { ParamsOf, ResultOf, TokenUsage } from "../rules/methods.ts";
import { snapshotContent } from "../rules/session-handover.ts";
import type { BrainStore } from "../store/brain-store.ts";
import { Deliveries, nothingDue } from "./deliveries.ts";
import { InjectionPlan, type Push } from "./injection.ts";
import { type SessionState, SessionStates } from "./session-state.ts";
import { Transcripts } from "./transcripts.ts";

export interface SessionsOptions {
  readonly store: BrainStore;
  readonly thresholds: Thresholds;
  readonly now: () => string;
  /** Called when a session that is in the middle of its work may have to be told something. */
  readonly ring: () => void;
}

type Sync = ParamsOf<"session.sync">;
type Update = ParamsOf<"state.update">;
type Given = ResultOf<"session.sync">;

/** What happens in the CLIs' sessions, and what they are given for it. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #states: SessionStates;
  readonly #deliveries: Deliveries;
  readonly #waiters = new Waiters();
  readonly #transcripts: Transcripts;
  /** A connection that does not say which session it is, is one of its own. */
  readonly #anonymous = new WeakMap<RpcPeer, string>();
  /** The session that ended by a clear last, for the one that begins by it. */
  #cleared: SessionState | undefined;

  constructor(options: SessionsOptions) {
    const { store, thresholds, now } = options;
    this.#options = options;
    this.#states = new SessionStates(store.sessions, thresholds);
    this.#transcripts = new Transcripts((session, usage) => this.#follow(session, usage));
    this.#deliveries = new Deliveries({
      ...{ store: store.sessions, states: this.#states, now },
      // What one took and lost, the next one may have.
      lost: () => {
        options.ring();
        this.#waiters.wake(undefined);
      },
    });
    if (store.sessions.hasEvents()) options.ring();
  }

  /** Looks at what nobody tells of by itself. */
  look(): void {
    this.#transcripts.look();
  }

  stop(): Promise<void> {
    return this.#transcripts.stop();
  }

  all(): SessionState[] {
    return this.#states.all();
  }

  sync(params: Sync, peer: RpcPeer): Given {
    const at = this.#options.now();
    const { session, cli, event, source, deliverable = false } = params;
    const state = this.#states.of(session, cli, at);
    if (event === "start" || event === "prompt") state.turn += 1;
    if (event === "start") this.#begin(state, source, at);
    const said = event === "prompt" ? params.prompt : undefined;
    // One that is in the middle of its work does not begin with another one's.
    const usage = this.#usageIn(params);
    const hasHistory = event !== "prompt" || usage !== undefined;
    if (state.isNew && hasHistory) this.#begin(state, "resume", at);
    this.#observe(state, { ...params, ...defined({ token_usage: usage }) }, said, at);
    if (event === "end") this.#end(state, source);
    if (!deliverable) return nothingDue;
    return this.#deliveries.hand(peer, state, this.#due(state, said));
  }

  delivered({ receipt }: ParamsOf<"session.delivered">): ResultOf<"session.delivered"> {
    const counted = this.#deliveries.confirm(receipt);
    // What did not fit comes with the next tool.
    if (this.#options.store.sessions.hasEvents()) this.#options.ring();
    return { counted };
  }

  /** The seed's notification: a client that sends it takes what is due on the same connection. */
  async update(params: Update, peer: RpcPeer): Promise<undefined> {
    const at = this.#options.now();
    const { session = this.#anonymousOf(peer), cli, seq, context } = params;
    const state = this.#states.of(session, cli, at);
    if (seq !== undefined && seq <= state.seq) return undefined;
    state.seq = seq ?? state.seq;
    // It does not tell of turns: each is one.
    state.turn += 1;
    this.#observe(state, params, context?.prompt, at);
    await this.#deliveries.push(peer, state, this.#due(state, context?.prompt));
    return undefined;
  }

  wait(
    { session, timeout_seconds: seconds }: ParamsOf<"session.wait">,
    peer: RpcPeer,
  ): Promise<Given> {
    const give = () => {
      const state = this.#states.of(session, undefined, this.#options.now());
      return this.#deliveries.hand(peer, state, this.#planFor(state).events());
    };
    return this.#waiters.wait(session, peer, give, seconds);
  }

  publish(params: ParamsOf<"event.publish">): ResultOf<"event.publish"> {
    const { text, kind = "event", source = "client", session } = params;
    // A log or a mail that is passed on may hold anything; the news in it matters all the same.
    const secret = findSecret(`${text}\n${source}`);
    const said = { text: withoutSecrets(text), source: withoutSecrets(source) };
    const event = { kind, session, ...said };
    const id = this.#options.store.sessions.saveEvent(event, this.#options.now());
    this.#options.ring();
    this.#waiters.wake(session);
    return secret === undefined ? { queued: true, id } : { queued: true, id, left_out: secret };
  }

  /** How full its context is, by what its CLI says and by its transcript. */
  #usageIn({ session, cli: given, transcript, token_usage: told }: Sync): TokenUsage | undefined {
    const cli = settingsClis.find((name) => name === given);
    if (transcript === undefined || cli === undefined) {
      // What stands in one that is followed is no longer so.
      this.#transcripts.outdate(session);
      return told;
    }
    const read = this.#transcripts.read(session, cli, transcript);
    return told === undefined ? read : { ...read, ...told };
  }

  /** A session that goes on got an answer: a tool's hook, which asks nobody else, is to tell of an alert. */
  #follow(session: string, usage: TokenUsage): void {
    const at = this.#options.now();
    const state = this.#states.of(session, undefined, at);
    this.#states.observe(state, usage, at);
    const { fill, alerts, turn } = state;
    const { thresholds, ring } = this.#options;
    if (fill !== undefined && dueAlerts(alerts, fill, turn, thresholds).length > 0) ring();
  }

  #due(state: SessionState, prompt: string | undefined): Push[] {
    return this.#planFor(state, prompt).all(this.#options.thresholds);
  }

  #planFor(state: SessionState, prompt?: string): InjectionPlan {
    const isUnderWay = (subject: string) => this.#deliveries.isUnderWay(subject);
    const moment = { state, at: this.#options.now(), prompt, isUnderWay };
    return new InjectionPlan(this.#options.store, moment);
  }

  /** A session starts, or goes on with less in its context than it had. */
  #begin(state: SessionState, source: string | undefined, at: string): void {
    state.isNew = false;
    if (source === "compact" || source === "clear") this.#states.beginEpoch(state, at);
    state.restore = this.#restoreOf(state, source, at);
    this.#states.keep(state, at);
  }

  /** The session whose snapshot one gets at its start: what was cleared, else the newest of another one, in whichever CLI. */
  #restoreOf({ session, cli }: SessionState, source: string | undefined, at: string) {
    // A history that was resumed is all there.
    if (source === "resume" || source === "fork") return undefined;
    if (source === "compact") return session;
    const cleared = source === "clear" && this.#cleared?.cli === cli ? this.#cleared : undefined;
    if (cleared !== undefined) {
      this.#cleared = undefined;
      return cleared.session;
    }
    const since = isoSecond(millisecondsOf(at) - brainLimits.restoreDays * 86_400_000);
    return this.#options.store.sessions.latestSnapshot(session, since)?.session;
  }

  #end(state: SessionState, source: string | undefined): void {
    state.hasEnded = true;
    // One that has nothing to hand over gives way to the newest that has.
    const hasSnapshot = this.#options.store.sessions.snapshotOf(state.session) !== undefined;
    if (source === "clear" && hasSnapshot) this.#cleared = state;
    this.#transcripts.leave(state.session);
  }

  /** Takes in what a client tells of a session; one whose start nobody told of starts with that. */
  #observe(state: SessionState, told: Sync | Update, prompt: string | undefined, at: string): void {
    if (state.isNew) this.#begin(state, undefined, at);
    if (told.token_usage !== undefined) this.#states.observe(state, told.token_usage, at);
    const content = snapshotContent({ ...defined({ prompt }), ...told.context });
    if (Object.keys(content).length === 0) return;
    const { session, cli = "client" } = state;
    this.#options.store.sessions.saveSnapshot({ session, cli, content, at });
  }

  #anonymousOf(peer: RpcPeer): string {
    const known = this.#anonymous.get(peer) ?? `connection-${randomBytes(6).toString("hex")}`;
    this.#anonymous.set(peer, known);
    return known;
  }
}

interface Waiter {
  /** Returns what there is. */
  readonly give: () => Given;
  readonly done: (given: Given) => void;
}

/** Who waits for news of a session: the hook of a CLI that has nothing else to do. */
class Waiters {
  readonly #waiting = new Map<string, Waiter>();

  /** Resolves when there is something, the time is up, a newer one waits, or too many do. */
  async wait(
    session: string,
    { ended }: RpcPeer,
    give: () => Given,
    seconds: number | undefined,
  ): Promise<Given> {
    this.#waiting.get(session)?.done(nothingDue);
    const given = give();
    if (given.due.length > 0 || ended.aborted) return given;
    return new Promise((resolve) => {
      const leave = () => waiter.done(nothingDue);
      const timer = seconds === undefined ? undefined : setTimeout(leave, seconds * 1_000);
      timer?.unref();
      const waiter: Waiter = {
        give,
        done: (late) => {
          clearTimeout(timer);
          ended.removeEventListener("abort", leave);
          if (this.#waiting.get(session) === waiter) this.#waiting.delete(session);
          resolve(late);
        },
      };
      ended.addEventListener("abort", leave, { once: true });
      this.#waiting.set(session, waiter);
      const [oldest] = this.#waiting.values();
      if (this.#waiting.size > brainLimits.waiters) oldest?.done(nothingDue);
    });
  }

  /** Gives news to who waits for it: the session that it is for, else one after the other. */
  wake(session: string | undefined): void {
    const named = session === undefined ? [...this.#waiting.keys()] : [session];
    for (const name of named) {
      const waiter = this.#waiting.get(name);
      const given = waiter?.give();
      if (given !== undefined && given.due.length > 0) waiter?.done(given);
    }
  }
}
