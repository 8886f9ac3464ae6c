import { dirname, join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { parseJsonObject } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { isSafeName } from "../../base/names.ts";
import { namesIn, sweepTemporaryFiles } from "../../files/atomic-file.ts";
import { existsSync, orNothing, readdirSync } from "../../files/disk.ts";
import { sha256 } from "../../files/hash.ts";
import { homeOrNone } from "../../files/home-folder.ts";
import { discard } from "../../files/safe-open.ts";
import { ensureFolder, safeJoin } from "../../files/safe-path.ts";
import { ensureUserKey, readSignedFile, writeSignedFile } from "../../files/user-key.ts";
import { printErrorLines } from "../../script/output.ts";
import { type Place, pathInProject, placeAt, placeIn } from "../place.ts";
import { isSessionFolder } from "../session.ts";
import { ensureUntracked, type Workspace, workspaceRoot } from "./workspace.ts";

/**
 * Notes of sessions in folders of their own: each is a signed file in a folder of notes, so that none which came
 * with a clone brings the words of the user's other projects into this one.
 */

/** In a workspace, those that were made or joined from there; named after the first that were noted. */
const folderName = "boards";

/** In the user's own `~/.consulta`: what agents of this user may reach from any project. */
const ownFolderName = "places";

function noteFor(notes: string, folder: string): string {
  return join(notes, `${sha256(folder).slice(0, 8)}.json`);
}

function note(notes: string, folder: string): void {
  writeSignedFile(noteFor(notes, folder), `${JSON.stringify({ folder })}\n`);
}

/** What a note says that a script of this user wrote here; undefined for any other. */
function folderIn(path: string): string | undefined {
  const text = orNothing(() => readSignedFile(path, limits.messageBytes));
  const folder = parseJsonObject(text ?? "")?.["folder"];
  return typeof folder === "string" ? folder : undefined;
}

/** Whether agents of this user may use the session in this folder, named by its real path, from anywhere. */
export function isKnownToUser(home: string, folder: string): boolean {
  return folderIn(noteFor(join(home, ".consulta", ownFolderName), folder)) === folder;
}

/** The sessions elsewhere that were made or joined from a workspace and are still there, by folder. */
export function knownSessions({ root }: Workspace): Place[] {
  const notes = safeJoin(root, folderName);
  const places = namesIn(notes).flatMap((name) => {
    const path = join(notes, name);
    const folder = name.endsWith(".json") ? folderIn(path) : undefined;
    if (folder !== undefined && isSessionFolder(folder)) return [placeAt(folder)];
    if (folder !== undefined) discard(path);
    return [];
  });
  return places.sort((one, other) => (one.folder < other.folder ? -1 : 1));
}

/**
 * Notes a session that is elsewhere: for `status` in the workspace of this folder, if there is one,
 * and for all agents of this user, who may then use it from any project.
 */
export async function rememberSessionHere(place: Place): Promise<void> {
  await letAgentsUse(place);
  const root = workspaceRoot(process.cwd());
  if (root === undefined || dirname(place.folder) === join(root, "sessions")) return;
  try {
    const notes = ensureUntracked(root, folderName);
    if (folderIn(noteFor(notes, place.folder)) !== place.folder) note(notes, place.folder);
  } catch (cause) {
    // The session is joined all the same; only the list lacks it.
    if (!(cause instanceof ConsultaError)) throw cause;
    printErrorLines(`warning: status will not list this session: ${cause.message}`);
  }
}

/**
 * Lets agents of this user use a session outside of their projects. The user who runs a script on one is
 * the user, or an agent that was let already. Says whether that is new.
 */
export async function letAgentsUse({ folder }: Place): Promise<boolean> {
  const home = homeOrNone();
  if (home === undefined || pathInProject(folder) !== undefined) return false;
  try {
    if (isKnownToUser(home, folder) || !ensureUserKey()) return false;
    const notes = ensureFolder(home, ".consulta", ownFolderName);
    sweepNotes(notes);
    note(notes, folder);
    return true;
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    printErrorLines(`warning: agents cannot use this session from elsewhere: ${cause.message}`);
    return false;
  }
}

/** Others may be writing theirs at this moment. */
function sweepNotes(notes: string): void {
  const names = namesIn(notes);
  sweepTemporaryFiles(notes, names);
  for (const name of names.filter((it) => it.endsWith(".json"))) {
    const noted = folderIn(join(notes, name));
    if (noted === undefined || !isSessionFolder(noted)) discard(join(notes, name));
  }
}

/** A folder that may hold a session; its place costs more than its name. */
export interface SessionFolder {
  /** The session's id, or its folder where that is not the workspace's own. */
  readonly name: string;
  readonly folder: string;
  /** @throws ConsultaError REFUSED when it is no place for a session. */
  readonly place: () => Place;
}

/** All folders of a workspace's sessions, and those elsewhere that were joined from it. */
export function sessionFolders(workspace: Workspace): SessionFolder[] {
  const sessions = safeJoin(workspace.root, "sessions");
  const entries = existsSync(sessions) ? readdirSync(sessions, { withFileTypes: true }) : [];
  const own = entries
    .filter((it) => it.isDirectory() && isSafeName(it.name))
    .map(({ name }) => {
      return { name, folder: join(sessions, name), place: () => placeIn(workspace, name) };
    });
  // A note that leads nowhere hides nothing else.
  const elsewhere = orNothing(() => knownSessions(workspace)) ?? [];
  return [
    ...own,
    ...elsewhere.map((place) => ({ name: place.folder, folder: place.folder, place: () => place })),
  ];
}
