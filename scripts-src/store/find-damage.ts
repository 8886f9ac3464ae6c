import { isUtf8 } from "node:buffer";
import { limits } from "../core/limits.ts";
import { parseSharedLine, wordsForOthers } from "./log-line.ts";
import { readBytes } from "./regular-file.ts";

const newline = 0x0a;
const blank = 0x20;
/** No line that a script wrote is longer: an event with the spaces that cover a torn write. */
const lineBytesMax = limits.pageBytes + 32;

/**
 * Every line of a log that holds no JSON object, with what is wrong; a last torn one too. Of a line that is
 * longer than any event no more is kept than tells so.
 */
export function findDamage(log: number): string[] {
  const found: string[] = [];
  let rest = Buffer.alloc(0);
  let number = 0;
  for (let offset = 0; ; ) {
    const chunk = readBytes(log, offset, limits.pageBytes);
    offset += chunk.length;
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let to = bytes.indexOf(newline); to >= 0; to = bytes.indexOf(newline, from)) {
      number += 1;
      report(bytes.subarray(from, to), number, found);
      from = to + 1;
    }
    rest = Buffer.from(bytes.subarray(from, from + lineBytesMax + 1));
    if (chunk.length === 0) break;
  }
  if (rest.length > 0) report(rest, number + 1, found);
  return found;
}

function report(line: Buffer, number: number, found: string[]): void {
  // A colleague's reader passes over blank lines.
  if (line.every((byte) => byte <= blank)) return;
  const fault = faultOf(line, number);
  if (typeof fault === "string" && found.length <= limits.faultsTold)
    found.push(`events.jsonl line ${number}: ${wordsForOthers(fault)}`);
}

function faultOf(line: Buffer, number: number) {
  if (line.length > lineBytesMax)
    return `is longer than the limit of ${limits.eventLineBytes} bytes`;
  return isUtf8(line) ? parseSharedLine(line.toString(), number) : "is not UTF-8";
}
