import { isRecord, parseJson } from "../../base/json.ts";
import { documentsFault } from "../incoming.ts";

/** Below this is all that Consulta keeps in a cluster: a user needs no right to anything else. */
const prefix = "consulta/";

/** One empty key for each session, to list them by. */
export const sessionsPrefix = `${prefix}sessions/`;

export function sessionKey(session: string): string {
  return `${sessionsPrefix}${session}`;
}

/** In the order of the events. */
export function eventKey(session: string, seq: number): string {
  return `${prefix}events/${session}/${String(seq).padStart(12, "0")}`;
}

/** What no event of the session is at or after. */
export function afterEvents(session: string): string {
  return `${prefix}events/${session}/:`;
}

/** What no event of the session, nor of the log beside it, is at or after. */
export function afterSession(session: string): string {
  return afterPrefix(`${prefix}events/${session}/`);
}

/** The person's own log of a session, beside the session's: no session has such a name. */
export function besideSession(session: string): string {
  return `${session}/_person`;
}

/** One part of the bytes of a document. */
export function partKey(session: string, version: string, part: number): string {
  return `${prefix}documents/${session}/${version}/${part}`;
}

/**
 * Made by the same transaction as an event: who may make keys below `consulta/senders/NAME/` is who may
 * write as NAME, which the cluster itself sees to.
 */
export function senderKey(session: string, sender: string, seq: number): string {
  return `${prefix}senders/${encodeURIComponent(sender)}/${session}/${String(seq).padStart(12, "0")}`;
}

/** The first key after all that begin with `start`. */
export function afterPrefix(start: string): string {
  return `${start.slice(0, -1)}${String.fromCharCode(start.charCodeAt(start.length - 1) + 1)}`;
}

/** Keys and values as the gateway takes and gives them. */
export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** The text of such a value; empty where there is none. */
export function fromBase64(value: unknown): string {
  return Buffer.from(String(value ?? ""), "base64").toString("utf8");
}

/**
 * The documents of a session by their paths: of each its SHA-256 and its size, as `HEX.BYTES`, by which
 * its bytes are stored.
 */
export type Versions = ReadonlyMap<string, string>;

/** What an event changes of them: null for one that is no longer there. */
export type Changes = Readonly<Record<string, string | null>>;

/** What is stored of an event: its line, then on a line of its own what it changes, if anything. */
export function eventValue(line: string, changes: Changes): string {
  return Object.keys(changes).length === 0 ? line : `${line}\n${JSON.stringify(changes)}`;
}

export interface StoredEvent {
  readonly line: string;
  readonly versions: Versions;
}

/** The event in a stored value, with the documents as of then; or why no script of Consulta stored it. */
export function eventIn(value: string, before: Versions): StoredEvent | string {
  const end = value.indexOf("\n");
  const line = end < 0 ? value : value.slice(0, end);
  const changes = end < 0 ? {} : parseJson(value.slice(end + 1));
  if (!isChanges(changes)) return "has no readable list of documents";
  const versions = changed(before, changes);
  const sizes = [...versions].map(([path, version]) => ({ path, bytes: bytesOf(version) }));
  const fault = documentsFault(sizes);
  return fault ?? { line, versions };
}

export function changed(before: Versions, changes: Changes): Map<string, string> {
  const versions = new Map(before);
  for (const [path, version] of Object.entries(changes)) {
    if (version === null) versions.delete(path);
    else versions.set(path, version);
  }
  return versions;
}

const versionForm = /^[0-9a-f]{64}\.(?:0|[1-9]\d{0,8})$/;

export function isVersion(value: unknown): value is string {
  return typeof value === "string" && versionForm.test(value);
}

/** How many bytes a document of this version has. */
export function bytesOf(version: string): number {
  return Number(version.slice(65));
}

function isChanges(value: unknown): value is Changes {
  return isRecord(value) && Object.values(value).every((it) => it === null || isVersion(it));
}
