import type { JsonValue } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { readFileIfPresent, writeFileAtomically } from "../files/atomic-file.ts";
import { orNothing } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { readBytes } from "../files/safe-open.ts";
import { isSigned, sign } from "../files/user-key.ts";
import type { LogPosition } from "./log-page.ts";

/** A value folded from the log up to `place`. */
export interface PlacedValue {
  readonly place: LogPosition;
  readonly value: JsonValue;
}

/** What a checkpoint holds after its signature: `line` is the hash of the last line that it covers. */
interface Stored extends LogPosition {
  readonly line: string;
  readonly value: JsonValue;
}

const newline = 0x0a;
const nearBytes = 4_096;
/** A signature and its blank are shorter. */
const headBytes = 128;

/** Replaces the checkpoint at `path`, signed under the user's key: it is for this log and no other. */
export function writeCheckpoint(path: string, log: number, { place, value }: PlacedValue): void {
  const line = readLineBefore(log, place.offset);
  if (line === undefined) return;
  const { seq, offset } = place;
  const text = JSON.stringify({ seq, offset, line: sha256(line), value } satisfies Stored);
  if (Buffer.byteLength(text) > limits.pageBytes) return;
  const proof = sign(signedText(text));
  if (proof !== undefined) writeFileAtomically(path, `${proof} ${text}\n`, { sync: "nothing" });
}

/**
 * The checkpoint at `path` if a script of this user made it from this log: every other one is as
 * good as none. Nothing of it is parsed before that is sure.
 */
export function readCheckpoint(path: string, log: number): PlacedValue | undefined {
  const file = orNothing(() => readFileIfPresent(path, limits.pageBytes + headBytes)) ?? "";
  const end = file.indexOf(" ");
  const text = file.slice(end + 1, -1);
  if (end < 0 || !file.endsWith("\n") || !isSigned(signedText(text), file.slice(0, end)))
    return undefined;
  const { seq, offset, line, value }: Stored = JSON.parse(text);
  const found = readLineBefore(log, offset);
  const isSame = found !== undefined && sha256(found) === line;
  return isSame ? { place: { seq, offset }, value } : undefined;
}

function signedText(text: string): string {
  return `checkpoint ${text}`;
}

/** The line that ends at `offset`, with its newline if it has one. */
export function readLineBefore(log: number, offset: number): Buffer | undefined {
  for (const reach of [nearBytes, 16 * nearBytes, limits.eventLineBytes + 2]) {
    const from = Math.max(0, offset - reach);
    const bytes = readBytes(log, from, offset - from);
    if (bytes.length < offset - from || bytes.length < 2) return undefined;
    const start = bytes.lastIndexOf(newline, bytes.length - 2) + 1;
    if (start > 0 || from === 0) return bytes.subarray(start);
  }
  return undefined;
}
