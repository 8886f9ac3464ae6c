import {
  type RegisteredCli,
  readRegistry,
  registerRole,
  sweepRegistry,
} from "../clis/cli-registry.ts";
import { lookAtProcesses } from "../clis/processes.ts";
import { systemClock } from "../script/clock.ts";
import { mailFor } from "../session/inbox/deliver.ts";
import { noteDelivery } from "../session/note-delivery.ts";
import { readFiles } from "../session/read-files.ts";
import { type HookCall, logFailure } from "./hook-call.ts";
import { changeMemory, readMemory, rememberReminded, remindedOf } from "./hook-memory.ts";
import { keyOf, openRoles, type Role, wakeStateOf } from "./roles.ts";
import { isWakeLine, unheard } from "./rules/wake-policy.ts";
import { letterLine, sessionLine, wakeLine } from "./wake-lines.ts";

/** A line for a model, and the part whose mail it announces, if it does. */
export interface WakeNotice {
  readonly line: string;
  readonly part?: Role;
}

/** Where all open sessions of the CLI stand: for a model that knows nothing of them. */
export async function openSessions(call: HookCall, isResumed: boolean): Promise<WakeNotice[]> {
  const { parts, seated } = await findParts(call);
  try {
    sweepRegistry(call.home, seated, new Date(Date.now() - keptMs).toISOString());
    if (isResumed) takeSeatsLeft(call, parts);
  } catch (cause) {
    logFailure(call, cause);
  }
  if (parts.length === 0) return [];
  const heading = { line: "Consulta: open sessions in which you take part:" };
  const news: WakeNotice[] = [...refusals(parts), heading];
  for (const part of parts) news.push({ line: sessionLine(part, await obligationsOf(part)), part });
  return news;
}

/** A conversation that goes on in a new process has its seats there too: its stops wait again. */
function takeSeatsLeft({ home, process }: HookCall, parts: readonly Role[]): void {
  if (process === undefined) return;
  for (const { left } of parts) if (left !== undefined) registerRole(home, process, left);
}

function refusals(parts: readonly Role[]): WakeNotice[] {
  const refused = parts.filter((part) => part.refused > 0);
  return refused.map((part) => ({ line: wakeLine("refused", part, 0) }));
}

const keptMs = 30 * 86_400_000;

async function obligationsOf({ session, participant }: Role): Promise<number> {
  const { machine, place } = session;
  const wanted = machine.filesWanted({ for: "guidance", participant });
  const given = await readFiles(place.folder, wanted);
  const { obligations, required } = machine.nextAction(participant, given);
  return (required ?? obligations).length;
}

/**
 * One line for each session that waits for the model and of which no prompt has told it yet. A ring
 * does not count: Gemini CLI lets a hook wait on when a person has interrupted, and drops its ring.
 */
export async function pendingNotices(call: HookCall): Promise<WakeNotice[]> {
  const { process, home, prompt } = call;
  if (process === undefined || isWakeLine(prompt)) return [];
  const { parts, seated } = await findParts(call);
  const memory = readMemory(home, process);
  const now = systemClock.now();
  const waiting = parts.filter((part) => {
    const { key, hasTurn, isKnown } = wakeStateOf(part, seated, now, 0);
    const waits = hasTurn || mailFor(part.session, part.participant).length > 0;
    const told = remindedOf(memory, part);
    return waits && !isKnown && !(told?.key === key && told.announced);
  });
  return [...refusals(parts), ...waiting.map((part) => ({ line: letterLine(part), part }))];
}

export async function roleNotices(call: HookCall): Promise<WakeNotice[]> {
  const { home, process, prompt } = call;
  if (process === undefined || isWakeLine(prompt)) return [];
  const { isFresh, isResumed } = readMemory(home, process);
  if (!isFresh) return pendingNotices(call);
  const news = await openSessions(call, isResumed);
  changeMemory(home, process, { isFresh: false });
  return news;
}

/** Notes that the conversation knows nothing of what it was told. */
export function forget({ home, process, isResumed }: HookCall): void {
  if (process !== undefined) changeMemory(home, process, { isFresh: true, isResumed });
}

async function findParts(call: HookCall): Promise<{ parts: Role[]; seated: RegisteredCli[] }> {
  const { home, process, workspace, project, cli } = call;
  const seated = readRegistry(home, await lookAtProcesses());
  const parts = await openRoles(
    {
      cli: process,
      workspace,
      project,
      givenName: globalThis.process.env["CONSULTA_PARTICIPANT"],
      seated,
      clock: systemClock,
      onFault: (cause) => logFailure(call, cause),
    },
    cli,
  );
  return { parts, seated };
}

/** Remembers that the model was told of these; how often it was woken for them counts on. */
export function remember({ home, process }: HookCall, parts: readonly Role[]): void {
  if (process === undefined || parts.length === 0) return;
  const memory = readMemory(home, process);
  const news = parts.map((part) => {
    const { folder, participant } = part;
    const key = keyOf(part);
    const before = remindedOf(memory, part);
    const told = before?.key === key ? before : unheard(key);
    return { ...told, announced: true, folder, participant };
  });
  rememberReminded(home, process, news);
}

/** Enters in the logs that these participants' mail was announced; after it was. */
export async function recordNotified(call: HookCall, parts: readonly Role[]): Promise<void> {
  for (const { session, participant } of parts) {
    try {
      await noteDelivery(session, participant, "rung", "hook", systemClock);
    } catch (cause) {
      logFailure(call, cause);
    }
  }
}
