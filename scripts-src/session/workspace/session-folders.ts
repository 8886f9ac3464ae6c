import { join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { isSafeName } from "../../base/names.ts";
import { readdirSync } from "../../files/disk.ts";
import { diskFailure, isErrno } from "../../files/errno.ts";
import { safeJoin } from "../../files/safe-path.ts";
import { type Place, placeIn } from "../place.ts";
import { knownSessions } from "./sessions-elsewhere.ts";
import type { Workspace } from "./workspace.ts";

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
  const own = foldersIn(sessions).map((id) => ({
    name: id,
    folder: join(sessions, id),
    place: () => placeIn(workspace, id),
  }));
  return [
    ...own,
    ...elsewhere(workspace).map((place) => {
      const { folder } = place;
      return { name: folder, folder, place: () => place };
    }),
  ];
}

function foldersIn(sessions: string): string[] {
  try {
    return readdirSync(sessions, { withFileTypes: true })
      .filter((it) => it.isDirectory() && isSafeName(it.name))
      .map(({ name }) => name);
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return [];
    throw diskFailure(cause, `list ${sessions}`);
  }
}

/** A note that leads nowhere hides nothing else. */
function elsewhere(workspace: Workspace): Place[] {
  try {
    return knownSessions(workspace);
  } catch (cause) {
    if (cause instanceof ConsultaError) return [];
    throw cause;
  }
}
