import { dirname } from "node:path";
import type { SettingsCli } from "../../clis/hook-entries.ts";
import { lstatSync } from "../../files/disk.ts";
import { type Stop, watchFolder } from "../../files/watch-folder.ts";
import { fileMark } from "../../session/session-list.ts";
import type { TokenUsage } from "../rules/methods.ts";
import { readUsage } from "./read-context-usage.ts";

/** The transcript of a session that goes on. */
interface Followed {
  readonly cli: SettingsCli;
  readonly path: string;
  /** The file as it was when it was read last. */
  mark: string;
  /** What it said then. */
  usage: TokenUsage | undefined;
  /** What it says of a context that has been emptied since. */
  outdated: TokenUsage | undefined;
}

const followedMax = 256;
/** A CLI writes many lines in a row. */
const settledMs = 10;

/** Follows the transcripts of sessions, which tell after each answer how full the context is. */
export class Transcripts {
  readonly #changed: (session: string, usage: TokenUsage) => void;
  readonly #followed = new Map<string, Followed>();
  readonly #watched = new Map<string, Promise<Stop>>();
  #timer: NodeJS.Timeout | undefined;

  /** `changed` is called when an answer came. */
  constructor(changed: (session: string, usage: TokenUsage) => void) {
    this.#changed = changed;
  }

  /** What the transcript of a session says now; from here on it is followed. */
  read(session: string, cli: SettingsCli, path: string): TokenUsage | undefined {
    const known = this.#followed.get(session);
    const isKnown = known?.path === path && known.cli === cli;
    const fresh = { cli, path, mark: "", usage: undefined, outdated: undefined };
    const followed: Followed = isKnown ? known : fresh;
    this.#followed.delete(session);
    this.#followed.set(session, followed);
    const [oldest] = this.#followed.keys();
    if (this.#followed.size > followedMax && oldest !== undefined) this.leave(oldest);
    this.#watch(dirname(path));
    readAgain(followed);
    return currentOf(followed);
  }

  /** Takes what the transcript of a session says now for what was before its context was emptied. */
  outdate(session: string): void {
    const followed = this.#followed.get(session);
    if (followed === undefined) return;
    readAgain(followed);
    followed.outdated = followed.usage;
  }

  leave(session: string): void {
    this.#followed.delete(session);
  }

  /** Reads all that have changed. Also for those whose folder was not there yet when they were first named. */
  look(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [session, followed] of this.#followed) {
      this.#watch(dirname(followed.path));
      if (!readAgain(followed)) continue;
      const usage = currentOf(followed);
      if (usage !== undefined) this.#changed(session, usage);
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#followed.clear();
    await Promise.all([...this.#watched.values()].map(async (stop) => (await stop)()));
  }

  #watch(folder: string): void {
    if (this.#watched.has(folder) || lstatSync(folder)?.isDirectory() !== true) return;
    const soon = () => {
      this.#timer ??= setTimeout(() => this.look(), settledMs);
    };
    this.#watched.set(folder, watchFolder(folder, soon));
  }
}

/** False where it is as it was. */
function readAgain(followed: Followed): boolean {
  const status = lstatSync(followed.path);
  const mark = status === undefined ? "" : fileMark(status);
  if (mark === followed.mark) return false;
  followed.mark = mark;
  followed.usage = readUsage(followed.cli, followed.path);
  return true;
}

function currentOf({ usage, outdated }: Followed): TokenUsage | undefined {
  return usage?.current === outdated?.current ? undefined : usage;
}
