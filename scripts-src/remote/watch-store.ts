import { ConsultaError } from "../base/errors.ts";
import { parseJsonObject } from "../base/json.ts";
import {
  isLeftBehind,
  isRunning,
  type ProcessName,
  processIn,
  thisProcess,
} from "../clis/is-running.ts";
import {
  createFileExclusively,
  moveFile,
  textIfSound,
  touchFile,
  uniqueSuffix,
} from "../files/atomic-file.ts";
import { diskFailure } from "../files/errno.ts";
import { discard } from "../files/regular-file.ts";
import type { LogFollower } from "../log/event-log.ts";
import { remoteLimits } from "./limits.ts";
import type { RemoteStore } from "./remote-store.ts";

/**
 * Looks for what is new in a store while somebody waits: often while much happens, seldom later, and of
 * all processes of this machine that wait in one session only one. What it brings into the copy wakes
 * them all, for they watch the session's folder. `file` names the process that looks; `bring` fetches what
 * is new and puts it into the copy.
 */
export function watchStore(
  file: string,
  store: RemoteStore,
  bring: () => Promise<unknown>,
  follower: LogFollower,
): StoreWatch {
  const watch = new StoreWatch(file, store, bring, follower);
  watch.begin();
  return watch;
}

class StoreWatch {
  readonly #file: string;
  readonly #store: RemoteStore;
  readonly #bring: () => Promise<unknown>;
  readonly #follower: LogFollower;
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> = Promise.resolve();
  #hasEnded = false;
  /** When we last saw that the number of its lines had changed; at first when we began. */
  #changedAt = Date.now();
  /** How long we last waited for a store that was out of reach; 0 while it answers. */
  #lostMs = 0;
  /** How many lines it had at our last look; undefined before the first. */
  #count: number | undefined;
  #isLooking = false;
  /** The store called during a look, which may have come too early to see the news. */
  #isAskedAgain = false;
  #stopRinging: (() => void) | undefined;
  /** When we last asked the store to call us. */
  #listenedAt = 0;
  /** The follower was told of a fault of the log, which may be put right. */
  #isFaulty = false;

  constructor(
    file: string,
    store: RemoteStore,
    bring: () => Promise<unknown>,
    follower: LogFollower,
  ) {
    this.#file = file;
    this.#store = store;
    this.#bring = bring;
    this.#follower = follower;
    // As if the last change were long ago: we look seldom until there is one.
    if (follower.isUnhurried === true) this.#changedAt -= remoteLimits.hotForMs;
  }

  begin(): void {
    this.#plan(0);
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    await this.#look;
    this.#stopRinging?.();
    if (isOurs(this.#file)) discard(this.#file);
  }

  #plan(ms: number): void {
    if (this.#hasEnded) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isLooking = true;
      this.#look = this.#next().finally(() => {
        this.#isLooking = false;
        if (this.#isAskedAgain) this.#plan(0);
        this.#isAskedAgain = false;
      });
    }, ms);
  }

  /** Looks at once, unless it is looking. */
  hurry(): void {
    if (!this.#isLooking) this.#plan(0);
  }

  /** The store has told that there is more. */
  #lookAgain(): void {
    if (this.#isLooking) this.#isAskedAgain = true;
    else this.#plan(0);
  }

  /**
   * Asks the store to call us when there is news. We do not wait for its answer: until it calls, we look at
   * it by the clock.
   */
  #listen(): void {
    // Where the last call ended at once, we ask again only after `hotMs`.
    if (this.#stopRinging !== undefined || Date.now() - this.#listenedAt < remoteLimits.hotMs)
      return;
    this.#listenedAt = Date.now();
    this.#stopRinging = this.#store.ring(
      () => this.#lookAgain(),
      () => {
        this.#stopRinging = undefined;
      },
    );
  }

  async #next(): Promise<void> {
    try {
      if (!mayLook(this.#file)) return this.#plan(jittered(remoteLimits.hotMs));
      this.#listen();
      // What was brought before is no change.
      this.#count ??= await this.#store.count();
      if (await this.#store.hasNews()) await this.#bring();
      const attending = await this.#store.attending();
      if (attending !== undefined) this.#follower.onAttending?.(attending);
      this.#lostMs = 0;
      if (this.#isFaulty) this.#follower.onFault(undefined);
      this.#isFaulty = false;
      const count = await this.#store.count();
      if (count !== this.#count) this.#changedAt = Date.now();
      this.#count = count;
      const isHot = Date.now() - this.#changedAt < remoteLimits.hotForMs;
      this.#plan(jittered(isHot ? remoteLimits.hotMs : remoteLimits.coldMs));
    } catch (error) {
      // A disk may fail here as well. Whatever it is, only those who wait can tell it: thrown out of a
      // timer it would end the process in the middle.
      const cause = diskFailure(error, "look for what other machines appended");
      if (!(cause instanceof ConsultaError)) return this.#follower.onFault(asError(error));
      if (cause.code !== "UNAVAILABLE") {
        this.#isFaulty = true;
        this.#follower.onFault(cause);
        // Whoever may write there can put it right.
        this.#plan(jittered(remoteLimits.coldMs));
        return;
      }
      // Out of reach for now: who waits goes on waiting.
      if (this.#lostMs === 0) this.#follower.onLost?.(cause);
      this.#lostMs = Math.min(
        remoteLimits.lostMsMax,
        Math.max(remoteLimits.hotMs, 2 * this.#lostMs),
      );
      this.#plan(jittered(this.#lostMs));
    }
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Never all at once, however they began. */
function jittered(ms: number): number {
  return ms * (0.8 + 0.4 * Math.random());
}

/** Whether it is this process that looks; it takes over from one that is gone. */
function mayLook(file: string): boolean {
  if (isOurs(file)) {
    touchFile(file, Date.now() / 1_000);
    return true;
  }
  const other = ownerOf(file);
  if (other !== undefined && !isLeftBehind(file, other, remoteLimits.watcherMs)) return false;
  if (other !== undefined) {
    const aside = `${file}.${uniqueSuffix()}`;
    if (moveFile(file, aside)) discard(aside);
  }
  return createFileExclusively(file, `${JSON.stringify(thisProcess())}\n`, { sync: "nothing" });
}

function isOurs(file: string): boolean {
  const owner = ownerOf(file);
  // `isRunning` is undefined where the owner is on another host: there our pid is another process.
  return owner?.pid === process.pid && isRunning(owner) !== undefined;
}

function ownerOf(file: string): ProcessName | undefined {
  const text = textIfSound(file, 4_096);
  return text === undefined ? undefined : processIn(parseJsonObject(text) ?? {});
}
