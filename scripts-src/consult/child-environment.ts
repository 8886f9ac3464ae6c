import { withoutParentCli } from "../clis/parent-cli-variables.ts";
import { passedVariables } from "../clis/passed-variables.ts";
import type { Environment } from "../files/environment.ts";
import type { Turn } from "./driver.ts";

/**
 * The environment of a participant's process: the user's own, and which turn this is. A command line
 * is the user's and may need any of it; a known CLI is given what `driven` lists.
 */
export function childEnvironment(
  outer: Environment,
  turn: Turn,
  driven?: readonly string[],
): Environment {
  const own = withoutParentCli(outer);
  return {
    ...(driven === undefined ? own : passedVariables(own, driven)),
    CONSULTA_SESSION: turn.place.id,
    CONSULTA_FOLDER: turn.place.folder,
    CONSULTA_PARTICIPANT: turn.participant,
    CONSULTA_SCRIPTS: turn.scripts,
    CONSULTA_WORKSPACE: turn.project,
  };
}
