import { dirname, join } from "node:path";
import { parseJsonObject } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { namesIn, sweepTemporaryFiles } from "../../files/atomic-file.ts";
import { orNothing } from "../../files/errno.ts";
import { sha256 } from "../../files/hash.ts";
import { discard } from "../../files/regular-file.ts";
import { ensureFolder, safeJoin } from "../../files/safe-path.ts";
import { readProvedFile, writeProvedFile } from "../../files/signed-file.ts";
import { makeStateKey } from "../../files/state-key.ts";
import { type Place, placeAt } from "../place.ts";
import { isSessionFolder } from "../session.ts";
import { ensureUntracked, type Workspace } from "./workspace.ts";

/** Named after the first that were noted. */
const folderName = "boards";

/** In the user's own `~/.consulta`: what agents of this user may reach from any project. */
const ownFolderName = "places";

/** Remembers in a workspace that a session which is elsewhere was made or joined from here. */
export function rememberSession({ root }: Workspace, { folder }: Place): void {
  if (dirname(folder) === join(root, "sessions")) return;
  const path = join(ensureUntracked(root, folderName), fileFor(folder));
  if (folderIn(path) !== folder) writeProvedFile(path, textFor(folder));
}

function fileFor(folder: string): string {
  return `${sha256(folder).slice(0, 8)}.json`;
}

function textFor(folder: string): string {
  return `${JSON.stringify({ folder })}\n`;
}

/** Remembers that agents of this user may use a session outside of their projects; says whether that is new. */
export async function rememberSessionForUser(home: string, { folder }: Place): Promise<boolean> {
  if (isKnownToUser(home, folder) || (await makeStateKey()) === undefined) return false;
  const notes = ensureFolder(home, ".consulta", ownFolderName);
  const names = namesIn(notes);
  // Others may be writing theirs at this moment.
  sweepTemporaryFiles(notes, names);
  for (const name of names.filter((it) => it.endsWith(".json"))) {
    const noted = folderIn(join(notes, name));
    if (noted === undefined || !isSessionFolder(noted)) discard(join(notes, name));
  }
  writeProvedFile(join(notes, fileFor(folder)), textFor(folder));
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
  const text = orNothing(() => readProvedFile(path, limits.messageBytes));
  const folder = parseJsonObject(text ?? "")?.["folder"];
  return typeof folder === "string" ? folder : undefined;
}
