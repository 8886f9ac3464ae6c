import { ConsultaError } from "../base/errors.ts";
import { plural } from "../base/plural.ts";
import { isOurs, openSessions } from "../session/session-list.ts";
import { findWorkspace, isInWorkspace, workspaceFault } from "../session/workspace/workspace.ts";
import { type Diagnosis, fix, note, ok, type Patient } from "./diagnosis.ts";

/** Whether the workspace can be used; `validate` looks into its sessions. */
export function checkWorkspace({ project, line }: Patient): Diagnosis[] {
  if (!isInWorkspace(project)) return [note("no workspace here yet; init makes one")];
  const fault = workspaceFault(project);
  if (fault !== undefined)
    return [fix(`${fault.reason}: no script uses it, hooks are silent`, fault.remedy)];
  try {
    const workspace = findWorkspace(project);
    const { ids, ended, unseen } = openSessions(workspace);
    const count = ids.length + ended + unseen;
    const foreign = ids.filter((id) => !isOurs(workspace, id)).length;
    const foreignText = `${plural(foreign, "session")} not begun here: no hook names what may have come with the project`;
    return [
      ok(`workspace ${workspace.root}: ${count} sessions`),
      ...(foreign === 0 ? [] : [note(foreignText, line("status", "--all"))]),
    ];
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return [fix(cause.message, "fix .consulta/config.json, or remove it for the defaults")];
  }
}
