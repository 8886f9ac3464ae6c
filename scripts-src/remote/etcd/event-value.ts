import { isRecord, parseJson } from "../../base/json.ts";
import { documentsFault, type SizedDocument } from "../validate-document.ts";

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
  const fault = documentsFault([...versions].map(sizedDocument));
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

function sizedDocument([path, version]: readonly [string, string]): SizedDocument {
  return { path, bytes: bytesOf(version) };
}
