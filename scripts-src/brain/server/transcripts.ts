import { constants, fstatSync } from "node:fs";
import { dirname } from "node:path";
import type { SettingsCli } from "../../clis/hook-entries.ts";
import { lstatSync, orNothing } from "../../files/disk.ts";
import { readBytes, withRegularFile } from "../../files/safe-open.ts";
import { type Stop, watchFolder } from "../../files/watch-folder.ts";
import { fileMark } from "../../session/session-list.ts";
import type { TokenUsage } from "../rules/methods.ts";
import {
  ClaudeTranscript,
  CodexTranscript,
  GeminiTranscript,
  type TranscriptScan,
} from "../rules/usage-in-transcript.ts";

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

/** What comes after the last answer may be large: so much is read from the end, and more only where that tells nothing. */
const readBytesMost = [262_144, 8_388_608];
/** So many lines are more than any answer leaves behind it. */
const scanLinesMax = 20_000;

const scans: Readonly<Record<SettingsCli, new () => TranscriptScan>> = {
  claude: ClaudeTranscript,
  gemini: GeminiTranscript,
  codex: CodexTranscript,
};

/**
 * How full a session's context is, by its CLI's transcript. Undefined where nothing tells: no file
 * yet, nothing that may be read, no answer in what is looked at.
 */
export function readUsage(cli: SettingsCli, path: string): TokenUsage | undefined {
  // A hook that cannot tell says nothing: the transcript is the CLI's own business.
  return orNothing(() =>
    withRegularFile(path, constants.O_RDONLY, (file) => usageIn(file, scans[cli])),
  );
}

/** Passes the lines of a file to a scan, last one first, until it has seen enough. */
function usageIn(file: number, Scan: new () => TranscriptScan): TokenUsage | undefined {
  const { size } = fstatSync(file);
  let usage: TokenUsage | undefined;
  for (const most of readBytesMost) {
    const start = Math.max(0, size - most);
    const lines = readBytes(file, start, size - start)
      .toString("utf8")
      .split("\n");
    // Half a line: no scan can read it.
    if (start > 0) lines.shift();
    const scan = new Scan();
    const isEnough = lines
      .slice(-scanLinesMax)
      .reverse()
      .some((line) => scan.take(line));
    usage = scan.usage;
    if (isEnough || start === 0) break;
  }
  return usage;
}
