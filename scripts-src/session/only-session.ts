import { ConsultaError } from "../base/errors.ts";
import { lettersByHand } from "./inbox/delivered-mail.ts";
import { sessionIds } from "./session.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** What every script says where nothing was begun yet, or only by a letter. */
export function noSessionHere(workspace: Workspace): string {
  const letters = lettersByHand(workspace);
  return `there is no session here; ${letters.length > 0 ? letters.join("; ") : "open one with init"}`;
}

/**
 * The session that is meant where none is named: the only one of its workspace.
 * @throws ConsultaError REFUSED where there is none, or more than one.
 */
export function onlySession(workspace: Workspace): string {
  const ids = sessionIds(workspace);
  const [only, second] = ids;
  if (only !== undefined && second === undefined) return only;
  const which =
    ids.length === 0 ? noSessionHere(workspace) : `give --session with one of: ${ids.join(", ")}`;
  throw new ConsultaError("REFUSED", which);
}
