import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { sweepTemporaryFiles } from "../files/atomic-file.ts";
import { openToAct } from "../session/open.ts";
import type { Place } from "../session/place.ts";
import type { Session } from "../session/session.ts";
import { authorsIn } from "./board-files.ts";
import { recordFindings } from "./record-findings.ts";
import { notRegistered } from "./rules/decide.ts";
import { agentOf, boardStateOf } from "./rules/state.ts";

/** Who looks at a board, and the folder outside of which it looks at nothing that others name. */
export interface BoardReader {
  readonly name: string;
  readonly project: string;
}

/**
 * Enters in the log what the files of a board show and it does not know: who came, who is ready, and
 * the reports that others wrote by hand. Its own a reader enters as their author. Where nothing can be
 * written nobody is stopped by that.
 * @throws ConsultaError REFUSED for a damaged board.
 */
export async function recordOthers(
  place: Place,
  { name, project }: BoardReader,
  clock: Clock,
): Promise<void> {
  try {
    const session = await openToAct(place, clock, { isAppending: true });
    const others = authorsIn(place).filter((author) => author !== name);
    await recordFindings(session, others, { project }, clock);
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "UNAVAILABLE") throw cause;
  }
}

/**
 * Loads a board for one of its agents, and removes what its writers that died left in its folder.
 * @throws ConsultaError NOT_YET when nobody of that name is registered.
 */
export async function openBoardForAgent(
  place: Place,
  agent: string,
  clock: Clock,
): Promise<Session> {
  const session = await openToAct(place, clock, { isAppending: true });
  requireAgent(session, agent);
  sweepTemporaryFiles(join(place.folder, "findings", agent));
  return session;
}

function requireAgent({ machine }: Session, participant: string): void {
  const state = boardStateOf(machine);
  if (agentOf(state, participant) !== undefined) return;
  throw new ConsultaError("NOT_YET", notRegistered(state, { participant }).reason);
}
