import { isUtf8 } from "node:buffer";
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
 */
export class CommitFolder {
  readonly #path: string;
  readonly #durable: boolean;

  constructor(path: string, durable: boolean) {
    this.#path = path;
    this.#durable = durable;
  }

  /** Writes a commit that has no name yet; gives the draft's path. */
  draft(commit: Commit): string {
    const path = join(this.#path, `${draftPrefix}${uniqueSuffix()}`);
    const content = Buffer.concat([Buffer.from(`${commit.offset}\n`), commit.bytes]);
    try {
      writeNewFile(path, content, { durable: this.#durable });
    } catch (error) {
      discard(path);
      throw error;
    }
    return path;
  }

  /** Names a draft; false when that seq has a commit already. */
  claim(seq: number, draft: string): boolean {
    return linkUnlessTaken(draft, this.path(seq));
  }

  /** The commit of `seq`, or undefined when there is none (any more). */
  read(seq: number): Commit | "damaged" | undefined {
    const content = readBytesIfPresent(this.path(seq), commitBytes);
    if (content === undefined) return undefined;
    const split = content.indexOf(newline);
    const offset = content.toString("latin1", 0, Math.max(0, split));
    const bytes = content.subarray(split + 1);
    if (!/^\d{1,15}$/.test(offset) || !isEventLine(bytes, seq)) return "damaged";
    return { seq, offset: Number(offset), bytes };
  }

  /** The seqs that have a commit, in no order; sweeps the drafts of dead writers on the way. */
  list(): number[] {
    const names = namesIn(this.#path);
    for (const name of names) {
      if (name.startsWith(draftPrefix)) discardIfOld(join(this.#path, name), draftAgeMs);
    }
    return names.filter((name) => /^[1-9]\d{0,14}$/.test(name)).map(Number);
  }

  remove(seq: number): void {
    discard(this.path(seq));
  }

  damaged(seq: number): ConsultaError {
    const reason = `${this.path(seq)} is not a commit that fits the log`;
    return new ConsultaError("REFUSED", `${reason}: run validate, then delete that file`);
  }

  path(seq: number): string {
    return join(this.#path, String(seq));
  }
}

function isEventLine(bytes: Buffer, seq: number): boolean {
  if (bytes.at(-1) !== newline || !isUtf8(bytes)) return false;
  const line = bytes.toString("utf8", bytes[0] === newline ? 1 : 0, bytes.length - 1);
  return !line.includes("\n") && typeof parseLine(line, seq) !== "string";
}
