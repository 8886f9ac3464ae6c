import { loadSession } from "../app/session.ts";
import { ConsultaError } from "../core/errors.ts";
import { giveTurn, giveUp } from "./give-turn.ts";
import type { Run } from "./run.ts";
import type { RunBounds } from "./run-bounds.ts";
import { runLimits } from "./run-limits.ts";

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
      const { ended, awaited } = await standingOf(run);
      if (ended) return { kind: "ended" };
      if (stop.signal.aborted) return stopped(String(stop.signal.reason));
      if (turns >= turnsMax)
        return stopped(`the limit of ${turnsMax} turns is reached (--turns-max)`);
      const next = awaited.slice(0, Math.min(turnsMax - turns, runLimits.turnsAtOnce));
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

async function standingOf({ place }: Run) {
  const standing = (await loadSession(place)).machine.standing();
  const awaited = standing.waitingFor;
  if (standing.ended || awaited.length > 0) return { ended: standing.ended, awaited };
  const fault = `session ${place.id} is open and waits for nobody`;
  throw new ConsultaError("REFUSED", `${fault}: run validate to see what is wrong with its log`);
}

/**
 * Gives several turns at once; when one ends the session, the others need not go on. Where one cannot
 * go on, the others may still say their part before that ends the session.
 */
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
  let failure: { participant: string; fault: string } | undefined;
  const turns = participants.map(async (participant) => {
    try {
      const end = await giveTurn(run, participant, timeoutMs, together.signal);
      if (end === "left") left = participant;
      if (typeof end === "object") failure ??= { participant, ...end };
      if (left !== undefined || (await standingOf(run)).ended) together.abort();
    } catch (cause) {
      together.abort();
      throw cause;
    }
  });
  const results = await Promise.allSettled(turns);
  signal.removeEventListener("abort", forward);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  if (failure !== undefined) await giveUp(run, failure.participant, failure.fault);
  return left;
}
