import { join } from "node:path";
import { nextAction } from "../app/next-action.ts";
import { noteDelivery } from "../app/note-delivery.ts";
import { pagesOf } from "../app/replay.ts";
import { loadSession, type Session } from "../app/session.ts";
import { submit } from "../app/submit.ts";
import { withoutSecrets } from "../core/brain/secrets.ts";
import { isDeliveryNote, type Stage } from "../core/delivery-note.ts";
import { ConsultaError } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { writeFileAtomically } from "../store/atomic-file.ts";
import type { Cursor } from "../store/event-log.ts";
import { fileNameOf } from "../store/file-name-of.ts";
import { ensureFolder } from "../store/safe-path.ts";
import type { Driver, Turn, TurnResult } from "./driver.ts";
import type { Run } from "./run.ts";
import { runLimits } from "./run-limits.ts";
import type { TurnKind } from "./turn-kind.ts";
import { turnKindOf } from "./turn-kinds.ts";
import { turnPrompt } from "./turn-prompt.ts";

/**
 * Gives one participant its turn. The turn counts when the log shows an event of the participant;
 * where there is none, what its answer ends with is sent for it. A turn that brought neither is tried
 * again with the reason: whoever fails or says nothing has not voted. The fault when it cannot go
 * on: see `giveUp`; `left` when everybody has to wait for it.
 */
export async function giveTurn(
  run: Run,
  participant: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<"over" | { fault: string; left: boolean }> {
  const driver = driverOf(run, participant);
  const session = await loadSession(run.place);
  const kind = turnKindOf(session);
  run.progress.note(`${participant} has the turn (${driver.name})`);
  let fault: string | undefined;
  for (let tries = 1; tries <= driver.triesMax; tries += 1) {
    const { turn, shown } = await makeTurn(run, kind, participant, fault);
    await noteReached(run, shown, participant, "rung");
    const result = await takeAudibly(run, driver, { ...turn, timeoutMs }, signal);
    keepConversation(run, participant, result);
    if (result.failure === undefined) await noteReached(run, shown, participant, "in_turn");
    fault = await judge(run, kind, participant, session.cursor, result);
    await run.progress.showNews();
    if (fault === undefined || signal.aborted) return "over";
    const again = tries < driver.triesMax && !result.left;
    run.progress.note(`${participant}: ${fault}${again ? "; one more try" : ""}`);
    if (again) continue;
    keepAnswer(run, participant, result);
    // Where nobody is called, the others go on without it.
    return { fault, left: result.left === true && kind.surrender !== undefined };
  }
  return { fault: fault ?? "it gave no reason", left: false };
}

function driverOf(run: Run, participant: string): Driver {
  const driver = run.drivers.get(participant);
  if (driver === undefined) throw new Error(`nothing runs ${participant} in ${run.place.id}`);
  return driver;
}

async function makeTurn(
  run: Run,
  kind: TurnKind,
  participant: string,
  fault: string | undefined,
): Promise<{ turn: Omit<Turn, "timeoutMs">; shown: Session }> {
  const { place, project, clock } = run;
  const found = await nextAction(place, participant, clock);
  const next = kind.narrow?.(found) ?? found;
  const situation = run.describe(next);
  const parts = await kind.task(run, next);
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
    await noteDelivery(shown, participant, stage, "consult", clock);
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
    () => run.progress.note(`${turn.participant} is still at it`),
    runLimits.stillRunningMs,
  );
  try {
    return await driver.takeTurn(turn, signal);
  } finally {
    clearInterval(timer);
  }
}

/** After a failure the next try begins afresh: the conversation itself may be what is broken. */
function keepConversation(run: Run, participant: string, result: TurnResult): void {
  if (result.failure !== undefined) run.conversations.delete(participant);
  else if (result.resume !== undefined) run.conversations.set(participant, result.resume);
}

/** Why the turn does not count, or nothing. */
async function judge(
  run: Run,
  kind: TurnKind,
  participant: string,
  start: Cursor,
  result: TurnResult,
): Promise<string | undefined> {
  const rejected = await kind.enter?.(run, participant);
  if (await isOver(run, participant, start)) return undefined;
  // A CLI may print a key that it could not sign in with; this goes into the log.
  if (result.failure !== undefined) return withoutSecrets(result.failure);
  if (rejected !== undefined) return rejected;
  try {
    const refusal = await kind.send(run, participant, result.answer);
    return refusal === undefined || result.remark === undefined
      ? refusal
      : `${refusal}; ${result.remark}`;
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
    if (await isOver(run, participant, start)) return undefined;
    return cause.message;
  }
}

/**
 * The turn is over when the participant has acted, or nobody waits for it any more. Without turns it
 * may act as often as it likes: then only the latter counts.
 */
async function isOver(run: Run, participant: string, start: Cursor): Promise<boolean> {
  const session = await loadSession(run.place);
  const standing = session.machine.standing();
  if (standing.ended || !standing.waitingFor.includes(participant)) return true;
  if (!standing.hasTurns) return false;
  for await (const { events } of pagesOf(session, start)) {
    if (events.some((event) => event.from === participant && !isDeliveryNote(event))) return true;
  }
  return false;
}

/** Keeps the last words of a participant that could not go on: they may hold its work. */
function keepAnswer({ place, progress }: Run, participant: string, result: TurnResult): void {
  if (result.answer.trim() === "") return;
  const { workspace, config, id } = place;
  const folder = workspace ? ensureFolder(workspace.root, config.artifacts_dir, id) : place.folder;
  const path = join(folder, `unsent-${fileNameOf(participant)}.txt`);
  writeFileAtomically(path, result.answer.slice(0, limits.messageBytes));
  progress.note(`${participant}: its last answer is kept in ${path}`);
}

/**
 * Ends the session for the user to decide, when a participant cannot go on; everything said stays in
 * the log. False where the others go on without it.
 */
export async function giveUp(run: Run, participant: string, fault: string): Promise<boolean> {
  const { place, clock, progress } = run;
  const session = await loadSession(place);
  if (session.machine.standing().ended) return true;
  const surrender = turnKindOf(session).surrender?.(session, participant, fault);
  if (surrender === undefined) return false;
  try {
    await submit(session, { ...surrender, at: clock.now(), id: clock.newId() });
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
    // Somebody else may have ended it in the meantime.
    if (!(await loadSession(place)).machine.standing().ended) throw cause;
  }
  await progress.showNews();
  return true;
}
