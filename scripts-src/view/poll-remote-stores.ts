import type { Session } from "../session/session.ts";
import { FollowedLogs } from "../session/waiting/follow-logs.ts";

/** A session that has not ended, and the key by which pages know it. */
export interface Ongoing {
  readonly key: string;
  readonly session: Session;
}

interface Followed {
  readonly logs: FollowedLogs;
  readonly begun: Promise<void>;
  isShown: boolean;
}

/**
 * Looks, while pages are open, for what other machines append to the sessions that they list, as often as
 * who waits does; to those that no page shows seldom at first. What comes goes into the copies here, of
 * which pages are told as of all that scripts of this machine write.
 */
export class FollowedStores {
  readonly #followed = new Map<string, Followed>();
  readonly #notice: () => void;

  /** `notice` is called where a log is no longer what it was: `check` then says so. */
  constructor(notice: () => void) {
    this.#notice = notice;
  }

  /** Follows these and no others. A session that comes to be shown is looked at at once. */
  follow(sessions: readonly Ongoing[], shown: ReadonlySet<string>): void {
    const keys = new Set(sessions.map(({ key }) => key));
    for (const key of this.#followed.keys()) if (!keys.has(key)) void this.#end(key);
    for (const ongoing of sessions) {
      const isShown = shown.has(ongoing.key);
      const known = this.#followed.get(ongoing.key);
      if (known === undefined) this.#begin(ongoing, isShown, Promise.resolve());
      else if (isShown && !known.isShown) this.#begin(ongoing, isShown, this.#end(ongoing.key));
      else known.isShown = isShown;
    }
  }

  /** @throws ConsultaError REFUSED where the log of this session is not what it was. */
  check(key: string): void {
    this.#followed.get(key)?.logs.check();
  }

  async end(): Promise<void> {
    await Promise.all([...this.#followed.keys()].map((key) => this.#end(key)));
  }

  #begin({ key, session: { log, place } }: Ongoing, isShown: boolean, ended: Promise<void>): void {
    const logs = new FollowedLogs();
    const followed = { log, place, participant: undefined, isUnhurried: !isShown };
    const begun = ended.then(() => logs.begin([followed], this.#notice));
    this.#followed.set(key, { logs, begun, isShown });
  }

  async #end(key: string): Promise<void> {
    const followed = this.#followed.get(key);
    this.#followed.delete(key);
    await followed?.begun;
    await followed?.logs.end();
  }
}
