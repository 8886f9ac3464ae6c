import { isUtf8 } from "node:buffer";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import {
  discardIfOld,
  linkUnlessTaken,
  namesIn,
  readBytesIfPresent,
  uniqueSuffix,
  writeNewFile,
} from "./atomic-file.ts";
import { parseLine } from "./log-line.ts";
import { discard } from "./regular-file.ts";

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
 * or none behind it. Nobody may delete such a name, since another process may take the place in
 * between; it is passed over, and the next name of that seq counts: 7, then 7.1, then 7.2.
 */
export class CommitFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Writes a commit that has no name yet; gives the draft's path. */
  draft(commit: Commit): string {
    const path = join(this.#path, `${draftPrefix}${uniqueSuffix()}`);
    const content = Buffer.concat([Buffer.from(`${commit.offset}\n`), commit.bytes]);
    try {
      writeNewFile(path, content, { sync: "nothing" });
    } catch (error) {
      discard(path);
      throw error;
    }
    return path;
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
    if (content === undefined) return undefined;
    const split = content.indexOf(newline);
    const offset = content.toString("latin1", 0, Math.max(0, split));
    const bytes = content.subarray(split + 1);
    if (!/^\d{1,15}$/.test(offset) || !isEventLine(bytes, seq)) return "torn";
    return { seq, offset: Number(offset), bytes };
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
    const reason = `${this.path(seq, 0)} is not a commit that fits the log`;
    return new ConsultaError("REFUSED", `${reason}: run validate, then delete that file`);
  }

  path(seq: number, turn: number): string {
    return join(this.#path, turn === 0 ? String(seq) : `${seq}.${turn}`);
  }
}

function isEventLine(bytes: Buffer, seq: number): boolean {
  if (bytes.at(-1) !== newline || !isUtf8(bytes)) return false;
  const line = bytes.toString("utf8", bytes[0] === newline ? 1 : 0, bytes.length - 1);
  return !line.includes("\n") && typeof parseLine(line, seq) !== "string";
}
