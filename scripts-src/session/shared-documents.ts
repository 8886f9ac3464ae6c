import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { namesIn, readBytesIfPresent } from "../files/atomic-file.ts";
import { lstatSync } from "../files/disk.ts";
import { resolveProjectFile, safeJoin } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import type { EventDocument } from "../log/event-log.ts";
import type { Addition, FileWanted } from "../protocol/protocol.ts";
import { documentFault } from "../remote/document-path.ts";
import { remoteLimits } from "../remote/limits.ts";
import type { Place } from "./place.ts";
import { withAddition } from "./staged-writes.ts";

/**
 * The documents that go to other machines with an event: those that it was decided on, the one that it
 * names, and what it adds. With the first event go all.
 * @throws ConsultaError REFUSED for one that is too large.
 */
export function documentsOf(
  { folder }: Place,
  event: LogEvent,
  wanted: readonly FileWanted[],
  additions: readonly Addition[],
): EventDocument[] {
  if (event.seq === 1) return allDocuments(folder);
  const named = typeof event["doc"] === "string" ? [event["doc"]] : [];
  const looked = wanted.filter(({ as, up = 0 }) => as !== "names" && up === 0);
  const paths = new Set([...looked.map(({ path }) => path), ...named]);
  for (const { path } of additions) paths.delete(path);
  const added = additions.map((addition) => {
    const before = documentAt(folder, addition.path)?.bytes ?? new Uint8Array();
    return {
      path: addition.path,
      bytes: Buffer.from(withAddition(Buffer.from(before).toString(), addition)),
    };
  });
  const found = [...paths].flatMap((path) => documentAt(folder, path) ?? []);
  return [...found, ...added];
}

/** All documents in a session's folder; what is hidden, and the log, is none. */
export function allDocuments(folder: string): EventDocument[] {
  return pathsBelow(folder, []).flatMap((path) => documentAt(folder, path) ?? []);
}

function pathsBelow(folder: string, names: readonly string[]): string[] {
  const here = safeJoin(folder, ...names);
  const paths: string[] = [];
  for (const name of namesIn(here).sort()) {
    if (name.startsWith(".")) continue;
    const found = lstatSync(safeJoin(here, name), { throwIfNoEntry: false });
    if (found?.isDirectory()) paths.push(...pathsBelow(folder, [...names, name]));
    else if (found?.isFile()) paths.push([...names, name].join("/"));
  }
  return paths;
}

/** Undefined for what is none: it is not there, hidden, or no plain file. */
function documentAt(folder: string, path: string): EventDocument | undefined {
  const plain = path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
  if (documentFault(plain, 0) !== undefined) return undefined;
  const file = resolveProjectFile(folder, plain);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return undefined;
  const fault = documentFault(plain, found.size);
  if (fault !== undefined)
    throw new ConsultaError("REFUSED", `${quote(plain)} ${fault}: make it shorter`);
  const bytes = readBytesIfPresent(file, remoteLimits.documentBytes);
  return bytes && { path: plain, bytes };
}
