import { sha256 } from "../files/hash.ts";
import type { LogEvent } from "./event.ts";
import { toLine } from "./log-line.ts";

/**
 * Every event that we append has `prev`: the SHA-256, as 64 hex digits, of the line before it, so
 * that a line which somebody changes later no longer fits the one after it. The first event has that
 * of no bytes. Neither the newline counts nor blanks around a line: they may cover a torn write.
 */
export function chainedLine(event: LogEvent, before: Uint8Array | undefined): string {
  return toLine({ ...event, prev: hashOfLine(before ?? new Uint8Array()) });
}

/** What the event after a line has as its `prev`. */
export function hashOfLine(line: Uint8Array): string {
  return sha256(bareLine(line));
}

const blank = 0x20;

/** A line without its newline and the blanks around it. */
export function bareLine(line: Uint8Array): Uint8Array {
  let [from, to] = [0, line.length];
  while (to > from && (line[to - 1] ?? 0) <= blank) to -= 1;
  while (from < to && (line[from] ?? 0) <= blank) from += 1;
  return line.subarray(from, to);
}
