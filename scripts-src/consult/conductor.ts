import { ConsultaError, refused } from "../base/errors.ts";
import { runLimits } from "../clis/run-limits.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import { openSession } from "../session/open.ts";
import { pausedText } from "../session/person-words.ts";
import { follow } from "../session/waiting/follow.ts";
import { auditIfWanted } from "./audit.ts";
import type { RunBounds } from "./run-bounds.ts";
import type { Run } from "./run-context.ts";
import { giveTurn } from "./run-turn.ts";

/** `stopped`: the session stays open and can go on where it is; why, as a line begins. */
export type Ending =
  | { readonly kind: "ended" }
  | { readonly kind: "stopped"; readonly reason: string };

/** Who could not go on, each with the reason. */
type Failures = Map<string, string>;

/**
 * Runs a session to its end: gives the turn to the participant that has it, to several at once where the
 * protocol expects several, until the session has ended, nobody here can go on, a bound is reached
 * or `signal` fires.
 */
export async function conduct(run: Run, bounds: RunBounds, signal: AbortSignal): Promise<Ending> {
  const limit = new TimeLimit(bounds.timeLimitMs);
  const stop = AbortSignal.any([signal, limit.signal]);
  const unfollow = await run.progress.follow();
  try {
    return await giveAllTurns(run, bounds, limit, stop);
  } finally {
    await unfollow();
    limit.hold();
  }
}

async function giveAllTurns(
  run: Run,
  { turnsMax, turnTimeoutMs }: RunBounds,
  limit: TimeLimit,
  signal: AbortSignal,
): Promise<Ending> {
  const without: Failures = new Map();
  const read = new Set<string>();
  for (let turns = 0; ; ) {
    const standing = await standingOf(run);
    if (standing.paused === undefined && (await auditIfWanted(run, turnTimeoutMs, signal)))
      continue;
    if (standing.ended) {
      const reader =
        turns < turnsMax && !signal.aborted ? readerOf(run, standing, read) : undefined;
      if (reader === undefined) return { kind: "ended" };
      turns += 1;
      await giveClosing(run, reader, turnTimeoutMs, signal);
      continue;
    }
    if (signal.aborted) return stopped(limit.signal.aborted ? limit.reason : "interrupted");
    const { paused, waitingFor } = standing;
    const able = waitingFor.filter((it) => run.drivers.has(it) && !without.has(it));
    if (paused !== undefined || able.length === 0) {
      if (paused === undefined && !isWaitedFor(run, standing)) return unfinished(standing, without);
      const elsewhere = `waiting for ${waitingFor.join(", ")}, elsewhere`;
      run.progress.note(paused === undefined ? elsewhere : pausedText(paused), "routine");
      // A person is never timed.
      if (paused !== undefined) limit.hold();
      await waitForOther(run, standing, signal);
      if (paused !== undefined) limit.goOn();
      await run.progress.showNews();
      continue;
    }
    if (turns >= turnsMax)
      return stopped(`the limit of ${turnsMax} turns is reached (--turns-max)`);
    const next = able.slice(0, Math.min(turnsMax - turns, runLimits.turnsAtOnce));
    turns += next.length;
    const { lefts, failures } = await giveTurns(run, next, turnTimeoutMs, signal);
    for (const [participant, fault] of failures) without.set(participant, fault);
    const [left] = lefts.sort((one, other) => untilMs(other) - untilMs(one));
    if (left === undefined) continue;
    if (left.renewedAt === undefined) return stopped(left.fault);
    // They will be given once more.
    turns -= lefts.length;
    run.progress.note(`${left.fault}; waiting for it`);
    limit.hold();
    await waitForOther(run, await standingOf(run), signal, quotaUntilMs(left.renewedAt));
    limit.goOn();
  }
}

/** Whether all that the session waits for can come from elsewhere; on a board also who has no name yet. */
function isWaitedFor({ elsewhere }: Run, { waitingFor, hasTurns }: SessionStatus): boolean {
  if (elsewhere.size === 0) return false;
  return waitingFor.some((it) => elsewhere.has(it)) || (!hasTurns && waitingFor.length === 0);
}

/** What the conductor does next depends on nothing else; a pause lasts, whoever ends a turn in it. */
function situationIn({ ended, paused, waitingFor }: SessionStatus): string {
  return JSON.stringify([ended, paused !== undefined || waitingFor]);
}

/**
 * Waits until the session waits for somebody else, goes on or ends, the run is stopped, or a time has come.
 * @throws ConsultaError REFUSED when its log is not what it was: nothing more comes.
 */
async function waitForOther(
  { place }: Run,
  before: SessionStatus,
  signal: AbortSignal,
  untilMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const done = new AbortController();
  try {
    await follow({
      async check() {
        const { kind, state } = await openSession(place);
        const isAsBefore = situationIn(kind.standing(state)) === situationIn(before);
        const isOver = signal.aborted || Date.now() >= untilMs || !isAsBefore;
        return isOver ? "done" : untilMs - Date.now();
      },
      folders: () => [place.folder],
      pollIntervalMs: place.config.polling_interval_seconds * 1_000,
      heartbeatMs: place.config.heartbeat_seconds * 1_000,
      logs: [await openSession(place)],
      begin: (lookAgain) => signal.addEventListener("abort", lookAgain, { signal: done.signal }),
    });
  } finally {
    done.abort();
  }
}

/** Clocks differ: what is said to be renewed by now may not be yet. */
function quotaUntilMs(renewedAt: Date): number {
  const at = renewedAt.getTime();
  return at > Date.now() ? at : Date.now() + 60_000;
}

/** The time of a run, without that in which the person has paused it. */
class TimeLimit {
  readonly reason: string;
  readonly #over = new AbortController();
  #leftMs: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number) {
    this.reason = `the time limit of ${limitMs / 1_000} s is reached (--time-limit)`;
    this.#leftMs = limitMs;
    this.goOn();
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  goOn(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#over.abort(), Math.max(0, this.#leftMs));
  }

  hold(): void {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#since;
  }
}

/** Who is to read the text that closed the session; nobody twice the same one. */
function readerOf(
  { drivers }: Run,
  { unconfirmedBy, lastAt }: SessionStatus,
  read: Set<string>,
): string | undefined {
  if (unconfirmedBy === undefined || !drivers.has(unconfirmedBy)) return undefined;
  const closing = `${unconfirmedBy} ${lastAt}`;
  if (read.has(closing)) return undefined;
  read.add(closing);
  return unconfirmedBy;
}

/** The other side confirms the closing text or reopens; without its word the report says so. */
async function giveClosing(
  run: Run,
  reader: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const end = await giveTurn(run, reader, timeoutMs, signal, "closing");
  if (end !== "over") run.progress.note(`closing text not confirmed by ${reader}: ${end.fault}`);
}

function stopped(reason: string): Ending {
  return { kind: "stopped", reason: `stopped: ${reason}` };
}

/** The session stays open when nobody here can do more for it. */
function unfinished({ waitingFor, summary, hasTurns }: SessionStatus, without: Failures): Ending {
  const others = waitingFor.filter((name) => !without.has(name));
  // In one order, no matter who stopped first.
  const byName = [...without].sort(([one], [other]) => (one < other ? -1 : 1));
  const lost = byName.map(([name, fault]) => `${name} stopped answering (${fault})`);
  const missing = others.length > 0 ? [`nobody here runs ${others.join(", ")}`] : [];
  const reasons = [...lost, ...missing, summary].join("; ");
  if (lost.length === 0) return stopped(reasons);
  // A board decides nothing: what is missing are parts.
  return { kind: "stopped", reason: `${hasTurns ? "Not decided" : "Not complete"}: ${reasons}` };
}

async function standingOf({ place }: Run): Promise<SessionStatus> {
  const { kind, state } = await openSession(place);
  const standing = kind.standing(state);
  // A board names nobody to wait for while agents have yet to register.
  if (standing.ended || standing.waitingFor.length > 0 || !standing.hasTurns) return standing;
  if (standing.paused !== undefined) return standing;
  const fault = `session ${place.id} is open and waits for nobody`;
  throw refused(`${fault}: run validate to see what is wrong with its log`);
}

interface Left {
  readonly fault: string;
  readonly renewedAt: Date | undefined;
}

/** Who needs the person comes after whoever can go on by itself some time. */
function untilMs({ renewedAt }: Left): number {
  return renewedAt?.getTime() ?? Number.MAX_SAFE_INTEGER;
}

/**
 * Gives several turns at once; when one ends the session, the others need not go on. Where one cannot
 * go on, the others may still say their part. `lefts` is why nobody can go on for now, and until when.
 */
async function giveTurns(
  run: Run,
  participants: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ lefts: Left[]; failures: Failures }> {
  const together = new AbortController();
  const stop = AbortSignal.any([signal, together.signal]);
  const lefts: Left[] = [];
  const failures: Failures = new Map();
  const turns = participants.map(async (participant) => {
    try {
      const end = await giveTurn(run, participant, timeoutMs, stop);
      if (end !== "over" && end.left) {
        const fault = `${participant} cannot go on for now: ${end.fault}`;
        lefts.push({ fault, renewedAt: end.renewedAt });
      } else if (end !== "over") failures.set(participant, end.fault);
      if ((await standingOf(run)).ended) together.abort();
    } catch (cause) {
      together.abort();
      throw cause;
    }
  });
  const results = await Promise.allSettled(turns);
  const faults = results.flatMap((it) => (it.status === "rejected" ? [it.reason] : []));
  for (const it of faults.slice(1)) if (it instanceof ConsultaError) run.progress.note(it.message);
  if (faults.length > 0) throw faults[0];
  return { lefts, failures };
}
