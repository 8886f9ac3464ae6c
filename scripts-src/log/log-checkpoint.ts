import { fstatSync } from "node:fs";
import { ConsultaError } from "../base/errors.ts";
import type { JsonValue } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { readFileIfPresent, writeFileAtomically } from "../files/atomic-file.ts";
import { readBytes } from "../files/safe-open.ts";
import { isSigned, sign } from "../files/user-key.ts";
import type { LogPosition } from "./log-page.ts";

/** A value folded from the log up to `place`. */
export interface PlacedValue {
  readonly place: LogPosition;
  readonly value: JsonValue;
}

const newline = 0x0a;
const nearBytes = 16_384;
/** A head and its proof are shorter. */
const headBytes = 128;

/**
 * Replaces the checkpoint at `path`. `line` is the last line that it covers, with its newline; the
 * proof under the user's key is for that line and no other.
 */
export function writeCheckpoint(path: string, line: Buffer, { place, value }: PlacedValue): void {
  const head = `2 ${place.seq} ${place.offset} ${line.length}`;
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > limits.pageBytes) return;
  const proof = sign(provedBytes(head, text, line));
  if (proof !== undefined) {
    writeFileAtomically(path, `${head} ${proof} ${text}\n`, { sync: "nothing" });
  }
}

/**
 * The checkpoint at `path` if a script of this user made it from this log: every other one is as
 * good as none. Nothing of it is parsed before that is sure.
 */
export function readCheckpoint(path: string, log: number): PlacedValue | undefined {
  const stored = splitCheckpoint(readText(path) ?? "");
  if (stored === undefined) return undefined;
  const { seq, offset, length } = stored;
  if (length > limits.eventLineBytes + limits.pageBytes || offset > fstatSync(log).size) {
    return undefined;
  }
  // One read returns the last line and the newline before it.
  const start = offset - length;
  const bytes = readBytes(log, Math.max(0, start - 1), offset - Math.max(0, start - 1));
  const line = start === 0 ? bytes : bytes.subarray(1);
  if (start > 0 && bytes[0] !== newline) return undefined;
  if (!isSigned(provedBytes(stored.head, stored.text, line), stored.proof)) return undefined;
  const value: JsonValue = JSON.parse(stored.text);
  return { place: { seq, offset }, value };
}

function readText(path: string): string | undefined {
  try {
    return readFileIfPresent(path, limits.pageBytes + headBytes);
  } catch (error) {
    // What is no checkpoint does no harm: the log has everything.
    if (error instanceof ConsultaError) return undefined;
    throw error;
  }
}

/** The parts of a checkpoint, not believed yet. */
function splitCheckpoint(file: string) {
  const [, first, second, third, proof = ""] = file.slice(0, headBytes).split(" ", 5);
  const [seq, offset, length] = [Number(first), Number(second), Number(third)];
  const head = `2 ${seq} ${offset} ${length}`;
  const whole = `${head} ${proof} `;
  if (!file.startsWith(whole) || !file.endsWith("\n")) return undefined;
  if (!(seq >= 1 && length >= 1 && length <= offset)) return undefined;
  return { seq, offset, length, head, proof, text: file.slice(whole.length, -1) };
}

function provedBytes(head: string, text: string, line: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${head} ${text}\n`), line]);
}

/** The line that ends at `offset`, with its newline if it has one. */
export function readLineBefore(log: number, offset: number): Buffer | undefined {
  for (const reach of [nearBytes, limits.eventLineBytes + 2]) {
    const from = Math.max(0, offset - reach);
    const bytes = readBytes(log, from, offset - from);
    if (bytes.length < offset - from || bytes.length < 2) return undefined;
    const start = bytes.lastIndexOf(newline, bytes.length - 2) + 1;
    if (start > 0 || from === 0) return bytes.subarray(start);
  }
  return undefined;
}
