import { ConsultaError } from "../base/errors.ts";
import { parseJsonObject, quote } from "../base/json.ts";
import { sha256 } from "../files/hash.ts";
import type { LogEvent } from "../log/event.ts";
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

/**
 * The event of a line that was looked at before, such as the last one of a store.
 * @throws ConsultaError REFUSED, naming `where`, for a line that is none.
 */
export function eventOf(line: string, where = "a line of the session"): LogEvent {
  const seq = parseJsonObject(line)?.["seq"];
  const event = typeof seq === "number" ? parseLine(line, seq) : "is no event";
  if (typeof event !== "string") return event;
  throw new ConsultaError(
    "REFUSED",
    `${where} ${event}: no script of Consulta wrote it; ask who did`,
  );
}

/** Who says, in a line that was looked at, that they wrote it. */
export function senderOf(line: string): string {
  return eventOf(line).from;
}
