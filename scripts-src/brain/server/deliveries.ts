import type { RpcPeer } from "../rpc-peer.ts";
import { latched, toldIn } from "../rules/alerts.ts";
import type { SessionTable } from "../store/sessions.ts";
import type { Push } from "./injection.ts";
import type { SessionState, SessionStates } from "./session-state.ts";

/** How long a client may take to confirm before the same is offered again. */
const confirmMs = 60_000;

/** Pushes that a client took and that do not count yet. */
export interface PushDelivery {
  readonly pushed: number;
  /** Now it counts: alerts are latched, events are done, memories are known to be there. */
  readonly count: (at: string) => void;
  /** It was lost: all of it is due again. */
  readonly drop: () => void;
}

/**
 * What is on its way into a context. It counts only once it has arrived, and until then nobody
 * else is given the same: the hooks of one session run at the same time.
 */
export class Deliveries {
  readonly #store: SessionTable;
  readonly #states: SessionStates;
  readonly #changed: () => void;
  readonly #underWay = new Set<string>();
  readonly #receipts = new Map<string, PushDelivery>();
  #lastReceipt = 0;

  constructor(store: SessionTable, states: SessionStates, changed: () => void) {
    this.#store = store;
    this.#states = states;
    this.#changed = changed;
  }

  isUnderWay(subject: string): boolean {
    return this.#underWay.has(subject);
  }

  /** Offers all pushes in their order; what the client does not take stays due. */
  async offer(peer: RpcPeer, state: SessionState, pushes: readonly Push[]): Promise<PushDelivery> {
    for (const { subject } of pushes) this.#underWay.add(subject);
    const taken = await Promise.all(
      pushes.map(async (push) => ({ push, isTaken: await push.send(peer) })),
    );
    for (const { push, isTaken } of taken) if (!isTaken) this.#underWay.delete(push.subject);
    return this.#delivery(
      state,
      taken.filter(({ isTaken }) => isTaken).map(({ push }) => push),
    );
  }

  /** Keeps a delivery until the client names the receipt; it is dropped with the connection. */
  awaitReceipt(delivery: PushDelivery, peer: RpcPeer): string {
    this.#lastReceipt += 1;
    const receipt = `r${this.#lastReceipt}`;
    const settle = (end: () => void) => {
      if (!this.#receipts.delete(receipt)) return;
      clearTimeout(timer);
      peer.ended.removeEventListener("abort", drop);
      end();
    };
    const drop = () => settle(delivery.drop);
    const timer = setTimeout(drop, confirmMs);
    timer.unref();
    this.#receipts.set(receipt, { ...delivery, count: (at) => settle(() => delivery.count(at)) });
    if (peer.ended.aborted) drop();
    else peer.ended.addEventListener("abort", drop, { once: true });
    return receipt;
  }

  /** False when there is nothing to confirm: it was confirmed before, or given up. */
  confirm(receipt: string, at: string): boolean {
    const delivery = this.#receipts.get(receipt);
    delivery?.count(at);
    return delivery !== undefined;
  }

  #delivery(state: SessionState, pushes: readonly Push[]): PushDelivery {
    const drop = () => {
      for (const { subject } of pushes) this.#underWay.delete(subject);
    };
    const count = (at: string) => {
      try {
        this.#count(state, pushes, at);
      } finally {
        drop();
      }
    };
    return { pushed: pushes.length, count, drop };
  }

  #count(state: SessionState, pushes: readonly Push[], at: string): void {
    const told = pushes.flatMap(({ alert }) => alert ?? []);
    // Of a rise that is over by now, nothing counts for the next one, but that it was this turn.
    const alerts = told
      .filter(({ name, rise }) => state.rises[name] === rise)
      .map(({ name }) => name);
    state.turns = told.reduce(toldIn, state.turns);
    const events = pushes.flatMap(({ event }) => (event === undefined ? [] : [event]));
    const injections = pushes.map(({ injection }) => injection);
    if (events.length > 0) {
      this.#store.markDelivered(state.session, events, at);
      this.#changed();
    }
    if (injections.length > 0) this.#store.markInjected(state.session, injections, at);
    if (injections.some(({ reason }) => reason === "restore")) {
      this.#states.setRestore(state, undefined, at);
    }
    if (alerts.length > 0) this.#states.setLatches(state, latched(state.latches, alerts), at);
  }
}
