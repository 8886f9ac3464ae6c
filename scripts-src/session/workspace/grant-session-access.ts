import { ConsultaError } from "../../base/errors.ts";
import { homeOrNone } from "../../files/home-folder.ts";
import { printErrorLines } from "../../script/output.ts";
import type { Place } from "../place.ts";
import { pathInProject } from "./current-project.ts";
import { rememberSession, rememberSessionForUser } from "./known-sessions.ts";
import { findWorkspace, workspaceRoot } from "./workspace.ts";

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
