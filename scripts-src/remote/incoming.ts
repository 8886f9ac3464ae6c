import { type ConsultaError, refused } from "../base/errors.ts";
import { parseJsonObject, quote } from "../base/json.ts";
import { sha256 } from "../files/hash.ts";
import type { LogEvent } from "../log/event.ts";
import { parseLine, toLine } from "../log/log-line.ts";
import { documentFault } from "../session/outgoing-documents.ts";
import { remoteLimits } from "./limits.ts";

/** What of a store is taken at all, whatever the kind of its session: lines, documents, and how the rest is refused. */

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
  throw refused(`${where} ${event}: no script of Consulta wrote it; ask who did`);
}

/** Who says, in a line that was looked at, that they wrote it. */
export function senderOf(line: string): string {
  return eventOf(line).from;
}

/** A document by its size alone. */
export interface SizedDocument {
  readonly path: string;
  readonly bytes: number;
}

/** What no script of Consulta would have stored together; undefined where all may be. */
export function documentsFault(documents: readonly SizedDocument[]): string | undefined {
  if (documents.length > remoteLimits.documents)
    return `has ${documents.length} documents; the limit is ${remoteLimits.documents}`;
  const seen = new Set<string>();
  let sum = 0;
  for (const { path, bytes } of documents) {
    const fault = documentFault(path, bytes);
    if (fault !== undefined) return `has ${quote(path)}, which ${fault}`;
    // On some systems one would replace the other.
    const name = path.normalize("NFC").toLowerCase();
    if (seen.has(name)) return `has ${quote(path)} under two spellings`;
    seen.add(name);
    sum += bytes;
  }
  if (sum <= remoteLimits.documentsBytes) return undefined;
  return `has more than ${remoteLimits.documentsBytes} bytes of documents`;
}

/**
 * Says of what another machine sent that it is left there, with all that follows: `what` tells which it
 * is and what is wrong with it, `remedy` what to do.
 */
export function notTaken(what: string, remedy: string): ConsultaError {
  return refused(`${what}: nothing from there on is taken; ${remedy}`);
}

/** The same of what nothing but a hand, or a program of somebody else's, can have stored there. */
export function forged(what: string, remedy: string): ConsultaError {
  const why = "no script of Consulta wrote it, so nothing from there on is taken";
  return refused(`${what}: ${why}; ${remedy}`);
}

/** What to do about an event that the rules of its session do not take. */
export function newerOrForged(store: "pushed" | "wrote"): string {
  return `update Consulta if the sender's is newer than yours, else ask who ${store} it`;
}

/**
 * Says that what was seen of a session, or what is here of it, is not what the store has: the one failure
 * that stops who only reads, too.
 */
export function rewritten(message: string): ConsultaError {
  return refused(message, { reason: "rewritten" });
}
