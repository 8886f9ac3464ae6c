import { fstatSync } from "node:fs";
import { limits } from "../base/limits.ts";
import { readBytes } from "../files/regular-file.ts";

export interface RawLine {
  /** From 1, blank lines counted. */
  readonly number: number;
  /** Without its newline; of a line that is longer than any event no more than tells so. */
  readonly bytes: Buffer;
}

const newline = 0x0a;
/** No line that a script wrote is longer: an event with the spaces that cover a torn write. */
export const lineBytesMax = limits.pageBytes + 32;

/**
 * The lines of a log as they are, sound or not; a last one without a newline too. Those that others
 * append meanwhile are left out: a writer that is faster than this reader would keep it here for ever.
 */
export function* rawLines(log: number): Generator<RawLine> {
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
