import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { notRegistered } from "../core/findings/decide.ts";
import { agentOf, boardStateOf } from "../core/findings/state.ts";
import { sweepTemporaryFiles } from "../store/atomic-file.ts";
import { finishAdditions } from "./additions.ts";
import type { Clock } from "./foreign-mail.ts";
import { noticeChanges } from "./notice-changes.ts";
import type { Place } from "./place.ts";
import { loadSession, type Session } from "./session.ts";

/**
 * Loads a board to act on it: finishes what dead writers left behind and enters what others did by
 * their own means.
 * @throws ConsultaError REFUSED for a damaged board, UNAVAILABLE when the disk refuses.
 */
export async function attendBoard(place: Place, clock: Clock): Promise<Session> {
  const session = await loadSession(place);
  await finishAdditions(session);
  return noticeChanges(session, clock);
}

/**
 * Loads a board for one of its agents, and removes what its writers that died left in its folder.
 * @throws ConsultaError NOT_YET when nobody of that name is registered.
 */
export async function attendAsAgent(place: Place, agent: string, clock: Clock): Promise<Session> {
  const session = await attendBoard(place, clock);
  requireAgent(session, agent);
  sweepTemporaryFiles(join(place.folder, "findings", agent));
  return session;
}

function requireAgent({ machine }: Session, participant: string): void {
  const state = boardStateOf(machine);
  if (agentOf(state, participant) !== undefined) return;
  throw new ConsultaError("NOT_YET", notRegistered(state, { participant }).reason);
}
