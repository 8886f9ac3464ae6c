import { fstatSync } from "node:fs";
import { limits } from "../base/limits.ts";
import { readBytes } from "../files/regular-file.ts";
import type { LogEvent } from "./event.ts";
import { parseLine } from "./log-line.ts";

const newline = 0x0a;
/** Below this many bytes a scan is quicker than another step of the bisection. */
const scanBytes = 65_536;
const chunkBytes = 16_384;

/** An event of a log, and the byte at which its line begins. */
interface PlacedEvent {
  readonly event: LogEvent;
  readonly offset: number;
}

/**
 * The event with this seq, or undefined when the log has none: found by bisection over byte
 * offsets, because the lines of a log stand in the order of their seqs.
 */
export function findEvent(log: number, seq: number): PlacedEvent | undefined {
  // Both bounds are about where a line may begin.
  let low = 0;
  let high = fstatSync(log).size;
  while (high - low > scanBytes) {
    const middle = low + Math.floor((high - low) / 2);
    // A line that begins at the very middle counts as well.
    const start = startAfter(log, middle - 1, high);
    const found = start === undefined ? undefined : seqAt(log, start);
    if (start === undefined || found === undefined) high = middle;
    else if (found > seq) high = start;
    else low = start;
  }
  for (let start = low; start < high; ) {
    const line = readLine(log, start);
    if (line === undefined) return undefined;
    const event = parseLine(line.toString(), seq);
    if (typeof event !== "string") return { event, offset: start };
    start += line.length + 1;
  }
  return undefined;
}

/** Where the first line after `from` begins, if before `end`. */
function startAfter(log: number, from: number, end: number): number | undefined {
  for (let offset = from; offset < end; offset += chunkBytes) {
    const index = readBytes(log, offset, Math.min(chunkBytes, end - offset)).indexOf(newline);
    if (index !== -1) return offset + index + 1 < end ? offset + index + 1 : undefined;
  }
  return undefined;
}

function seqAt(log: number, start: number): number | undefined {
  const line = readLine(log, start);
  const found = line === undefined ? undefined : /"seq":(\d+)/.exec(line.toString("latin1"))?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The line that begins at `start`, without its newline; undefined when it has no end. */
function readLine(log: number, start: number): Buffer | undefined {
  for (let length = chunkBytes; ; length *= 4) {
    const bytes = readBytes(log, start, Math.min(length, limits.eventLineBytes + 2));
    const end = bytes.indexOf(newline);
    if (end !== -1) return bytes.subarray(0, end);
    if (bytes.length < length) return bytes.length > 0 ? bytes : undefined;
    if (length > limits.eventLineBytes) return undefined;
  }
}
