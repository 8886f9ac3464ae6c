import { ConsultaError } from "../base/errors.ts";
import { sessionIds } from "./session.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** What every script says where nothing was begun yet. */
export const noSessionHere = "there is no session here; open one with init";

/**
 * The session that is meant where none is named: the only one of its workspace.
 * @throws ConsultaError REFUSED where there is none, or more than one.
 */
export function onlySession(workspace: Workspace): string {
  const ids = sessionIds(workspace);
  const [only, second] = ids;
  if (only !== undefined && second === undefined) return only;
  const which = ids.length === 0 ? noSessionHere : `give --session with one of: ${ids.join(", ")}`;
  throw new ConsultaError("REFUSED", which);
}
