import { limits } from "../base/limits.ts";
import type { CliProcess } from "../clis/cli-process.ts";
import {
  type RegisteredCli,
  type Registration,
  readRegistry,
  registeredInSession,
  registryFolder,
} from "../clis/cli-registry.ts";
import { isRunning, lookAtProcesses } from "../clis/is-running.ts";
import type { Config } from "../protocol/config.ts";
import { systemClock } from "../script/clock.ts";
import { inboxOf } from "../session/inbox/mailbox.ts";
import { follow } from "../session/waiting/follow.ts";
import { presencePath } from "../session/waiting/presence.ts";
import type { News } from "./brain-news.ts";
import { type HookCall, logFailure } from "./hook-call.ts";
import { changeHookMemory, readMemory, rememberTold, toldOf } from "./hook-state.ts";
import { loadRole, ownRegistrations, type Role, wakeStateOf } from "./roles.ts";
import { isBack, type WakeReason, wakeReasonOf } from "./rules/wake-policy.ts";

/** A session for which the model is woken, or whose mail for it was rejected. */
export interface WakeUp {
  readonly reason: WakeReason | "refused";
  readonly role: Role;
  readonly key: string;
  readonly waitedMs: number;
}

/**
 * Waits until a session in which this CLI has a role needs its model, or the brain has news. Returns
 * the sessions; none when the brain has news, nothing is left to wait for, another hook of the same CLI
 * took over, the CLI is gone, or a signal ended the wait.
 */
export async function waitForWake(
  call: HookCall,
  process: CliProcess,
  news?: News,
): Promise<WakeUp[]> {
  if (news === undefined && !hasRoles(call, process)) return [];
  const watch = new RoleWatch(call, process);
  let found = await watch.look(true);
  if (found.wakeUps.length > 0 || isOver(found, news)) return found.wakeUps;
  const configs = found.waits.map(({ session }) => session.place.config);
  if (call.workspace !== undefined && news !== undefined) configs.push(call.workspace.config);
  await follow({
    async check() {
      found = await watch.look(false);
      return found.wakeUps.length > 0 || isOver(found, news) ? "done" : againMs(found, news);
    },
    folders: () => [registryFolder(call.home), ...foldersOf(found.waits)],
    pollIntervalMs: leastOf(configs, "polling_interval_seconds"),
    heartbeatMs: leastOf(configs, "heartbeat_seconds"),
    present: () =>
      found.waits.map(({ session, participant }) => ({
        agent: participant,
        path: presencePath(session.place, participant),
      })),
    logs: found.waits.map(({ session: { log } }) => ({ log })),
    // The next script that acts is stopped by it; here it may be put right.
    onFault: (fault) => logFailure(call, fault),
    processes: () => found.watched,
    begin: (lookAgain) => news?.begin(lookAgain),
  });
  return found.wakeUps;
}

/** Whether the wait ends without a session that needs the model. */
function isOver({ waits, isTorn, isReplaced }: RolesFound, news: News | undefined): boolean {
  if (isReplaced || news?.came() !== undefined) return true;
  return waits.length === 0 && !isTorn && (news?.leftMs() ?? 0) === 0;
}

function againMs(found: RolesFound, news: News | undefined): number | undefined {
  const least = Math.min(found.againMs ?? Infinity, news?.leftMs() || Infinity);
  return Number.isFinite(least) ? Math.max(1, least) : undefined;
}

function hasRoles({ home }: HookCall, process: CliProcess): boolean {
  return ownRegistrations(readRegistry(home), process).length > 0;
}

interface RolesFound {
  readonly wakeUps: WakeUp[];
  /** The roles to wait on for. */
  readonly waits: Role[];
  /** The processes whose end matters: this CLI's, and those of the other participants. */
  readonly watched: readonly CliProcess[];
  /** Whether another hook of the CLI waits now, or the CLI is gone. */
  readonly isReplaced: boolean;
  /** After how long to look again; undefined for only after a change. */
  readonly againMs: number | undefined;
  /** Whether a session could not be read, as while a file of it is being written. */
  readonly isTorn: boolean;
}

/** Looks at all sessions in which one CLI has a role, for one wait of a hook. */
class RoleWatch {
  readonly #call: HookCall;
  readonly #process: CliProcess;
  readonly #name = systemClock.newId();
  readonly #startMs = Date.now();
  readonly #tornLooks = new Map<string, number>();

  constructor(call: HookCall, process: CliProcess) {
    this.#call = call;
    this.#process = process;
    changeHookMemory(call.home, process, { waiter: this.#name });
  }

  async look(isFirst: boolean): Promise<RolesFound> {
    const { home } = this.#call;
    const memory = readMemory(home, this.#process);
    const look = lookAtProcesses();
    if (memory.waiter !== this.#name || isRunning(this.#process, look) === false) return replaced;
    const registered = readRegistry(home, look);
    const wakeUps: WakeUp[] = [];
    const waits: Role[] = [];
    const again: number[] = [];
    let isTorn = false;
    for (const registration of ownRegistrations(registered, this.#process)) {
      const role = await this.#load(registration);
      if (role === "torn") isTorn ||= !isFirst;
      if (role === undefined || role === "torn") continue;
      const waitedMs = Date.now() - this.#startMs;
      const state = wakeStateOf(role, registered, systemClock.now(), waitedMs);
      const told = toldOf(memory, role);
      const reason = wakeReasonOf(state, told, isFirst);
      const about = { role, key: state.key, waitedMs };
      if (role.refused > 0) wakeUps.push({ reason: "refused", ...about });
      if (reason !== "wait" && reason !== "rest") wakeUps.push({ reason, ...about });
      if (reason !== "wait") continue;
      waits.push(role);
      again.push(Math.max(1, state.waitMsMax - waitedMs));
      if (told !== undefined && isBack(state, told))
        rememberTold(home, this.#process, [{ ...told, alert: undefined }]);
    }
    if (isTorn) again.push(limits.tornLookMs);
    const watched = [this.#process, ...waits.flatMap((role) => peersOf(role, registered))];
    const againMs = again.length === 0 ? undefined : Math.min(...again);
    return { wakeUps, waits, watched, isReplaced: false, isTorn, againMs };
  }

  async #load(registration: Registration): Promise<Role | "torn" | undefined> {
    const looks = this.#tornLooks.get(registration.folder) ?? 0;
    if (looks >= limits.tornLooks) return undefined;
    try {
      const role = await loadRole(registration);
      this.#tornLooks.delete(registration.folder);
      return role;
    } catch (cause) {
      logFailure(this.#call, cause);
      this.#tornLooks.set(registration.folder, looks + 1);
      return "torn";
    }
  }
}

/** The CLIs that act for the other participants of a session. */
function peersOf(
  { folder, participant }: Role,
  registered: readonly RegisteredCli[],
): CliProcess[] {
  return registeredInSession(registered, folder).flatMap(({ process, seats }) =>
    seats.some((it) => it.participant !== participant) ? [process] : [],
  );
}

const replaced: RolesFound = {
  wakeUps: [],
  waits: [],
  watched: [],
  isReplaced: true,
  againMs: undefined,
  isTorn: false,
};

function foldersOf(roles: readonly Role[]): string[] {
  return roles.flatMap(({ session: { place }, participant }) =>
    place.workspace === undefined
      ? [place.folder]
      : [place.folder, inboxOf(place.workspace, participant)],
  );
}

function leastOf(
  configs: readonly Config[],
  name: "polling_interval_seconds" | "heartbeat_seconds",
): number {
  return Math.min(...configs.map((config) => config[name])) * 1_000;
}
