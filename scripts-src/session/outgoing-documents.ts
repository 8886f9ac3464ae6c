import { refused } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { isInstructions } from "../base/names.ts";
import { namesIn, readBytesIfPresent } from "../files/atomic-file.ts";
import { lstatSync } from "../files/disk.ts";
import { resolveProjectFile, safeJoin } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import type { EventDocument, SharedText } from "../log/event-log.ts";
import type { Addition, FileWanted } from "../protocol/protocol.ts";
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
    const found = lstatSync(safeJoin(here, name));
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
  const found = lstatSync(file);
  if (found?.isFile() !== true) return undefined;
  const fault = documentFault(path, found.size);
  if (fault !== undefined) throw refused(`${inline(path)} ${fault}: make it shorter`);
  const bytes = readBytesIfPresent(file, documentBytesMax);
  return bytes && { path, bytes };
}

/** What bounds one document that machines share. */
export const documentBytesMax = 1_048_576;
const pathCharactersMax = 512;

/** What the folder of a session holds beside its documents. */
const ownFiles = new Set(["events.jsonl"]);
/** An empty file, or nearly so, whose being there says something: the only hidden ones that are shared. */
const marks = new Set([".ready"]);
/** The list of a board's agents, whose name seed 004 gives; its rules let no other text into it. */
const boardsList = "agents.md";
const windowsDevice = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/**
 * Why something cannot be a document that machines share, to follow its path; undefined where it can:
 * a file below the session's folder, not hidden, with a name that every system takes.
 */
export function documentFault(path: string, bytes: number): string | undefined {
  if (path.length > pathCharactersMax) return "has too long a path";
  if (ownFiles.has(path.toLowerCase())) return "is the log";
  const names = path.split("/");
  if (!names.every(isPlainName)) return "is no plain path";
  if (path !== boardsList && names.some(isInstructions))
    return "AI CLIs take for instructions of their user";
  if (bytes <= documentBytesMax) return undefined;
  return `has ${bytes} bytes; the limit is ${documentBytesMax}`;
}

/** Whether a path leads to a mark, which may come and go. */
export function isMark(path: string): boolean {
  return marks.has(path.split("/").at(-1) ?? "");
}

function isPlainName(name: string): boolean {
  if (marks.has(name)) return true;
  if (name === "" || name.startsWith(".") || /[. ]$/.test(name)) return false;
  return !/["*/:<>?\\|\p{Cc}\p{Cf}\p{Cs}]/u.test(name) && !windowsDevice.test(name);
}
