import { isRecord } from "../../base/json.ts";
import type { RpcPeer } from "../rpc-peer.ts";
import { withGiven } from "../rules/alerts.ts";
import type { ResultOf } from "../rules/methods.ts";
import type { SessionTable } from "../store/sessions.ts";
import type { Push } from "./injection.ts";
import type { SessionState, SessionStates } from "./session-state.ts";

/** How long a client may take to accept what it is pushed, and to confirm what it was given. */
const answerMs = 10_000;
const confirmMs = 60_000;

export const nothingDue: ResultOf<"session.sync"> = { ok: true, due: [] };

export interface DeliveryOptions {
  readonly store: SessionTable;
  readonly states: SessionStates;
  readonly now: () => string;
  /** What was on its way is due again. */
  readonly lost: () => void;
}

/**
 * What is on its way into a context. It counts only once it has arrived, and until then nobody
 * else is given the same: the hooks of one session run at the same time.
 */
export class Deliveries {
  readonly #options: DeliveryOptions;
  readonly #underWay = new Set<string>();
  readonly #receipts = new Map<string, (isConfirmed: boolean) => void>();
  #lastReceipt = 0;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  isUnderWay(subject: string): boolean {
    return this.#underWay.has(subject);
  }

  /** Sends all pushes in their order. What the client takes counts at once, what it does not take stays due. */
  async push(peer: RpcPeer, state: SessionState, pushes: readonly Push[]): Promise<void> {
    for (const { subject } of pushes) this.#underWay.add(subject);
    const isTaken = await Promise.all(pushes.map((push) => take(peer, push)));
    this.#release(pushes);
    this.#count(
      state,
      pushes.filter((_, index) => isTaken[index]),
    );
  }

  /** Gives all pushes in an answer: they count when the client names the receipt. */
  hand(peer: RpcPeer, state: SessionState, pushes: readonly Push[]): ResultOf<"session.sync"> {
    if (pushes.length === 0) return nothingDue;
    for (const { subject } of pushes) this.#underWay.add(subject);
    const due = pushes.map(({ method, params }) => ({ method, params: { ...params } }));
    return { ok: true, due, receipt: this.#receiptFor(peer, state, pushes) };
  }

  /** False when there is nothing to confirm: it was confirmed before, or given up. */
  confirm(receipt: string): boolean {
    const settle = this.#receipts.get(receipt);
    settle?.(true);
    return settle !== undefined;
  }

  /** What is not confirmed in time, or before the connection ends, was lost. */
  #receiptFor(peer: RpcPeer, state: SessionState, pushes: readonly Push[]): string {
    this.#lastReceipt += 1;
    const receipt = `r${this.#lastReceipt}`;
    const settle = (isConfirmed: boolean) => {
      if (!this.#receipts.delete(receipt)) return;
      clearTimeout(timer);
      peer.ended.removeEventListener("abort", lose);
      this.#release(pushes);
      if (isConfirmed) this.#count(state, pushes);
      else this.#options.lost();
    };
    const lose = () => settle(false);
    const timer = setTimeout(lose, confirmMs);
    timer.unref();
    this.#receipts.set(receipt, settle);
    if (peer.ended.aborted) lose();
    else peer.ended.addEventListener("abort", lose, { once: true });
    return receipt;
  }

  #release(pushes: readonly Push[]): void {
    for (const { subject } of pushes) this.#underWay.delete(subject);
  }

  #count(state: SessionState, pushes: readonly Push[]): void {
    if (pushes.length === 0) return;
    const { store, states, now } = this.#options;
    const at = now();
    const events = pushes.flatMap(({ event }) => (event === undefined ? [] : [event]));
    if (events.length > 0) store.markDelivered(state.session, events, at);
    const injections = pushes.map(({ injection }) => injection);
    store.markInjected(state.session, injections, at);
    if (injections.some(({ reason }) => reason === "restore")) state.restore = undefined;
    for (const { alert } of pushes)
      if (alert !== undefined) state.alerts = withGiven(state.alerts, alert);
    states.keep(state, at);
  }
}

/** Whether a client takes a push; the seed says nothing about the answer: only a clear no is one. */
async function take(peer: RpcPeer, { method, params, alert }: Push): Promise<boolean> {
  try {
    if (alert !== undefined) {
      await peer.notify(method, params);
      return true;
    }
    const answer = await peer.request(method, params, answerMs);
    return !(isRecord(answer) && answer["accepted"] === false);
  } catch {
    // A client that cannot take it has not been given it: it is offered again at the next occasion.
    return false;
  }
}
