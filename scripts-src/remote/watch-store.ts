import { ConsultaError } from "../base/errors.ts";
import { parseJsonObject } from "../base/json.ts";
import { isLeftBehind, isRunning, processIn, thisProcess } from "../clis/is-running.ts";
import {
  createFileExclusively,
  moveFile,
  textIfSound,
  touchFile,
  uniqueSuffix,
} from "../files/atomic-file.ts";
import { diskFailure } from "../files/disk.ts";
import { discard } from "../files/safe-open.ts";
import type { LogFollower } from "../log/event-log.ts";
import { remoteLimits } from "./limits.ts";
import type { RemoteStore } from "./remote-store.ts";

/**
 * Looks for what is new in a store while somebody waits: often while much happens, seldom later, and of
 * all processes of this machine that wait in one session only one. What it brings into the copy wakes
 * them all, for they watch the session's folder. `file` names the process that looks; `bring` fetches what
 * is new and puts it into the copy.
 */
export class StoreWatch {
  readonly #file: string;
  readonly #open: () => Promise<RemoteStore>;
  readonly #bring: () => Promise<unknown>;
  readonly #follower: LogFollower;
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> | undefined;
  #hasEnded = false;
  #changedAt = Date.now();
  /** How long we last waited for a store that was out of reach; 0 while it answers. */
  #lostMs = 0;
  /** How many lines it had at our last look. */
  #count: number | undefined;
  /** The store called during a look, which may have come too early to see the news. */
  #isAskedAgain = false;
  #stopRinging: (() => void) | undefined;
  #listenedAt = 0;
  #isFaulty = false;

  constructor(
    file: string,
    open: () => Promise<RemoteStore>,
    bring: () => Promise<unknown>,
    follower: LogFollower,
  ) {
    this.#file = file;
    this.#open = open;
    this.#bring = bring;
    this.#follower = follower;
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
    this.#timer = setTimeout(
      () => {
        this.#look = this.#next().finally(() => {
          this.#look = undefined;
          if (this.#isAskedAgain) this.#plan(0);
          this.#isAskedAgain = false;
        });
      },
      // Never all at once, however they began.
      ms * (0.8 + 0.4 * Math.random()),
    );
  }

  async #next(): Promise<void> {
    try {
      if (!mayLook(this.#file)) return this.#plan(remoteLimits.hotMs);
      const store = await this.#open();
      this.#listen(store);
      // What was brought before is no change.
      this.#count ??= await store.count();
      await this.#bring();
      this.#lostMs = 0;
      if (this.#isFaulty) this.#follower.onFault(undefined);
      this.#isFaulty = false;
      const count = await store.count();
      if (count !== this.#count) this.#changedAt = Date.now();
      this.#count = count;
      const isHot = Date.now() - this.#changedAt < remoteLimits.hotForMs;
      this.#plan(isHot ? remoteLimits.hotMs : remoteLimits.coldMs);
    } catch (error) {
      this.#afterFailure(error);
    }
  }

  /** Asks the store to call when there is news; where the last call ended at once, again only after `hotMs`. */
  #listen(store: RemoteStore): void {
    if (this.#stopRinging !== undefined || Date.now() - this.#listenedAt < remoteLimits.hotMs)
      return;
    this.#listenedAt = Date.now();
    const onNews = () => {
      if (this.#look === undefined) this.#plan(0);
      else this.#isAskedAgain = true;
    };
    this.#stopRinging = store.ring?.(onNews, () => {
      this.#stopRinging = undefined;
    });
  }

  /** Whatever it is, only those who wait can tell it: thrown out of a timer it would end the process. */
  #afterFailure(error: unknown): void {
    const cause = diskFailure(error, "look for what other machines appended");
    const isFault = !(cause instanceof ConsultaError && cause.code === "UNAVAILABLE");
    if (isFault) {
      this.#isFaulty = true;
      this.#follower.onFault(cause instanceof Error ? cause : new Error(String(cause)));
      // Somebody who may write there can put it right; nothing comes after a bug.
      if (cause instanceof ConsultaError) this.#plan(remoteLimits.coldMs);
      return;
    }
    if (this.#lostMs === 0) this.#follower.onLost?.(cause);
    const { hotMs, lostMsMax } = remoteLimits;
    this.#lostMs = Math.min(lostMsMax, Math.max(hotMs, 2 * this.#lostMs));
    this.#plan(this.#lostMs);
  }
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

function ownerOf(file: string) {
  const text = textIfSound(file, 4_096);
  return text === undefined ? undefined : processIn(parseJsonObject(text) ?? {});
}
