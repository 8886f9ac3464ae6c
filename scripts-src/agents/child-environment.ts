import { withoutOuterMarks } from "../app/outer-marks.ts";
import type { Environment, Turn } from "./driver.ts";

/** The environment of a participant's process: the user's own, and which turn this is. */
export function childEnvironment(outer: Environment, turn: Turn): Environment {
  return {
    ...withoutOuterMarks(outer),
    CONSULTA_SESSION: turn.place.id,
    CONSULTA_FOLDER: turn.place.folder,
    CONSULTA_PARTICIPANT: turn.participant,
    CONSULTA_SCRIPTS: turn.scripts,
    CONSULTA_WORKSPACE: turn.project,
  };
}
