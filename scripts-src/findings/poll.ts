import type { Clock } from "../base/clock.ts";
import { millisecondsOf } from "../base/time.ts";
import { importChanges, previewChanges } from "../session/import-changes.ts";
import { catchUp, type Session } from "../session/session.ts";
import { type BoardState, boardStateOf, deadlineOf, isAllReady } from "./rules/state.ts";

/** Where a board stands now. */
export interface Polled {
  /** As the log has it, to look again. */
  readonly session: Session;
  /** As the files have it. */
  readonly board: BoardState;
  readonly verdict: "all-ready" | "waiting" | "timeout";
  /** Milliseconds since 1970; NaN while nobody has registered. */
  readonly deadlineMs: number;
  /** Somebody registered and nobody has set the deadline: whoever looks a little later does. */
  readonly lacksDeadline: boolean;
}

/**
 * Looks at a board. This enters nothing in the log, with one exception: a deadline that two original
 * scripts forgot to set is set, or everybody would wait for ever. What else was seen the script enters
 * once, at its end.
 */
export async function poll(known: Session, clock: Clock): Promise<Polled> {
  let session = await catchUp(known);
  const { machine } = await previewChanges(session, clock);
  const lacks = () => boardStateOf(machine).agents.length > 0 && hasNoDeadline(session);
  if (lacks()) session = await importChanges(session, clock);
  const board = boardStateOf((await previewChanges(session, clock)).machine);
  const deadlineMs = millisecondsOf(deadlineOf(board));
  const isLate = deadlineMs <= millisecondsOf(clock.now());
  const verdict = isAllReady(board) ? "all-ready" : isLate ? "timeout" : "waiting";
  return { session, board, verdict, deadlineMs, lacksDeadline: lacks() };
}

function hasNoDeadline({ machine }: Session): boolean {
  return deadlineOf(boardStateOf(machine)) === "";
}
