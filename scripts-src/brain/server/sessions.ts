import { randomBytes } from "node:crypto";
import type { JsonObject } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import { findSecret, withoutSecrets } from "../../base/secrets.ts";
import type { Call, RpcPeer } from "../rpc-peer.ts";
import type { Thresholds } from "../rules/alerts.ts";
import type { BrainStore } from "../rules/brain-store.ts";
import { withoutInjected } from "../rules/injected-text.ts";
import type { ParamsOf, ResultOf } from "../rules/open-rpc.ts";
import { changedTasks, openWorkOf } from "../rules/open-tasks.ts";
import { snapshotContent } from "../rules/snapshot-text.ts";
import type { DecisionToday } from "./decision-today.ts";
import { Deliveries, type PushDelivery } from "./deliveries.ts";
import { type InjectionMoment, InjectionPlan, type RecalledMemory } from "./injection-plan.ts";
import { type SessionState, SessionStates } from "./session-state.ts";
import { Restores } from "./snapshot-routing.ts";
import { Waiters } from "./waiters.ts";

export interface SessionsOptions {
  readonly store: BrainStore;
  readonly thresholds: Thresholds;
  readonly now: () => string;
  readonly note: (text: string) => void;
  readonly today: DecisionToday;
  /** Told which sessions need attention, whenever that may have changed; see `Attention`. */
  readonly heed: (sessions: readonly (string | null)[]) => void;
}

type Sync = ParamsOf<"session.sync">;
type Update = ParamsOf<"state.update">;
type Tasks = NonNullable<Sync["context"]>["tasks"];

/** What happens in the CLIs' sessions, and what they are given for it. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #states: SessionStates;
  readonly #deliveries: Deliveries;
  readonly #restores: Restores;
  readonly #waiters = new Waiters();
  /** A connection that does not say which session it is, is one of its own. */
  readonly #anonymous = new WeakMap<RpcPeer, string>();

  constructor(options: SessionsOptions) {
    const { store, thresholds } = options;
    const heed = () => this.heed();
    this.#options = options;
    this.#states = new SessionStates(store, thresholds, heed);
    this.#restores = new Restores(store);
    this.#deliveries = new Deliveries(store, this.#states, heed);
    this.heed();
  }

  /** Says which sessions need attention now. */
  heed(): void {
    this.#options.heed([...this.#options.store.awaited(), ...this.#states.warned()]);
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
    if (event === "end") this.#end(state, params.source, at);
    if (!deliverable) return { ok: true, pushed: 0 };
    const occasion = { state, at, prompt: said, ...this.#known };
    const delivery = await this.#offer(call.peer, occasion);
    const { pushed } = delivery;
    if (confirm && pushed > 0)
      return { ok: true, pushed, receipt: this.#deliveries.awaitReceipt(delivery, call.peer) };
    this.#countAfter(call, delivery);
    return { ok: true, pushed };
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
    const occasion = { state, at, prompt: said, ...this.#known };
    (await this.#offer(peer, occasion)).count(this.#options.now());
    return undefined;
  }

  wait(params: ParamsOf<"session.wait">, call: Call): Promise<ResultOf<"session.wait">> {
    const at = this.#options.now();
    const { session, timeout_seconds: seconds, confirm = false } = params;
    const give = async () => {
      const delivery = await this.#offerEvents(call.peer, session, at);
      const { pushed } = delivery;
      if (confirm && pushed > 0) return { pushed, receipt: this.#awaitReceipt(delivery, call) };
      this.#countAfter(call, delivery);
      return { pushed };
    };
    return this.#waiters.wait(session, call.peer, give, seconds);
  }

  publish(params: ParamsOf<"event.publish">): ResultOf<"event.publish"> {
    const { text, kind = "event", source = "client", session } = params;
    // A log or a mail that is passed on may hold anything; the news in it matters all the same.
    const secret = findSecret(`${text}\n${source}`);
    const said = { text: withoutSecrets(text), source: withoutSecrets(source) };
    const event = { kind, session, ...said };
    const id = this.#options.store.saveEvent(event, this.#options.now());
    this.heed();
    this.#wake(session);
    return secret === undefined ? { queued: true, id } : { queued: true, id, left_out: secret };
  }

  #wake(session: string | undefined): void {
    // A waiting client may be slow to take it; the event is safe, no matter who takes it.
    this.#waiters.wake(session).catch((error) => this.#options.note(`waking failed: ${error}`));
  }

  /** What one waiter took and lost, the next one may have. */
  #awaitReceipt(delivery: PushDelivery, { peer }: Call): string {
    const drop = () => {
      delivery.drop();
      this.#wake(undefined);
    };
    return this.#deliveries.awaitReceipt({ ...delivery, drop }, peer);
  }

  readonly #known = {
    isUnderWay: (subject: string) => this.#deliveries.isUnderWay(subject),
    goesOn: (session: string) => this.#states.goesOn(session),
  };

  async #offer(peer: RpcPeer, occasion: InjectionMoment): Promise<PushDelivery> {
    const { store, thresholds } = this.#options;
    const memories = await this.#recalled(occasion);
    const pushes = new InjectionPlan(store, thresholds, occasion).all(memories);
    return this.#deliveries.offer(peer, occasion.state, pushes);
  }

  /** What the prompt brings up, with what has to be said of it now. */
  #recalled({ prompt = "", state }: InjectionMoment): Promise<RecalledMemory[]> {
    const { store, today } = this.#options;
    const words = withoutInjected(prompt);
    const matches = words === "" ? [] : store.relevant(words, state.session);
    return Promise.all(matches.map(async (match) => ({ match, today: await today(match) })));
  }

  #offerEvents(peer: RpcPeer, session: string, at: string): Promise<PushDelivery> {
    const { store, thresholds } = this.#options;
    const state = this.#states.of(session, undefined, at);
    const occasion = { state, at, ...this.#known };
    const pushes = new InjectionPlan(store, thresholds, occasion).events();
    return this.#deliveries.offer(peer, state, pushes);
  }

  /** It counts when the answer is on its way, and is due again when that is lost. */
  #countAfter(call: Call, delivery: PushDelivery): void {
    call.afterAnswer((isSent) => {
      if (isSent) delivery.count(this.#options.now());
      else delivery.drop();
    });
  }

  /** A session starts, or goes on with less in its context than it had. */
  #begin(state: SessionState, source: string | undefined, at: string): void {
    state.isNew = false;
    if (source === "compact" || source === "clear") this.#states.beginEpoch(state, at);
    this.#states.setRestore(state, this.#restores.of(state, source, at), at);
  }

  #end(state: SessionState, source: string | undefined, at: string): void {
    this.#restores.ended(state, source, at);
    state.hasEnded = true;
    this.heed();
  }

  /** Takes in what a client tells of a session; one whose start nobody told of starts with that. */
  #observe(state: SessionState, told: Sync | Update, prompt: string | undefined, at: string): void {
    if (state.isNew) this.#begin(state, undefined, at);
    if (told.token_usage !== undefined) this.#states.observe(state, told.token_usage, at);
    const content = {
      ...snapshotContent({ ...defined({ prompt }), ...told.context }),
      ...this.#tasks(state, told.context?.tasks),
    };
    if (Object.keys(content).length === 0) return;
    const { session, cli = "client" } = state;
    this.#options.store.saveSnapshot({ session, cli, content, at });
  }

  #tasks({ session }: SessionState, changes: Tasks): JsonObject {
    if (changes === undefined) return {};
    const known = this.#options.store.snapshotOf(session)?.content["tasks"];
    const tasks = changedTasks(known, changes);
    return { tasks, open_work: openWorkOf(tasks) };
  }

  #anonymousOf(peer: RpcPeer): string {
    const known = this.#anonymous.get(peer) ?? `connection-${randomBytes(6).toString("hex")}`;
    this.#anonymous.set(peer, known);
    return known;
  }
}
