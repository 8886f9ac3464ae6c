import type { RpcPeer } from "../rpc-peer.ts";
import { brainLimits } from "../rules/limits.ts";

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
export class Waiters {
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
