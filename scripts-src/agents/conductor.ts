import { loadSession } from "../app/session.ts";
import { giveTurn, type Run } from "./give-turn.ts";
import type { RunBounds } from "./run-bounds.ts";

/** `stopped`: the session stays open and can go on where it is. */
export type Ending =
  | { readonly kind: "ended" }
  | { readonly kind: "stopped"; readonly reason: string };

/**
 * Runs a session to its end: gives the turn to whoever has it, to several at once where the
 * protocol expects several, until the session has ended, a bound is reached or `signal` fires.
 */
export async function conduct(run: Run, bounds: RunBounds, signal: AbortSignal): Promise<Ending> {
  const stop = new AbortController();
  const forward = () => stop.abort("interrupted");
  const { timeLimitMs, turnsMax, turnTimeoutMs } = bounds;
  const outOfTime = `the time limit of ${timeLimitMs / 1_000} s is reached (--time-limit)`;
  const timer = setTimeout(() => stop.abort(outOfTime), timeLimitMs);
  signal.addEventListener("abort", forward);
  if (signal.aborted) forward();
  try {
    for (let turns = 0; ; ) {
      const { ended, waitingFor } = await standingOf(run);
      if (ended) return { kind: "ended" };
      if (stop.signal.aborted) return stopped(String(stop.signal.reason));
      if (turns >= turnsMax)
        return stopped(`the limit of ${turnsMax} turns is reached (--turns-max)`);
      const next = waitingFor.slice(0, turnsMax - turns);
      turns += next.length;
      const left = await giveTurns(run, next, turnTimeoutMs, stop.signal);
      if (left !== undefined) return stopped(`${left} left`);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", forward);
  }
}

function stopped(reason: string): Ending {
  return { kind: "stopped", reason };
}

async function standingOf({ workspace, session }: Run) {
  const standing = (await loadSession(workspace, session)).machine.standing();
  if (standing.ended || standing.waitingFor.length > 0) return standing;
  throw new Error(`session ${session} is open and waits for nobody`);
}

/** Gives several turns at once; when one ends the session, the others need not go on. */
async function giveTurns(
  run: Run,
  participants: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const together = new AbortController();
  const forward = () => together.abort();
  signal.addEventListener("abort", forward);
  if (signal.aborted) forward();
  let left: string | undefined;
  const turns = participants.map(async (participant) => {
    try {
      if ((await giveTurn(run, participant, timeoutMs, together.signal)) === "left")
        left = participant;
      if (left !== undefined || (await standingOf(run)).ended) together.abort();
    } catch (cause) {
      together.abort();
      throw cause;
    }
  });
  const results = await Promise.allSettled(turns);
  signal.removeEventListener("abort", forward);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return left;
}
