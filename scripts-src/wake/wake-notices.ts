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

/** A line for a model, and the role whose mail it announces, if it does. */
export interface WakeNotice {
  readonly line: string;
  readonly role?: Role;
}

/** Where all open sessions of the CLI stand: for a model that knows nothing of them. */
export async function openSessions(call: HookCall, isResumed: boolean): Promise<WakeNotice[]> {
  const { roles, registered } = await findRoles(call);
  try {
    sweepRegistry(call.home, registered, new Date(Date.now() - keptMs).toISOString());
    if (isResumed) takeRolesLeft(call, roles);
  } catch (cause) {
    logFailure(call, cause);
  }
  if (roles.length === 0) return [];
  const heading = { line: "Consulta: open sessions in which you take part:" };
  const news: WakeNotice[] = [...refusals(roles), heading];
  for (const role of roles) news.push({ line: sessionLine(role, await obligationsOf(role)), role });
  return news;
}

/** A conversation that goes on in a new process has its seats there too: its stops wait again. */
function takeRolesLeft({ home, process }: HookCall, roles: readonly Role[]): void {
  if (process === undefined) return;
  for (const { left } of roles) if (left !== undefined) registerRole(home, process, left);
}

function refusals(roles: readonly Role[]): WakeNotice[] {
  const refused = roles.filter((role) => role.refused > 0);
  return refused.map((role) => ({ line: wakeLine("refused", role, 0) }));
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
  const { roles, registered } = await findRoles(call);
  const memory = readMemory(home, process);
  const now = systemClock.now();
  const waiting = roles.filter((role) => {
    const { key, hasTurn, isKnown } = wakeStateOf(role, registered, now, 0);
    const waits = hasTurn || mailFor(role.session, role.participant).length > 0;
    const told = remindedOf(memory, role);
    return waits && !isKnown && !(told?.key === key && told.announced);
  });
  return [...refusals(roles), ...waiting.map((role) => ({ line: letterLine(role), role }))];
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

async function findRoles(call: HookCall): Promise<{ roles: Role[]; registered: RegisteredCli[] }> {
  const { home, process, workspace, project, cli } = call;
  const registered = readRegistry(home, await lookAtProcesses());
  const roles = await openRoles(
    {
      cli: process,
      workspace,
      project,
      givenName: globalThis.process.env["CONSULTA_PARTICIPANT"],
      registered,
      clock: systemClock,
      onFault: (cause) => logFailure(call, cause),
    },
    cli,
  );
  return { roles, registered };
}

/** Remembers that the model was told of these; how often it was woken for them counts on. */
export function remember({ home, process }: HookCall, roles: readonly Role[]): void {
  if (process === undefined || roles.length === 0) return;
  const memory = readMemory(home, process);
  const news = roles.map((role) => {
    const { folder, participant } = role;
    const key = keyOf(role);
    const before = remindedOf(memory, role);
    const told = before?.key === key ? before : unheard(key);
    return { ...told, announced: true, folder, participant };
  });
  rememberReminded(home, process, news);
}

/** Enters in the logs that these participants' mail was announced; after it was. */
export async function recordNotified(call: HookCall, roles: readonly Role[]): Promise<void> {
  for (const { session, participant } of roles) {
    try {
      await noteDelivery(session, participant, "rung", "hook", systemClock);
    } catch (cause) {
      logFailure(call, cause);
    }
  }
}
