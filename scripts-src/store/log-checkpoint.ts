import { fstatSync } from "node:fs";
import { ConsultaError } from "../core/errors.ts";
import { isRecord, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { readFileIfPresent, writeFileAtomically } from "./atomic-file.ts";
import { checksum } from "./checksum.ts";
import type { Place } from "./log-page.ts";
import { readBytes } from "./regular-file.ts";

/** A value folded from the log up to `place`. */
export interface PlacedValue {
  readonly place: Place;
  readonly value: JsonValue;
}

/** What ties a checkpoint to its log: the last line it covers. */
interface LastLine {
  readonly length: number;
  readonly fingerprint: string;
}

const version = 1;
const newline = 0x0a;
const nearBytes = 16_384;

/** Replaces the checkpoint at `path`; `line` is the last line that it covers, with its newline. */
export function writeCheckpoint(path: string, line: Buffer, { place, value }: PlacedValue): void {
  const fingerprint = checksum(line);
  const content = JSON.stringify({ version, ...place, length: line.length, fingerprint, value });
  const bytes = Buffer.from(content);
  if (bytes.length <= limits.pageBytes)
    writeFileAtomically(path, `${checksum(bytes)} ${content}\n`, { sync: "nothing" });
}

/** The checkpoint at `path` if it is whole and was made from this log. */
export function readCheckpoint(path: string, log: number): PlacedValue | undefined {
  const stored = parseCheckpoint(readText(path) ?? "");
  if (stored === undefined) return undefined;
  const { offset } = stored.place;
  if (offset > fstatSync(log).size) return undefined;
  // One read gives the last line and the newline before it.
  const start = offset - stored.length;
  const bytes = readBytes(log, Math.max(0, start - 1), offset - Math.max(0, start - 1));
  const line = start === 0 ? bytes : bytes.subarray(1);
  if (start > 0 && bytes[0] !== newline) return undefined;
  return checksum(line) === stored.fingerprint ? stored : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileIfPresent(path, limits.pageBytes + 16);
  } catch (error) {
    // Whatever stands there instead of a checkpoint, the log itself has everything.
    if (error instanceof ConsultaError) return undefined;
    throw error;
  }
}

function parseCheckpoint(text: string): (PlacedValue & LastLine) | undefined {
  const content = text.slice(9, -1);
  if (!content.startsWith("{") || text !== `${checksum(Buffer.from(content))} ${content}\n`) {
    return undefined;
  }
  const stored: JsonValue = JSON.parse(content);
  if (!isRecord(stored) || stored["version"] !== version) return undefined;
  const { seq, offset, length, fingerprint, value } = stored;
  if (!isCount(seq) || !isCount(offset) || !isCount(length) || length > offset) return undefined;
  if (typeof fingerprint !== "string" || value === undefined) return undefined;
  return { place: { seq, offset }, length, fingerprint, value };
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
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
