import { isUtf8 } from "node:buffer";
import { limits } from "../base/limits.ts";
import { parseSharedLine } from "./log-line.ts";
import { lineBytesMax, rawLines } from "./raw-lines.ts";

const blank = 0x20;

/** Every line of a log that holds no JSON object, with what is wrong; a last torn one too. */
export function findDamage(log: number): string[] {
  const found: string[] = [];
  for (const { bytes, number } of rawLines(log)) report(bytes, number, found);
  return found;
}

function report(line: Buffer, number: number, found: string[]): void {
  // A colleague's reader passes over blank lines.
  if (line.every((byte) => byte <= blank)) return;
  const fault = faultOf(line, number);
  if (typeof fault === "string" && found.length <= limits.faultsTold)
    found.push(`events.jsonl line ${number} ${fault}`);
}

function faultOf(line: Buffer, number: number) {
  if (line.length > lineBytesMax)
    return `is longer than the limit of ${limits.eventLineBytes} bytes`;
  return isUtf8(line) ? parseSharedLine(line.toString(), number) : "is not UTF-8";
}
