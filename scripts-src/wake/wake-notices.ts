import {
  isSame,
  type RegisteredCli,
  readRegistry,
  registerRole,
  sweepRegistry,
} from "../clis/cli-registry.ts";
import { systemClock } from "../script/clock.ts";
import { noteDelivery } from "../session/append.ts";
import { mailFor } from "../session/inbox/deliver.ts";
import { readFiles } from "../session/read-files.ts";
import { type HookCall, logFailure } from "./hook-call.ts";
import { changeHookMemory, readMemory, rememberTold, toldOf } from "./hook-state.ts";
import { openRoles, type Role, type RolesFound, wakeKey, wakeStateOf } from "./roles.ts";
import { isWakeLine, unheard } from "./rules/wake-policy.ts";
import { letterLine, sessionLine, wakeLine } from "./wake-lines.ts";

/** A line for a model; `role` is the one whose mail it announces, if it announces any. */
export interface WakeNotice {
  readonly line: string;
  readonly role?: Role;
}

/** What a model is to be told, and what was looked at for that; undefined where nothing was. */
export interface WakeNotices {
  readonly notices: readonly WakeNotice[];
  readonly found?: RolesFound;
}

/** How long a registration is kept after its process has ended. */
const keptMs = 30 * 86_400_000;

/** The status of all open sessions of the CLI, for a model that knows nothing of them. */
export async function openSessionNotices(call: HookCall, isResumed: boolean): Promise<WakeNotices> {
  const { home, process } = call;
  const registered = readRegistry(home);
  const found = await openRoles(
    call,
    registered.map((it) => (isCleared(call, it) ? gone(it) : it)),
  );
  const { roles } = found;
  try {
    sweepRegistry(home, registered, keptMs);
    // Its conversation goes on in a new process, whose stop hooks wait for the same sessions.
    if (isResumed && process !== undefined)
      for (const { left } of roles) if (left !== undefined) registerRole(home, process, left);
  } catch (cause) {
    logFailure(call, cause);
  }
  if (roles.length === 0) return { notices: [], found };
  const heading = { line: "Consulta: open sessions in which you take part:" };
  const notices: WakeNotice[] = [...rejectedMailNotices(roles), heading];
  for (const role of roles)
    notices.push({ line: sessionLine(role, await requiredCount(role)), role });
  return { notices, found };
}

/**
 * Whether another conversation may be the one that was cleared for this. A CLI whose conversations share a process does
 * not say which it was; it goes on there, with nobody at it.
 */
function isCleared({ input, process }: HookCall, { process: other }: RegisteredCli): boolean {
  const isShared = process?.conversation !== undefined && other.conversation !== undefined;
  return (
    isShared && input["source"] === "clear" && other.pid === process.pid && !isSame(process, other)
  );
}

function gone(cli: RegisteredCli): RegisteredCli {
  return { ...cli, isAlive: false, mayLive: false };
}

function rejectedMailNotices(roles: readonly Role[]): WakeNotice[] {
  const affected = roles.filter(({ refused }) => refused > 0);
  return affected.map((role) => ({ line: wakeLine({ reason: "refused", role, waitedMs: 0 }) }));
}

/** How much the next event of a participant must contain. */
async function requiredCount({ session, participant }: Role): Promise<number> {
  const { kind, state, place } = session;
  const wanted = kind.filesWanted(state, { for: "guidance", participant });
  const files = await readFiles(place.folder, wanted);
  return kind.nextAction(state, participant, files).obligations.length;
}

/**
 * One line for each session that waits for the model and that no prompt or tool has announced yet. A wake-up
 * does not count as announced: when a person interrupts, Gemini CLI drops what its waiting hook prints.
 */
async function pendingNotices(call: HookCall): Promise<WakeNotices> {
  const { process, home, input } = call;
  // The model of a subagent takes no turns.
  if (process === undefined || isWakeLine(String(input["prompt"])) || "agent_id" in input)
    return { notices: [] };
  const registered = readRegistry(home);
  const found = await openRoles(call, registered);
  const { roles } = found;
  const memory = readMemory(home, process);
  const now = systemClock.now();
  const waiting = roles.filter((role) => {
    const { key, hasTurn, isKnown } = wakeStateOf(role, registered, now, 0);
    const waits = hasTurn || mailFor(role.session, role.participant).length > 0;
    const told = toldOf(memory, role);
    return waits && !isKnown && !(told?.key === key && told.announced);
  });
  const lines = waiting.map((role) => ({ line: letterLine(role), role }));
  return { notices: [...rejectedMailNotices(roles), ...lines], found };
}

/** All open sessions for a model that knows nothing of them, else those that wait for it. */
export async function roleNotices(call: HookCall): Promise<WakeNotices> {
  const { home, process, input } = call;
  if (process === undefined || isWakeLine(String(input["prompt"]))) return { notices: [] };
  const { hasForgotten, isResumed } = readMemory(home, process);
  // The plugin of OpenCode names it with the first prompt.
  const { source } = input;
  if (!hasForgotten && source === undefined) return pendingNotices(call);
  const notices = await openSessionNotices(call, isResumed || source === "resume");
  changeHookMemory(home, process, { hasForgotten: false });
  return notices;
}

/** Notes that a prompt put these sessions before the model; the number of wake-ups for them is kept. */
export async function noteAnnounced(call: HookCall, roles: readonly Role[]): Promise<void> {
  await recordNotified(call, roles);
  const { home, process } = call;
  if (process === undefined || roles.length === 0) return;
  const memory = readMemory(home, process);
  const news = roles.map((role) => {
    const { folder, participant } = role;
    const key = wakeKey(role);
    const before = toldOf(memory, role);
    const told = before?.key === key ? before : unheard(key);
    return { ...told, announced: true, folder, participant };
  });
  rememberTold(home, process, news);
}

/** Records in the logs that the mail of these participants was announced; called after it was. */
export async function recordNotified(call: HookCall, roles: readonly Role[]): Promise<void> {
  for (const { session, participant } of roles) {
    try {
      await noteDelivery(session, participant, "rung", "hook", systemClock);
    } catch (cause) {
      logFailure(call, cause);
    }
  }
}
