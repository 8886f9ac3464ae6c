import { join } from "node:path";
import { attend } from "../app/attend.ts";
import type { Clock } from "../app/foreign-mail.ts";
import { type NextAction, nextAction } from "../app/next-action.ts";
import { sendMessage } from "../app/send-message.ts";
import { loadSession } from "../app/session.ts";
import { submit } from "../app/submit.ts";
import type { Workspace } from "../app/workspace.ts";
import { ConsultaError } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { writeFileAtomically } from "../store/atomic-file.ts";
import type { Cursor } from "../store/event-log.ts";
import { ensureFolder } from "../store/safe-path.ts";
import type { Driver, Turn, TurnResult } from "./driver.ts";
import { findMessage } from "./find-message.ts";
import type { LiveProgress } from "./live-progress.ts";
import { oneLine } from "./one-line.ts";
import { runLimits } from "./run-limits.ts";
import { eventsAfter } from "./session-news.ts";
import { turnPrompt } from "./turn-prompt.ts";

/** A session that is being run, with all that its turns need. */
export interface Run {
  readonly workspace: Workspace;
  readonly session: string;
  readonly drivers: ReadonlyMap<string, Driver>;
  /** The folder of the running scripts. */
  readonly scripts: string;
  readonly clock: Clock;
  /** What `next-action` found, in words for the participant. */
  readonly describe: (next: NextAction) => string;
  readonly progress: LiveProgress;
  /** The conversation in which each participant goes on. */
  readonly conversations: Map<string, string>;
}

/**
 * Gives one participant its turn. The turn counts when the log shows an event of the participant;
 * where there is none, the message at the end of its answer is sent for it. A turn that brought
 * neither is tried again with the reason, and then the session is escalated: whoever fails or
 * says nothing has not voted. `left` when the participant went away for now.
 */
export async function giveTurn(
  run: Run,
  participant: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<"over" | "left"> {
  const driver = driverOf(run, participant);
  const { cursor } = await loadSession(run.workspace, run.session);
  run.progress.note(`${participant} has the turn (${driver.name})`);
  let fault: string | undefined;
  for (let tries = 1; tries <= driver.triesMax; tries += 1) {
    const turn = { ...(await makeTurn(run, participant, fault)), timeoutMs };
    const result = await takeAudibly(run, driver, turn, signal);
    keepConversation(run, participant, result);
    fault = await judge(run, participant, cursor, result);
    await run.progress.showNews();
    if (fault === undefined || signal.aborted) return "over";
    if (result.left) return "left";
    const again = tries < driver.triesMax;
    run.progress.note(`${participant}: ${fault}${again ? "; one more try" : ""}`);
    if (!again) keepAnswer(run, participant, result);
  }
  await escalate(run, participant, fault ?? "it gave no reason");
  return "over";
}

function driverOf(run: Run, participant: string): Driver {
  const driver = run.drivers.get(participant);
  if (driver === undefined) throw new Error(`nothing runs ${participant} in ${run.session}`);
  return driver;
}

async function makeTurn(
  run: Run,
  participant: string,
  fault: string | undefined,
): Promise<Omit<Turn, "timeoutMs">> {
  const { workspace, session, clock } = run;
  const next = await nextAction(workspace, session, participant, clock);
  const situation = run.describe(next);
  const colleague = next.colleagues.map(({ name }) => name).join(" and ");
  return {
    session,
    participant,
    project: workspace.project,
    scripts: run.scripts,
    prompt: turnPrompt({ participant, colleague, session, situation, fault }),
    situation,
    guidance: next.guidance,
    fault,
    resume: run.conversations.get(participant),
  };
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
  participant: string,
  start: Cursor,
  result: TurnResult,
): Promise<string | undefined> {
  const rejected = await enterMail(run, participant);
  if (await isOver(run, participant, start)) return undefined;
  if (result.failure !== undefined) return result.failure;
  if (rejected !== undefined) return rejected;
  const found = await findMessage(result.answer);
  if ("fault" in found) return found.fault;
  const { workspace, session, clock } = run;
  try {
    const { repeated, seq } = await sendMessage(
      workspace,
      session,
      participant,
      found.message,
      clock,
    );
    if (!repeated) return undefined;
    return `the message is word for word the one that was sent as seq ${seq}; say what is new`;
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
    if (await isOver(run, participant, start)) return undefined;
    return `the message was refused: ${cause.message}`;
  }
}

/** Enters what the participant left in the others' inboxes by hand; gives why one was refused. */
async function enterMail(run: Run, participant: string): Promise<string | undefined> {
  const { workspace, session, clock, drivers } = run;
  let fault: string | undefined;
  for (const other of drivers.keys()) {
    if (other === participant) continue;
    const [rejected] = (await attend(workspace, session, other, clock)).rejected;
    if (rejected !== undefined) fault = `the file ${rejected.file} was refused: ${rejected.reason}`;
  }
  return fault;
}

/** The turn is over when the participant has acted, or nobody waits for it any more. */
async function isOver(run: Run, participant: string, start: Cursor): Promise<boolean> {
  const session = await loadSession(run.workspace, run.session);
  const { ended, waitingFor } = session.machine.standing();
  if (ended || !waitingFor.includes(participant)) return true;
  const { events } = await eventsAfter(session, start);
  return events.some(({ from }) => from === participant);
}

/** Keeps the last words of a participant that could not go on: they may hold its work. */
function keepAnswer(
  { workspace, session, progress }: Run,
  participant: string,
  result: TurnResult,
) {
  if (result.answer.trim() === "") return;
  const folder = ensureFolder(workspace.root, workspace.config.artifacts_dir, session);
  const path = join(folder, `unsent-${participant}.txt`);
  writeFileAtomically(path, result.answer.slice(0, limits.messageBytes));
  progress.note(`${participant}: its last answer is kept in ${path}`);
}

/** Ends the session for the user to decide; everything said stays in the log. */
async function escalate(run: Run, participant: string, fault: string): Promise<void> {
  const { workspace, session: id, clock } = run;
  const session = await loadSession(workspace, id);
  const summary = oneLine(`${participant} could not go on: ${fault}`, limits.summaryCharacters);
  try {
    const by = { participant: "consulta", origin: "conductor" as const };
    await submit(session, { ...by, summary, at: clock.now(), id: clock.newId() });
  } catch (cause) {
    // Both may fail at once; one escalation is enough.
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
  }
  await run.progress.showNews();
}
