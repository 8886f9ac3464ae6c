import { quote } from "../base/json.ts";
import { sha256 } from "../files/sha256.ts";
import { parseLine, toLine } from "../log/log-line.ts";

/**
 * Why a line is not the one that a script of Consulta would have written as event `seq` after the line
 * `before`, to follow the line's name; undefined where it is.
 */
export function lineFault(line: string, seq: number, before: string): string | undefined {
  const event = parseLine(line, seq);
  if (typeof event === "string") return event;
  if (event["prev"] !== sha256(before))
    return `has ${quote(event["prev"])} as the hash of the event before`;
  return toLine(event) === line ? undefined : "is not written as our scripts write";
}

/** Who says, in a line that is sound, that they wrote it. */
export function senderOf(line: string): string {
  const { from }: { from: string } = JSON.parse(line);
  return from;
}
