import { ConsultaError } from "../base/errors.ts";
import { sessionIds } from "./session.ts";
import type { Workspace } from "./workspace/workspace.ts";

/**
 * The session that is meant where none is named: the only one of its workspace.
 * @throws ConsultaError REFUSED where there is none, or more than one.
 */
export function onlySession(workspace: Workspace): string {
  const ids = sessionIds(workspace);
  const [only, second] = ids;
  if (only !== undefined && second === undefined) return only;
  const which =
    ids.length === 0
      ? "there is no session; run init first"
      : `give --session with one of: ${ids.join(", ")}`;
  throw new ConsultaError("REFUSED", which);
}
