import { ConsultaError } from "../base/errors.ts";
import { withoutSecrets } from "../base/secrets.ts";
import { runLimits } from "../clis/run-limits.ts";
import type { LogEvent } from "../log/event.ts";
import type { Cursor } from "../log/event-log.ts";
import { pagesOf } from "../log/event-log.ts";
import { isDeliveryNote, isUnheard, type Stage } from "../protocol/person-step.ts";
import { noteDelivery } from "../session/append.ts";
import { nextAction } from "../session/next-action.ts";
import { openSession } from "../session/open.ts";
import { recordHeard } from "../session/person-log.ts";
import { type Session, standingOf } from "../session/session.ts";
import type { ConsultKind } from "./consult-kind.ts";
import type { Driver, Turn, TurnResult } from "./driver.ts";
import { lookForParticipant } from "./make-evidence-for-participant.ts";
import { consultKindOf } from "./registered-kinds.ts";
import type { Run } from "./run-context.ts";
import { saveAnswer, saveUnsent } from "./save-answer.ts";
import { situationOf, turnPrompt } from "./turn-prompt.ts";

/**
 * Gives one participant its turn. The turn counts when the log shows an event of the participant;
 * where there is none, what its answer ends with is sent for it. A turn that brought neither is tried
 * again with the reason: a participant that fails or says nothing has not voted. Else why it cannot go on.
 */
export async function giveTurn(
  run: Run,
  participant: string,
  timeoutMs: number,
  signal: AbortSignal,
  why: TurnPurpose = "turn",
): Promise<"over" | TurnFault> {
  const driver = driverOf(run, participant);
  const session = await openSession(run.place);
  const kind = await consultKindOf(session.kind.name);
  const what = why === "closing" ? "reads the closing text" : "has the turn";
  run.progress.note(`${participant} ${what} (${driver.name})`, "routine");
  await lookForParticipant(run, participant, signal);
  let fault: string | undefined;
  for (let tries = 1; tries <= driver.triesMax; tries += 1) {
    const { turn, shown } = await makeTurn(run, kind, participant, fault);
    await noteReached(run, shown, participant, "rung");
    const result = await takeAudibly(
      run,
      driver,
      { ...turn, timeoutMs, tell: teller(run, participant) },
      signal,
    );
    keepConversation(run, participant, result);
    if (result.usage !== undefined) run.progress.note(`${participant}: ${result.usage}`, "routine");
    // To have read the closing text is to confirm it: there only an answer shows that.
    const isRead = result.failure === undefined && why === "turn";
    if (isRead) await noteReached(run, shown, participant, "in_turn");
    const from = { start: session.cursor, why };
    fault = await enterAnswer(run, kind, participant, from, result).catch(async (cause) => {
      throw await saveUnsent(turn, result, session, cause);
    });
    if (fault === undefined) {
      if (result.failure === undefined) driver.counted?.();
      await lookForParticipant(run, participant, signal);
    }
    await run.progress.showNews();
    if (fault === undefined || signal.aborted || (await isAtPause(run, participant))) return "over";
    const again = tries < driver.triesMax && !result.left;
    run.progress.note(`${participant}: ${fault}${again ? "; one more try" : ""}`);
    if (again) continue;
    if (result.answer.trim() !== "")
      run.progress.note(
        `${participant}: its last answer is kept in ${saveAnswer(turn, result.answer)}`,
      );
    const renewedAt = run.waitsForQuota ? result.renewedAt : undefined;
    // Where nobody is called, the others go on without it, unless it is waited for.
    const isCalled = standingOf(session).hasTurns || renewedAt !== undefined;
    return { fault, left: result.left === true && isCalled, renewedAt };
  }
  return { fault: fault ?? "it gave no reason", left: false };
}

/** Why a participant cannot go on. */
interface TurnFault {
  readonly fault: string;
  /** Everybody has to wait for it. */
  readonly left: boolean;
  /** When it can go on, where that is to be waited for. */
  readonly renewedAt?: Date | undefined;
}

/** It was told in its turn that the person has paused, and did well to send nothing. */
async function isAtPause({ place }: Run, participant: string): Promise<boolean> {
  const { paused } = standingOf(await openSession(place));
  return paused !== undefined && !paused.stillBusy.includes(participant);
}

/** Whether it is called to act, or asked about the text that the other side closed with. */
type TurnPurpose = "turn" | "closing";

/** Where a turn began. */
interface TurnStart {
  readonly start: Cursor;
  readonly why: TurnPurpose;
}

function driverOf(run: Run, participant: string): Driver {
  const driver = run.drivers.get(participant);
  if (driver === undefined) throw new Error(`nothing runs ${participant} in ${run.place.id}`);
  return driver;
}

async function makeTurn(
  run: Run,
  kind: ConsultKind,
  participant: string,
  fault: string | undefined,
): Promise<{ turn: Omit<Turn, "timeoutMs" | "tell">; shown: Session }> {
  const { place, project, clock } = run;
  const found = await nextAction(place, participant, clock);
  const next = kind.narrow?.(found) ?? found;
  const situation = situationOf(next);
  const parts = await kind.task(next, run);
  const turn = {
    place,
    participant,
    project,
    scripts: run.scripts,
    prompt: turnPrompt({ situation, fault }, parts),
    situation,
    guidance: next.guidance,
    fault,
    resume: run.conversations.get(participant),
  };
  return { turn, shown: next.session };
}

/**
 * Notes how far the messages of a turn's task came: rung when its driver starts, in turn when it ends
 * well; a participant that asks `next-action` itself is faster. A note that fails stops no turn.
 */
async function noteReached(
  { clock, progress }: Run,
  shown: Session,
  participant: string,
  stage: Stage,
): Promise<void> {
  try {
    const noted = await noteDelivery(shown, participant, stage, "consult", clock);
    // Before it acts: what it heard and has acted on since is not put before it again.
    if (stage === "rung" && isUnheard(noted.state.user, participant))
      await recordHeard(noted, participant, "consult", clock);
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    progress.note(`how far the messages to ${participant} came is not noted: ${cause.message}`);
  }
  await progress.showNews();
}

/** Takes the turn and says now and then that it still runs. */
async function takeAudibly(
  run: Run,
  driver: Driver,
  turn: Turn,
  signal: AbortSignal,
): Promise<TurnResult> {
  const timer = setInterval(
    () => run.progress.note(`${turn.participant} is still at it`, "routine"),
    runLimits.stillRunningMs,
  );
  try {
    return await driver.takeTurn(turn, signal);
  } finally {
    clearInterval(timer);
    run.progress.working(turn.participant, "");
  }
}

/** Tells what a participant does, each thing once until it does another. */
function teller({ progress }: Run, participant: string): (doing: string) => void {
  let last = "";
  return (doing) => {
    if (doing !== last) progress.working(participant, doing);
    last = doing;
  };
}

/** After a failure the next try begins afresh: the conversation itself may be what is broken. */
function keepConversation(run: Run, participant: string, result: TurnResult): void {
  if (result.failure !== undefined) run.conversations.delete(participant);
  else if (result.resume !== undefined) run.conversations.set(participant, result.resume);
}

/** Why the turn does not count, or nothing. */
async function enterAnswer(
  run: Run,
  kind: ConsultKind,
  participant: string,
  from: TurnStart,
  result: TurnResult,
): Promise<string | undefined> {
  const rejected = await kind.enter?.(run, participant);
  if (await isOver(run, participant, from)) return undefined;
  // A CLI may print a key that it could not sign in with; this goes into the log.
  if (result.failure !== undefined) return withoutSecrets(result.failure);
  if (rejected !== undefined) return rejected;
  try {
    const refusal = await kind.accept(run, participant, result.answer);
    return refusal === undefined || result.remark === undefined
      ? refusal
      : `${refusal}; ${result.remark}`;
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
    if (await isOver(run, participant, from)) return undefined;
    return cause.message;
  }
}

/**
 * The turn is over when the participant has acted, or nobody waits for it any more. Without turns it
 * may act as often as it likes: then only the latter counts.
 */
async function isOver(run: Run, participant: string, { start, why }: TurnStart): Promise<boolean> {
  const session = await openSession(run.place);
  const standing = standingOf(session);
  // Who was at work when the person paused may end its turn.
  const awaited = standing.paused?.held ?? standing.waitingFor;
  const isCalled = !standing.ended && awaited.includes(participant);
  if (why === "turn" && !isCalled) return true;
  if (!standing.hasTurns) return false;
  for await (const { events } of pagesOf(session.log, start)) {
    if (events.some((event) => event.from === participant && isAct(event))) return true;
  }
  return false;
}

/** A record of a check is no message yet. */
function isAct(event: LogEvent): boolean {
  return !isDeliveryNote(event) && event.event !== "evidence";
}
