import { isUtf8 } from "node:buffer";
import { fstatSync } from "node:fs";
import { parseJsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { sha256 } from "../files/hash.ts";
import { readBytes } from "../files/safe-open.ts";
import { bareLine, parseSharedLine } from "./log-line.ts";

/** What the events' `prev` says about a log. */
export interface ChainCheck {
  /** How many events name the line before them, and name it right. */
  readonly links: number;
  /** How many events have no `prev`: made by others. */
  readonly unchained: number;
  /** The first lines that are not those after which the next event was appended. */
  readonly changed: readonly ChangedLine[];
}

/** `nextSeq` was appended after another line than the one before it; 0 stands for none. */
export interface ChangedLine {
  readonly seq: number;
  readonly line: number;
  readonly nextSeq: number;
}

/** A log without any event. */
export const emptyChain: ChainCheck = { links: 0, unchained: 0, changed: [] };

/** Compares each line of a log with what the next one says of it; blank lines do not count. */
export function checkChain(log: number): ChainCheck {
  const found = { links: 0, unchained: 0, changed: [] as ChangedLine[] };
  let before = { seq: 0, line: 0, hash: sha256(new Uint8Array()) };
  for (const { bytes, number } of rawLines(log)) {
    const bare = bareLine(bytes);
    if (bare.length === 0) continue;
    const seq = before.seq + 1;
    const prev = prevIn(bare);
    if (prev === undefined) found.unchained += 1;
    else if (prev === before.hash) found.links += 1;
    else if (found.changed.length < limits.faultsTold)
      found.changed.push({ seq: before.seq, line: before.line, nextSeq: seq });
    before = { seq, line: number, hash: sha256(bare) };
  }
  return found;
}

/** Undefined where there is none; a line that is no event at all is told as damage. */
function prevIn(line: Uint8Array): unknown {
  return parseJsonObject(Buffer.from(line).toString())?.["prev"];
}

/** Every line of a log that holds no JSON object, with what is wrong; a last torn one too. */
export function findDamage(log: number): string[] {
  const found: string[] = [];
  for (const { bytes, number } of rawLines(log)) report(bytes, number, found);
  return found;
}

function report(line: Buffer, number: number, found: string[]): void {
  // A colleague's reader passes over blank lines.
  if (bareLine(line).length === 0) return;
  const fault = faultOf(line, number);
  if (typeof fault === "string" && found.length <= limits.faultsTold)
    found.push(`events.jsonl line ${number} ${fault}`);
}

function faultOf(line: Buffer, number: number) {
  if (line.length > lineBytesMax)
    return `is longer than the limit of ${limits.eventLineBytes} bytes`;
  return isUtf8(line) ? parseSharedLine(line.toString(), number) : "is not UTF-8";
}

interface RawLine {
  /** From 1, blank lines counted. */
  readonly number: number;
  /** Without its newline; of a line that is longer than any event no more than tells so. */
  readonly bytes: Buffer;
}

const newline = 0x0a;
/** No line that a script wrote is longer: an event with the spaces that cover a torn write. */
const lineBytesMax = limits.pageBytes + 32;

/**
 * The lines of a log as they are, sound or not; a last one without a newline too. Those that others
 * append meanwhile are left out: a writer that is faster than this reader would keep it here for ever.
 */
function* rawLines(log: number): Generator<RawLine> {
  const { size } = fstatSync(log);
  let rest = Buffer.alloc(0);
  let number = 0;
  for (let offset = 0; ; ) {
    const chunk = readBytes(log, offset, limits.pageBytes);
    offset += chunk.length;
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let to = bytes.indexOf(newline); to >= 0; to = bytes.indexOf(newline, from)) {
      if (offset - bytes.length + from >= size) return;
      number += 1;
      yield { number, bytes: bytes.subarray(from, to) };
      from = to + 1;
    }
    rest = Buffer.from(bytes.subarray(from, from + lineBytesMax + 1));
    if (chunk.length === 0) break;
  }
  if (rest.length > 0) yield { number: number + 1, bytes: rest };
}
