import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { namesIn, readBytesIfPresent } from "../files/atomic-file.ts";
import { lstatSync } from "../files/disk.ts";
import { resolveProjectFile, safeJoin } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import type { EventDocument } from "../log/event-log.ts";
import type { Addition, FileWanted } from "../protocol/protocol.ts";
import { documentFault, isMark } from "../remote/document-path.ts";
import { remoteLimits } from "../remote/limits.ts";
import { readFiles } from "./read-files.ts";
import type { Session } from "./session.ts";
import { withAddition } from "./staged-writes.ts";

/** An event that is about to be appended to a session, with what it was decided on and what it adds. */
export interface Appending {
  readonly event: LogEvent;
  readonly participant: string;
  readonly wanted: readonly FileWanted[];
  readonly additions: readonly Addition[];
}

/**
 * The documents that go to other machines with an event: those that it was decided on, the one that it
 * names, those that its author writes, and what it adds. With the first event go all.
 * @throws ConsultaError REFUSED for one that is too large.
 */
export async function documentsOf(
  session: Session,
  appending: Appending,
): Promise<EventDocument[]> {
  const { folder } = session.place;
  const { event, wanted, additions } = appending;
  if (event.seq === 1) return allDocuments(folder);
  const looked = wanted.filter(({ as, up = 0 }) => as !== "names" && up === 0);
  const named = typeof event["doc"] === "string" ? [event["doc"]] : [];
  const own = await writtenBy(session, appending.participant);
  const paths = new Set([...looked.map(({ path }) => path), ...named, ...own].map(plain));
  for (const { path } of additions) paths.delete(path);
  const added = additions.map((addition) => {
    const before = documentAt(folder, addition.path)?.bytes ?? new Uint8Array();
    const text = withAddition(Buffer.from(before).toString(), addition);
    return { path: addition.path, bytes: Buffer.from(text) };
  });
  return [...[...paths].flatMap((path) => documentAt(folder, path) ?? goneMark(path)), ...added];
}

/** What a participant may write now, and has perhaps written; the user and the rules write none. */
async function writtenBy({ machine, place }: Session, participant: string): Promise<string[]> {
  if (!machine.standing().participants.includes(participant)) return [];
  const files = await readFiles(
    place.folder,
    machine.filesWanted({ for: "guidance", participant }),
  );
  return machine.nextAction(participant, files).documents;
}

function goneMark(path: string): EventDocument[] {
  return isMark(path) && documentFault(path, 0) === undefined ? [{ path, bytes: null }] : [];
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

function plain(path: string): string {
  return path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
}

/** Undefined for what is none: it is not there, hidden, or no plain file. */
function documentAt(folder: string, path: string): EventDocument | undefined {
  if (documentFault(path, 0) !== undefined) return undefined;
  const file = resolveProjectFile(folder, path);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return undefined;
  const fault = documentFault(path, found.size);
  if (fault !== undefined)
    throw new ConsultaError("REFUSED", `${quote(path)} ${fault}: make it shorter`);
  const bytes = readBytesIfPresent(file, remoteLimits.documentBytes);
  return bytes && { path, bytes };
}
