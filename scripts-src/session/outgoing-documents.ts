import { ConsultaError } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { namesIn, readBytesIfPresent } from "../files/atomic-file.ts";
import { lstatSync } from "../files/disk.ts";
import { resolveProjectFile, safeJoin } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import type { EventDocument, SharedText } from "../log/event-log.ts";
import type { Addition, FileWanted } from "../protocol/protocol.ts";
import { documentFault, isMark } from "../remote/incoming.ts";
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
 * The documents that go to other machines with an event: of those that it was decided on, the one that it
 * names, those that its author writes, and what it adds, the ones that its kind lets it change. With the
 * first event go all that a session of its kind begins with.
 * @throws ConsultaError REFUSED for one that is too large.
 */
export async function documentsOf(
  session: Session,
  appending: Appending,
  shared: SharedText,
): Promise<EventDocument[]> {
  const { folder } = session.place;
  const { event, wanted, additions } = appending;
  if (event.seq === 1) return firstDocuments(session, event);
  const looked = wanted.filter(({ as, foldersUp = 0 }) => as !== "names" && foldersUp === 0);
  const named = typeof event["doc"] === "string" ? [event["doc"]] : [];
  const own = await writtenBy(session, appending.participant);
  const paths = new Set([...looked.map(({ path }) => path), ...named, ...own].map(plain));
  for (const { path } of additions) paths.delete(path);
  const mayGo = (path: string) =>
    session.kind.documentRight?.(session.state, event, path) !== undefined;
  const whole = [...paths].filter(mayGo).flatMap((p) => documentAt(folder, p) ?? goneMark(p));
  return [
    ...whole,
    ...(await added(
      folder,
      additions.filter(({ path }) => mayGo(path)),
      shared,
    )),
  ];
}

/** Peers may have added theirs to what they share since it was placed here. */
async function added(folder: string, additions: readonly Addition[], shared: SharedText) {
  const documents: EventDocument[] = [];
  for (const addition of additions) {
    const before = (await shared(addition.path)) ?? documentAt(folder, addition.path)?.bytes;
    const text = withAddition(Buffer.from(before ?? []).toString(), addition);
    documents.push({ path: addition.path, bytes: Buffer.from(text) });
  }
  return documents;
}

/** What a participant may write now, and has perhaps written; the user and the rules write none. */
async function writtenBy({ kind, state, place }: Session, participant: string): Promise<string[]> {
  if (!kind.standing(state).participants.includes(participant)) return [];
  const files = await readFiles(
    place.folder,
    kind.filesWanted(state, { for: "guidance", participant }),
  );
  return kind.nextAction(state, participant, files).documents;
}

function goneMark(path: string): EventDocument[] {
  return isMark(path) && documentFault(path, 0) === undefined ? [{ path, bytes: null }] : [];
}

/** The documents that go with the first event of a session. */
export function firstDocuments(
  { place: { folder }, kind, state }: Session,
  event: LogEvent,
): EventDocument[] {
  const paths = pathsBelow(folder, []).filter((path) => kind.documentRight?.(state, event, path));
  return paths.flatMap((path) => documentAt(folder, path) ?? []);
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
    throw new ConsultaError("REFUSED", `${inline(path)} ${fault}: make it shorter`);
  const bytes = readBytesIfPresent(file, remoteLimits.documentBytes);
  return bytes && { path, bytes };
}
