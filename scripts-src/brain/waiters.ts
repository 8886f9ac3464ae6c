import type { Peer } from "./peer.ts";

interface Waiter {
  /** Gives what there is; how much it was. */
  readonly give: () => Promise<number>;
  readonly done: (pushed: number) => void;
}

/** Who waits for news of a session: the hook of a CLI that has nothing else to do. */
export class Waiters {
  readonly #waiting = new Map<string, Waiter>();

  /** Resolves when something was pushed, the time is up, or a newer one waits in its place. */
  async wait(
    session: string,
    peer: Peer,
    give: () => Promise<number>,
    seconds: number | undefined,
  ): Promise<{ ok: boolean; pushed: number }> {
    this.#waiting.get(session)?.done(0);
    const pushed = await give();
    if (pushed > 0 || peer.ended.aborted) return { ok: true, pushed };
    return new Promise((resolve) => {
      const leave = () => waiter.done(0);
      const timer = seconds === undefined ? undefined : setTimeout(leave, seconds * 1_000);
      timer?.unref();
      const waiter: Waiter = {
        give,
        done: (count) => {
          clearTimeout(timer);
          peer.ended.removeEventListener("abort", leave);
          if (this.#waiting.get(session) === waiter) this.#waiting.delete(session);
          resolve({ ok: true, pushed: count });
        },
      };
      peer.ended.addEventListener("abort", leave, { once: true });
      this.#waiting.get(session)?.done(0);
      this.#waiting.set(session, waiter);
    });
  }

  /** Offers news to who waits for it: the session that it is for, else one after the other. */
  async wake(session: string | undefined): Promise<void> {
    const named = session === undefined ? [...this.#waiting.keys()] : [session];
    for (const name of named) {
      const waiter = this.#waiting.get(name);
      const pushed = (await waiter?.give()) ?? 0;
      if (pushed > 0) waiter?.done(pushed);
    }
  }
}
