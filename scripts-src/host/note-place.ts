import { notePlace } from "../app/noted-places.ts";
import type { Place } from "../app/place.ts";
import { findWorkspace, workspaceRoot } from "../app/workspace.ts";
import { ConsultaError } from "../core/errors.ts";
import { talkLines } from "./output.ts";

/** Lets `status` list a session that lies elsewhere in the workspace of this folder, if there is one. */
export function notePlaceHere(place: Place): void {
  const here = process.cwd();
  if (workspaceRoot(here) === undefined) return;
  try {
    notePlace(findWorkspace(here), place);
  } catch (cause) {
    // The session is joined all the same; only the list lacks it.
    if (!(cause instanceof ConsultaError)) throw cause;
    talkLines(`warning: status will not list this session: ${cause.message}`);
  }
}
