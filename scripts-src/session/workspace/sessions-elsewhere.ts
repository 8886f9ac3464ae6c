import { dirname, join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { parseJsonObject } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { namesIn, sweepTemporaryFiles } from "../../files/atomic-file.ts";
import { orNothing } from "../../files/errno.ts";
import { sha256 } from "../../files/hash.ts";
import { homeOrNone } from "../../files/home-folder.ts";
import { discard } from "../../files/regular-file.ts";
import { ensureFolder, safeJoin } from "../../files/safe-path.ts";
import { ensureUserKey, readSignedFile, writeSignedFile } from "../../files/user-key.ts";
import { printErrorLines } from "../../script/output.ts";
import { type Place, placeAt } from "../place.ts";
import { isSessionFolder } from "../session.ts";
import { pathInProject } from "./path-in-project.ts";
import { ensureUntracked, findWorkspace, type Workspace, workspaceRoot } from "./workspace.ts";

/** Named after the first that were noted. */
const folderName = "boards";

/** In the user's own `~/.consulta`: what agents of this user may reach from any project. */
const ownFolderName = "places";

/** Remembers in a workspace that a session which is elsewhere was made or joined from here. */
export function rememberSession({ root }: Workspace, { folder }: Place): void {
  if (dirname(folder) === join(root, "sessions")) return;
  const path = join(ensureUntracked(root, folderName), fileFor(folder));
  if (folderIn(path) !== folder) writeSignedFile(path, textFor(folder));
}

function fileFor(folder: string): string {
  return `${sha256(folder).slice(0, 8)}.json`;
}

function textFor(folder: string): string {
  return `${JSON.stringify({ folder })}\n`;
}

/** Remembers that agents of this user may use a session outside of their projects; says whether that is new. */
export async function rememberSessionForUser(home: string, { folder }: Place): Promise<boolean> {
  if (isKnownToUser(home, folder) || !ensureUserKey()) return false;
  const notes = ensureFolder(home, ".consulta", ownFolderName);
  const names = namesIn(notes);
  // Others may be writing theirs at this moment.
  sweepTemporaryFiles(notes, names);
  for (const name of names.filter((it) => it.endsWith(".json"))) {
    const noted = folderIn(join(notes, name));
    if (noted === undefined || !isSessionFolder(noted)) discard(join(notes, name));
  }
  writeSignedFile(join(notes, fileFor(folder)), textFor(folder));
  return true;
}

/** Whether `rememberSessionForUser` noted the session in this folder, named by its real path. */
export function isKnownToUser(home: string, folder: string): boolean {
  return folderIn(join(home, ".consulta", ownFolderName, fileFor(folder))) === folder;
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
 * What a note says that a script of this user wrote here; undefined for any other. One that came with a
 * clone would bring the words of the user's other projects into this one.
 */
function folderIn(path: string): string | undefined {
  const text = orNothing(() => readSignedFile(path, limits.messageBytes));
  const folder = parseJsonObject(text ?? "")?.["folder"];
  return typeof folder === "string" ? folder : undefined;
}

/**
 * Notes a session that is elsewhere: for `status` in the workspace of this folder, if there is one,
 * and for all agents of this user, who may then use it from any project.
 */
export async function rememberSessionHere(place: Place): Promise<void> {
  await letAgentsUse(place);
  const here = process.cwd();
  if (workspaceRoot(here) === undefined) return;
  try {
    rememberSession(findWorkspace(here), place);
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
export async function letAgentsUse(place: Place): Promise<boolean> {
  const home = homeOrNone();
  if (home === undefined || pathInProject(place.folder) !== undefined) return false;
  try {
    return await rememberSessionForUser(home, place);
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    printErrorLines(`warning: agents cannot use this session from elsewhere: ${cause.message}`);
    return false;
  }
}
