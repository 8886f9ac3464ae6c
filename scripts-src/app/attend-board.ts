import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { notRegistered } from "../core/findings/decide.ts";
import { agentOf, boardStateOf } from "../core/findings/state.ts";
import { sweepTemporaryFiles } from "../store/atomic-file.ts";
import { finishAdditions } from "./additions.ts";
import { authorsIn } from "./board-files.ts";
import type { Clock } from "./foreign-mail.ts";
import { noticeChanges } from "./notice-changes.ts";
import type { Place } from "./place.ts";
import { loadSession, type Session } from "./session.ts";

const hourMs = 3_600_000;

/**
 * Loads a board to act on it: finishes what dead writers left behind and enters what others did by
 * their own means.
 * @throws ConsultaError REFUSED for a damaged board, UNAVAILABLE when the disk refuses.
 */
export async function attendBoard(place: Place, clock: Clock): Promise<Session> {
  const session = await loadSession(place);
  await finishAdditions(session);
  for (const name of authorsIn(place))
    sweepTemporaryFiles(join(place.folder, "findings", name), hourMs);
  return noticeChanges(session, clock);
}

/** @throws ConsultaError NOT_YET when nobody of that name is registered. */
export function requireAgent({ machine }: Session, participant: string): void {
  const state = boardStateOf(machine);
  if (agentOf(state, participant) !== undefined) return;
  throw new ConsultaError("NOT_YET", notRegistered(state, { participant }).reason);
}
