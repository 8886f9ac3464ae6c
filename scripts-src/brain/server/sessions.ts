import { randomBytes } from "node:crypto";
import { defined } from "../../base/omit-undefined.ts";
import { findSecret, withoutSecrets } from "../../base/secrets.ts";
import { isoSecond, millisecondsOf } from "../../base/time.ts";
import type { Call, RpcPeer } from "../rpc-peer.ts";
import type { Thresholds } from "../rules/alerts.ts";
import { brainLimits } from "../rules/limits.ts";
import type { ParamsOf, ResultOf } from "../rules/methods.ts";
import { snapshotContent } from "../rules/session-handover.ts";
import type { BrainStore } from "../store/brain-store.ts";
import { Deliveries, type PushDelivery } from "./deliveries.ts";
import { type InjectionMoment, InjectionPlan, type Push } from "./injection.ts";
import { type SessionState, SessionStates } from "./session-state.ts";

export interface SessionsOptions {
  readonly store: BrainStore;
  readonly thresholds: Thresholds;
  readonly now: () => string;
  readonly note: (text: string) => void;
  /** Told which sessions need attention, whenever that may have changed; see `PendingMarkers`. */
  readonly heed: (sessions: readonly (string | null)[]) => void;
}

type Sync = ParamsOf<"session.sync">;
type Update = ParamsOf<"state.update">;

/** What happens in the CLIs' sessions, and what they are given for it. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #states: SessionStates;
  readonly #deliveries: Deliveries;
  readonly #waiters = new Waiters();
  /** A connection that does not say which session it is, is one of its own. */
  readonly #anonymous = new WeakMap<RpcPeer, string>();

  constructor(options: SessionsOptions) {
    const { store, thresholds } = options;
    const heed = () => this.heed();
    this.#options = options;
    this.#states = new SessionStates(store.sessions, thresholds, heed);
    this.#deliveries = new Deliveries(store.sessions, this.#states, heed);
    this.heed();
  }

  /** Says which sessions need attention now. */
  heed(): void {
    this.#options.heed([...this.#options.store.sessions.awaited(), ...this.#states.warned()]);
  }

  all(): SessionState[] {
    return this.#states.all();
  }

  async sync(params: Sync, call: Call): Promise<ResultOf<"session.sync">> {
    const at = this.#options.now();
    const { session, cli, event, deliverable = false, confirm = false } = params;
    const state = this.#states.of(session, cli, at);
    if (event === "start" || event === "prompt") this.#states.beginTurn(state);
    if (event === "start") this.#begin(state, params.source, at);
    const said = event === "prompt" ? params.prompt : undefined;
    // One that is in the middle of its work does not begin with another one's.
    const hasHistory = event !== "prompt" || params.token_usage !== undefined;
    if (state.isNew && hasHistory) this.#begin(state, "resume", at);
    this.#observe(state, params, said, at);
    if (event === "end") {
      state.hasEnded = true;
      this.heed();
    }
    if (!deliverable) return { ok: true, pushed: 0 };
    const delivery = await this.#give(call.peer, { state, at, prompt: said });
    return { ok: true, ...this.#settle(delivery, call, confirm) };
  }

  delivered({ receipt }: ParamsOf<"session.delivered">): ResultOf<"session.delivered"> {
    return { counted: this.#deliveries.confirm(receipt, this.#options.now()) };
  }

  /** The seed's notification: a client that sends it takes what is due on the same connection. */
  async update(params: Update, { peer }: Call): Promise<undefined> {
    const at = this.#options.now();
    const { session = this.#anonymousOf(peer), cli, seq, context } = params;
    const state = this.#states.of(session, cli, at);
    if (seq !== undefined && seq <= state.seq) return undefined;
    state.seq = seq ?? state.seq;
    // It does not tell of turns: each is one.
    this.#states.beginTurn(state);
    const said = context?.prompt;
    this.#observe(state, params, said, at);
    (await this.#give(peer, { state, at, prompt: said })).count(this.#options.now());
    return undefined;
  }

  wait(params: ParamsOf<"session.wait">, call: Call): Promise<ResultOf<"session.wait">> {
    const at = this.#options.now();
    const { session, timeout_seconds: seconds, confirm = false } = params;
    const give = async () => {
      const state = this.#states.of(session, undefined, at);
      const plan = new InjectionPlan(this.#options.store, this.#moment({ state, at }));
      const delivery = await this.#deliveries.offer(call.peer, state, plan.events());
      // What one waiter took and lost, the next one may have.
      const drop = () => {
        delivery.drop();
        this.#wake(undefined);
      };
      return this.#settle({ ...delivery, drop }, call, confirm);
    };
    return this.#waiters.wait(session, call.peer, give, seconds);
  }

  publish(params: ParamsOf<"event.publish">): ResultOf<"event.publish"> {
    const { text, kind = "event", source = "client", session } = params;
    // A log or a mail that is passed on may hold anything; the news in it matters all the same.
    const secret = findSecret(`${text}\n${source}`);
    const said = { text: withoutSecrets(text), source: withoutSecrets(source) };
    const event = { kind, session, ...said };
    const id = this.#options.store.sessions.saveEvent(event, this.#options.now());
    this.heed();
    this.#wake(session);
    return secret === undefined ? { queued: true, id } : { queued: true, id, left_out: secret };
  }

  #wake(session: string | undefined): void {
    // A waiting client may be slow to take it; the event is safe, no matter who takes it.
    this.#waiters.wake(session).catch((error) => this.#options.note(`waking failed: ${error}`));
  }

  #moment(occasion: Omit<InjectionMoment, "isUnderWay">): InjectionMoment {
    return { ...occasion, isUnderWay: (subject) => this.#deliveries.isUnderWay(subject) };
  }

  #give(peer: RpcPeer, occasion: Omit<InjectionMoment, "isUnderWay">): Promise<PushDelivery> {
    const { store, thresholds } = this.#options;
    const pushes: Push[] = new InjectionPlan(store, this.#moment(occasion)).all(thresholds);
    return this.#deliveries.offer(peer, occasion.state, pushes);
  }

  /** It counts when it was confirmed, or when the answer is on its way, and is due again when that is lost. */
  #settle(delivery: PushDelivery, call: Call, confirm: boolean): Given {
    const { pushed } = delivery;
    if (confirm && pushed > 0)
      return { pushed, receipt: this.#deliveries.awaitReceipt(delivery, call.peer) };
    call.afterAnswer((isSent) => {
      if (isSent) delivery.count(this.#options.now());
      else delivery.drop();
    });
    return { pushed };
  }

  /** A session starts, or goes on with less in its context than it had. */
  #begin(state: SessionState, source: string | undefined, at: string): void {
    state.isNew = false;
    if (source === "compact" || source === "clear") this.#states.beginEpoch(state, at);
    this.#states.setRestore(state, this.#restoreOf(state, source, at), at);
  }

  /** The session whose snapshot one gets at its start: the newest of another one, in whichever CLI. */
  #restoreOf({ session }: SessionState, source: string | undefined, at: string) {
    // A history that was resumed is all there.
    if (source === "resume" || source === "fork") return undefined;
    if (source === "compact") return session;
    const since = isoSecond(millisecondsOf(at) - brainLimits.restoreDays * 86_400_000);
    return this.#options.store.sessions.latestSnapshot(session, since)?.session;
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

/** How much was given, and the receipt to confirm it with, where somebody asked for one. */
interface Given {
  readonly pushed: number;
  readonly receipt?: string;
}

interface Waiter {
  /** Returns what there is. */
  readonly give: () => Promise<Given>;
  readonly done: (given: Given) => void;
}

const nothing: Given = { pushed: 0 };

/** Who waits for news of a session: the hook of a CLI that has nothing else to do. */
class Waiters {
  readonly #waiting = new Map<string, Waiter>();

  /** Resolves when something was pushed, the time is up, a newer one waits, or too many do. */
  async wait(
    session: string,
    peer: RpcPeer,
    give: () => Promise<Given>,
    seconds: number | undefined,
  ): Promise<Given & { ok: boolean }> {
    this.#waiting.get(session)?.done(nothing);
    const given = await give();
    if (given.pushed > 0 || peer.ended.aborted) return { ok: true, ...given };
    return new Promise((resolve) => {
      const leave = () => waiter.done(nothing);
      const timer = seconds === undefined ? undefined : setTimeout(leave, seconds * 1_000);
      timer?.unref();
      const waiter: Waiter = {
        give,
        done: (late) => {
          clearTimeout(timer);
          peer.ended.removeEventListener("abort", leave);
          if (this.#waiting.get(session) === waiter) this.#waiting.delete(session);
          resolve({ ok: true, ...late });
        },
      };
      peer.ended.addEventListener("abort", leave, { once: true });
      this.#waiting.get(session)?.done(nothing);
      this.#waiting.set(session, waiter);
      const [oldest] = this.#waiting.values();
      if (this.#waiting.size > brainLimits.waiters) oldest?.done(nothing);
    });
  }

  /** Offers news to who waits for it: the session that it is for, else one after the other. */
  async wake(session: string | undefined): Promise<void> {
    const named = session === undefined ? [...this.#waiting.keys()] : [session];
    for (const name of named) {
      const waiter = this.#waiting.get(name);
      const given = await waiter?.give();
      if (given !== undefined && given.pushed > 0) waiter?.done(given);
    }
  }
}
