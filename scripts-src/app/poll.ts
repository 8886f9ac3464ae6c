import { type BoardState, boardStateOf, deadlineOf, isAllReady } from "../core/findings/state.ts";
import { millisecondsOf } from "../core/time.ts";
import type { Clock } from "./foreign-mail.ts";
import { noticeChanges, withChanges } from "./notice-changes.ts";
import { catchUp, type Session } from "./session.ts";

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
  const { machine } = await withChanges(session, clock);
  const lacks = () => boardStateOf(machine).agents.length > 0 && hasNoDeadline(session);
  if (lacks()) session = await noticeChanges(session, clock);
  const board = boardStateOf((await withChanges(session, clock)).machine);
  const deadlineMs = millisecondsOf(deadlineOf(board));
  const isLate = deadlineMs <= millisecondsOf(clock.now());
  const verdict = isAllReady(board) ? "all-ready" : isLate ? "timeout" : "waiting";
  return { session, board, verdict, deadlineMs, lacksDeadline: lacks() };
}

function hasNoDeadline({ machine }: Session): boolean {
  return deadlineOf(boardStateOf(machine)) === "";
}
