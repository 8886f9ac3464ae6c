import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ConsultaError, refused } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { isoSecond, millisecondsOf } from "../base/time.ts";
import { createFileExclusively } from "../files/atomic-file.ts";
import { existsSync } from "../files/disk.ts";
import { ensureFolder, resolveProjectFile } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import { stateAfter } from "../protocol/session-state.ts";
import { ownFolderMark } from "../session/inbox/foreign-writer.ts";
import { openSession } from "../session/open.ts";
import { firstDocuments } from "../session/outgoing-documents.ts";
import { type Place, storeMark } from "../session/place.ts";
import { newSession, readSession, type Session } from "../session/session.ts";
import { refresh } from "../session/submit.ts";
import { markSeen } from "../session/waiting/presence.ts";
import type { SettingsFile } from "../session/workspace/session-settings.ts";
import { checkOpening, type Opening } from "./rules/opening.ts";
import { parseSettings, type Settings } from "./rules/settings.ts";
import { type Document, documentsFor } from "./rules/templates.ts";

interface OpenedCollaboration {
  readonly session: Session;
  /** Files that lay in the folder before and were left as they were. */
  readonly kept: string[];
}

/**
 * Checks an opening before anything is written.
 * @throws ConsultaError REFUSED with every reason.
 */
export function checkCollaboration(opening: Omit<Opening, "createdAt">, now: string): JsonObject {
  const opened = checkOpening({ ...opening, createdAt: isoSecond(millisecondsOf(now)) });
  if (opened.ok) return opened.raw;
  throw refused(opened.reasons.join("; "));
}

/**
 * Begins a collaboration in a folder; what is there is kept. Of several that begin one at the same
 * time, the one whose `protocol.json` stands first wins; with `mayExist` the others join it. An init
 * that died halfway is finished by `finishCollaboration`.
 * @throws ConsultaError REFUSED when the folder has one already, or a log without one.
 */
export async function openCollaboration(
  place: Place,
  raw: JsonObject,
  now: string,
  mayExist = false,
): Promise<OpenedCollaboration> {
  if (existsSync(join(place.folder, "events.jsonl")) && !hasProtocol(place)) {
    throw refused(
      `${place.folder} has an events.jsonl without protocol.json; move it away, or choose another folder`,
    );
  }
  ensureFolder(place.folder);
  const text = `${JSON.stringify(raw, undefined, 2)}\n`;
  const isFirst = createFileExclusively(protocolPath(place), text);
  if (!isFirst && !mayExist) {
    throw refused(
      "collaboration folder already contains protocol.json; use --resume to acknowledge it",
    );
  }
  return finishCollaboration(place, raw, now);
}

/**
 * Writes what a begun collaboration still lacks: documents, then the first event. It becomes the user's
 * own only where `protocol.json` says what was asked for (`raw`): one that came with a clone would else
 * bring its objective and its gates in the user's name. Such a one is named in `kept`.
 */
export async function finishCollaboration(
  place: Place,
  raw: JsonObject,
  now: string,
): Promise<OpenedCollaboration> {
  const asked = termsIn(JSON.stringify(raw));
  const isOwn = ({ text }: SettingsFile) => isDeepStrictEqual(termsIn(text), asked);
  const session = await newSession(place, "collaboration", isOwn);
  const settings = parseSettings(session.settings.text);
  if (settings.fault !== "") throw refused(settings.fault);
  const foreign = isOwn(session.settings) ? [] : [protocolFile];
  createFileExclusively(join(place.folder, ownFolderMark), '{"made-by":"consulta"}\n');
  if (place.workspace === undefined) {
    createFileExclusively(join(place.folder, ".gitignore"), ignoredFiles);
  }
  const kept = documentsFor(settings).filter((document) => !create(place, document));
  const event = firstEvent(settings, now);
  markSeen(place, event.from, now);
  const carried = async () => firstDocuments(session, event);
  const cursor = await session.log.append(session.log.start, event, carried);
  const begun = { ...session, ...stateAfter(session, event) };
  const opened =
    cursor === undefined
      ? await openSession(session)
      : await refresh({ ...begun, cursor }, event, []);
  return { session: opened, kept: [...foreign, ...kept.map(({ path }) => path)] };
}

/** All that settings say but when they were made. */
function termsIn(text: string | undefined): JsonObject {
  return { ...parseSettings(text).raw, createdAt: "" };
}

/**
 * What our scripts remember on this machine: of no use in a project's history. Each by its name, for
 * the folder may be the project's own; a `.gitignore` that is there stays as it is.
 */
const ignoredFiles = [
  ...[".gitignore", ownFolderMark, ".checkpoint.json", ".begun-*", ".said-*"],
  ...[".additions/", ".commits/", ".presence/", storeMark, ".kept/"],
]
  .map((name) => `/${name}\n`)
  .join("");

function firstEvent({ participants, schema }: Settings, now: string): LogEvent {
  return {
    seq: 1,
    from: participants[0] ?? "",
    event: "initialized",
    at: isoSecond(millisecondsOf(now)),
    summary: initialSummaries[schema],
    doc: "protocol.json",
  };
}

/** As the original says it (originals.md 2.7). */
const initialSummaries = {
  1: "Collaboration workspace initialized",
  2: "Initialized ACP schema v2 collaboration workspace.",
};

/** False where something has the document's name already. */
function create({ folder }: Place, { path, text, foldersUp }: Document): boolean {
  const root = resolve(folder, ...Array(foldersUp).fill(".."));
  ensureFolder(root, ...path.split("/").slice(0, -1));
  return createFileExclusively(resolveProjectFile(root, path), text);
}

/** Whether a collaboration has been begun in the folder. */
export function hasProtocol(place: Place): boolean {
  return existsSync(protocolPath(place));
}

/**
 * Whether a begun collaboration has its first event, or is in no state to get it: an init that died
 * before has to be finished.
 */
export async function isBegun(place: Place): Promise<boolean> {
  if (!existsSync(join(place.folder, "events.jsonl"))) return false;
  try {
    const { cursor, kind, settings } = await readSession(place, { mayBeFaulty: true });
    if (kind.name !== "collaboration") throw notOurs(place, kind.name);
    return cursor.seq > 0 || kind.settings?.fault(settings.value) !== undefined;
  } catch (cause) {
    if (cause instanceof ConsultaError && cause.code !== "EXISTS") return true;
    throw cause;
  }
}

function notOurs({ id }: Place, kind: string): ConsultaError {
  const reason = `session ${id} exists already and is a ${kind}, no collaboration`;
  return new ConsultaError("EXISTS", `${reason}; choose another --session`);
}

const protocolFile = "protocol.json";

function protocolPath({ folder }: Place): string {
  return join(folder, protocolFile);
}
