import { ConsultaError } from "../base/errors.ts";
import { plural } from "../base/plural.ts";
import { placeIn } from "../session/place.ts";
import { loadSession, standingOf } from "../session/session.ts";
import { isOurs, openSessions } from "../session/session-list.ts";
import { validateSession } from "../session/validate-session.ts";
import {
  findWorkspace,
  isInWorkspace,
  type Workspace,
  workspaceFault,
} from "../session/workspace/workspace.ts";
import { type Diagnosis, fix, note, ok, type Patient } from "./diagnosis.ts";

/** Whether the workspace can be read, and every open session in it is whole. */
export async function checkWorkspace({ project, line }: Patient): Promise<Diagnosis[]> {
  if (!isInWorkspace(project)) return [note("no workspace here yet; init makes one")];
  const folderFault = workspaceFault(project);
  if (folderFault !== undefined) {
    return [fix(`${folderFault.reason}: no script uses it, hooks are silent`, folderFault.remedy)];
  }
  let workspace: Workspace;
  try {
    workspace = findWorkspace(project);
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return [fix(cause.message, "fix .consulta/config.json, or remove it for the defaults")];
  }
  const { ids, ended, unseen } = openSessions(workspace);
  const checked = await Promise.all(
    ids.map(async (id) => ({ id, fault: await faultIn(workspace, id) })),
  );
  const faults = checked.flatMap(({ id, fault }) => {
    const repair = line("validate", "--session", id, "--repair");
    return fault === undefined ? [] : [fix(`session ${id}: ${fault}`, repair)];
  });
  const foreign = ids.filter((id) => !isOurs(workspace, id));
  const foreignText = `${plural(foreign.length, "session")} not begun here: no hook names what may have come with the project`;
  return [
    ok(`workspace ${workspace.root}: ${ids.length + ended + unseen} sessions`),
    ...(foreign.length === 0 ? [] : [note(foreignText, line("status", "--all"))]),
    ...faults,
  ];
}

/** The first fault of an open session; those of an ended one do not matter any more. */
async function faultIn(workspace: Workspace, id: string): Promise<string | undefined> {
  try {
    const place = placeIn(workspace, id);
    if (standingOf(await loadSession(place)).ended) return undefined;
    return (await validateSession(place)).errors[0];
  } catch (cause) {
    if (cause instanceof ConsultaError) return cause.message;
    throw cause;
  }
}
