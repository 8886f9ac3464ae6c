import { ConsultaError } from "../base/errors.ts";
import { isRecord, parseJson } from "../base/json.ts";
import { lives, thisProcess } from "../clis/process-life.ts";
import {
  createFileExclusively,
  isOlderThan,
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
 * them all, for they watch the session's folder.
 */
export async function watchStore(
  file: string,
  store: RemoteStore,
  bring: () => Promise<unknown>,
  follower: LogFollower,
): Promise<() => Promise<void>> {
  const watch = new StoreWatch(file, store, bring, follower);
  watch.begin();
  return () => watch.end();
}

class StoreWatch {
  readonly #file: string;
  readonly #store: RemoteStore;
  readonly #bring: () => Promise<unknown>;
  readonly #follower: LogFollower;
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> = Promise.resolve();
  #hasEnded = false;
  #changedAt = Date.now();
  #lostMs = 0;
  #count: number | undefined;
  #isLooking = false;
  /** It rang during a look, which may have come too early. */
  #isAskedAgain = false;
  #stopRinging: (() => void) | undefined;
  #listenedAt = 0;

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

  /** The store has told that there is more. */
  #hurry(): void {
    if (this.#isLooking) this.#isAskedAgain = true;
    else this.#plan(0);
  }

  /** Waits for nothing: a store that does not answer is looked at as one that cannot tell. */
  #listen(): void {
    // One that ends at once is not asked for without a pause.
    if (this.#stopRinging !== undefined || Date.now() - this.#listenedAt < remoteLimits.hotMs)
      return;
    this.#listenedAt = Date.now();
    this.#stopRinging = this.#store.ring(
      () => this.#hurry(),
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
      if (cause.code !== "UNAVAILABLE") return this.#follower.onFault(cause);
      // Out of reach for now: who waits goes on waiting.
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
  if (other !== undefined && lives(other) !== false && !isOlderThan(file, remoteLimits.watcherMs))
    return false;
  if (other !== undefined) {
    const aside = `${file}.${uniqueSuffix()}`;
    if (moveFile(file, aside)) discard(aside);
  }
  return createFileExclusively(file, `${JSON.stringify(thisProcess())}\n`, { sync: "nothing" });
}

function isOurs(file: string): boolean {
  const owner = ownerOf(file);
  return owner?.pid === process.pid && lives(owner) !== undefined;
}

function ownerOf(file: string) {
  const text = textIfSound(file, 4_096);
  if (text === undefined) return undefined;
  const value = parseJson(text);
  const { pid, host } = isRecord(value) ? value : {};
  return {
    pid: typeof pid === "number" ? pid : -1,
    host: typeof host === "string" ? host : undefined,
  };
}
