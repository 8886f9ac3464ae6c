import { isUtf8 } from "node:buffer";
import { closeSync, constants, existsSync, fstatSync, futimesSync } from "node:fs";
import { join } from "node:path";
import { type ConsultaError, refused } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import {
  discardIfOld,
  linkUnlessTaken,
  namesIn,
  readBytesIfPresent,
  readWhole,
  uniqueSuffix,
  writeNewFile,
} from "../files/atomic-file.ts";
import { isErrno } from "../files/disk.ts";
import { discard, openRegularFile } from "../files/safe-open.ts";
import { parseLine } from "./log-line.ts";

/** The promise that `bytes` will stand at `offset` of the log, as the line of event `seq`. */
export interface Commit {
  readonly seq: number;
  readonly offset: number;
  readonly bytes: Buffer;
}

const draftPrefix = "tmp-";
const draftAgeMs = 60_000;
const newline = 0x0a;
/** A line padded over the longest torn write, its offset and two newlines. */
const commitBytes = limits.pageBytes + 32;

/**
 * The commits of one log: a file per seq, complete as soon as it has its name, which holds the
 * offset on its first line and then the bytes.
 *
 * A draft is not synced before it gets its name, so a power cut may leave a name with half a file
 * or none after it. Nobody may delete such a name, since another process may take the place in
 * between; it is passed over, and the next name of that seq counts: 7, then 7.1, then 7.2.
 */
export class CommitFolder {
  readonly #path: string;
  readonly #shown: string;

  /** `shown` is its path for people, where the folder is held under another one. */
  constructor(path: string, shown = path) {
    this.#path = path;
    this.#shown = shown;
  }

  /** Writes a commit that has no name yet; returns the draft's path, and its file open. */
  draft(commit: Commit): { path: string; file: number } {
    const path = join(this.#path, `${draftPrefix}${uniqueSuffix()}`);
    const content = Buffer.concat([Buffer.from(`${commit.offset}\n`), commit.bytes]);
    try {
      writeNewFile(path, content, { sync: "nothing" });
      return { path, file: openRegularFile(path, constants.O_RDONLY) };
    } catch (error) {
      discard(path);
      throw error;
    }
  }

  /** Names a draft; false when that name is taken. */
  claim(seq: number, turn: number, draft: string): boolean {
    return linkUnlessTaken(draft, this.path(seq, turn));
  }

  /** The commit of `seq` if there is one, and the turn of its name or of the next free one. */
  find(seq: number): { turn: number; commit?: Commit } {
    for (let turn = 0; ; turn += 1) {
      const commit = this.#read(seq, turn);
      if (commit === undefined) return { turn };
      if (commit !== "torn") return { turn, commit };
    }
  }

  #read(seq: number, turn: number): Commit | "torn" | undefined {
    const content = readBytesIfPresent(this.path(seq, turn), commitBytes);
    return content === undefined ? undefined : parseCommit(content, seq);
  }

  /**
   * Like `find`, with the file open to be marked: it stays the commit's own, no matter who gets the name next.
   * The caller closes it.
   */
  open(seq: number): { commit: Commit; file: number } | undefined {
    for (let turn = 0; ; turn += 1) {
      const path = this.path(seq, turn);
      const file = openIfPresent(path);
      if (file === undefined) return undefined;
      let commit: Commit | "torn" = "torn";
      try {
        commit = parseCommit(readWhole(file, path, commitBytes), seq);
      } finally {
        if (commit === "torn") closeSync(file);
      }
      if (commit !== "torn") return { commit, file };
    }
  }

  /** The seqs that have a commit, in no order; sweeps the drafts of dead writers on the way. */
  list(): number[] {
    const names = namesIn(this.#path);
    for (const name of names) {
      if (name.startsWith(draftPrefix)) discardIfOld(join(this.#path, name), draftAgeMs);
    }
    const seqs = names
      .filter((name) => /^[1-9]\d{0,14}(?:\.\d+)?$/.test(name))
      .map(Number.parseFloat);
    return [...new Set(seqs.map(Math.floor))];
  }

  /** Removes all names of a seq whose line is durable in the log. */
  remove(seq: number): void {
    for (let turn = 0; turn === 0 || existsSync(this.path(seq, turn)); turn += 1) {
      discard(this.path(seq, turn));
    }
  }

  damaged(seq: number): ConsultaError {
    const reason = `${join(this.#shown, String(seq))} is not a commit that fits the log`;
    return refused(`${reason}: run validate, then delete that file`);
  }

  /** What is there before the log has its first event. */
  early(seq: number): ConsultaError {
    const reason = `${this.#shown} holds event ${seq} of a log that has none: no script of yours put it there`;
    return refused(`${reason}; remove that folder and run this again`);
  }

  path(seq: number, turn: number): string {
    return join(this.#path, turn === 0 ? String(seq) : `${seq}.${turn}`);
  }
}

/** Tells the writer of a commit that others write it into the log. */
export function markCommit(file: number): void {
  futimesSync(file, markedMs, markedMs);
}

export function isCommitMarked(file: number): boolean {
  return fstatSync(file).mtimeMs === markedMs;
}

/** No file is written at this time: it shows on the file, whatever names it has, and in no line. */
const markedMs = 0;

function openIfPresent(path: string): number | undefined {
  try {
    // Windows marks only what may be written.
    return openRegularFile(path, constants.O_RDWR);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

function parseCommit(content: Buffer, seq: number): Commit | "torn" {
  const split = content.indexOf(newline);
  const offset = content.toString("latin1", 0, Math.max(0, split));
  const bytes = content.subarray(split + 1);
  if (!/^\d{1,15}$/.test(offset) || !isEventLine(bytes, seq)) return "torn";
  return { seq, offset: Number(offset), bytes };
}

function isEventLine(bytes: Buffer, seq: number): boolean {
  if (bytes.at(-1) !== newline || !isUtf8(bytes)) return false;
  const line = bytes.toString("utf8", bytes[0] === newline ? 1 : 0, bytes.length - 1);
  return !line.includes("\n") && typeof parseLine(line, seq) !== "string";
}
