import { noteBoard } from "../app/boards.ts";
import type { Place } from "../app/place.ts";
import { findWorkspace, isInWorkspace } from "../app/workspace.ts";
import { ConsultaError } from "../core/errors.ts";
import { talk } from "./output.ts";

/** Lets `status` list the board in the workspace of this folder, if there is one. */
export function noteBoardHere(place: Place): void {
  const here = process.cwd();
  if (!isInWorkspace(here)) return;
  try {
    noteBoard(findWorkspace(here), place);
  } catch (cause) {
    // The board is joined all the same; only the list lacks it.
    if (!(cause instanceof ConsultaError)) throw cause;
    talk(`warning: status will not list this board: ${cause.message}\n`);
  }
}
