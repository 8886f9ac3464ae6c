import { limits } from "../base/limits.ts";
import type { CliProcess } from "../clis/cli-process.ts";
import {
  type RegisteredCli,
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
import { type HookCall, logFailure, type News } from "./hook-call.ts";
import {
  changeHookMemory,
  type HookMemory,
  readMemory,
  rememberTold,
  toldOf,
} from "./hook-state.ts";
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
  if (news === undefined && ownRegistrations(readRegistry(call.home), process).length === 0)
    return [];
  const watch = new RoleWatch(call, process);
  let found = await watch.look();
  if (found.wakeUps.length > 0 || isOver(found, news)) return found.wakeUps;
  const configs = found.waits.map(({ session }) => session.place.config);
  if (call.workspace !== undefined) configs.push(call.workspace.config);
  await follow({
    async check() {
      found = await watch.look();
      return found.wakeUps.length > 0 || isOver(found, news) ? "done" : againMs(found, news);
    },
    folders: () => [registryFolder(call.home), ...found.waits.flatMap(foldersOf)],
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
  const tornMs = found.isTorn ? limits.tornLookMs : Infinity;
  const least = Math.min(...found.leftMs, news?.leftMs() || Infinity, tornMs);
  return Number.isFinite(least) ? Math.max(1, least) : undefined;
}

interface RolesFound {
  readonly wakeUps: WakeUp[];
  /** The roles to wait on for. */
  readonly waits: Role[];
  /** How long for each of them. */
  readonly leftMs: number[];
  /** The processes whose end matters: this CLI's, and those of the other participants. */
  readonly watched: CliProcess[];
  /** Whether another hook of the CLI waits now, or the CLI is gone. */
  isReplaced: boolean;
  /** Whether a session could not be read that could before: perhaps a file of it is being written. */
  isTorn: boolean;
}

/** Looks at all sessions in which one CLI has a role, for one wait of a hook. */
class RoleWatch {
  readonly #call: HookCall;
  readonly #process: CliProcess;
  readonly #name = systemClock.newId();
  readonly #startMs = Date.now();
  #isFirst = true;
  /** How often a session could not be read, by its folder; one that stays so is waited for no longer. */
  readonly #tornLooks = new Map<string, number>();

  constructor(call: HookCall, process: CliProcess) {
    this.#call = call;
    this.#process = process;
    changeHookMemory(call.home, process, { waiter: this.#name });
  }

  async look(): Promise<RolesFound> {
    const { home } = this.#call;
    const memory = readMemory(home, this.#process);
    const look = lookAtProcesses();
    const watched = [this.#process];
    const found: RolesFound = {
      ...{ wakeUps: [], waits: [], leftMs: [], watched, isReplaced: false, isTorn: false },
    };
    found.isReplaced = memory.waiter !== this.#name || isRunning(this.#process, look) === false;
    if (found.isReplaced) return found;
    const registered = readRegistry(home, look);
    for (const registration of ownRegistrations(registered, this.#process)) {
      const { folder } = registration;
      const tornLooks = this.#tornLooks.get(folder) ?? 0;
      if (tornLooks >= limits.tornLooks) continue;
      try {
        this.#add(found, await loadRole(registration), registered, memory);
        this.#tornLooks.delete(folder);
      } catch (cause) {
        logFailure(this.#call, cause);
        this.#tornLooks.set(folder, tornLooks + 1);
        found.isTorn ||= !this.#isFirst;
      }
    }
    this.#isFirst = false;
    return found;
  }

  #add(
    found: RolesFound,
    role: Role,
    registered: readonly RegisteredCli[],
    memory: HookMemory,
  ): void {
    const waitedMs = Date.now() - this.#startMs;
    const state = wakeStateOf(role, registered, systemClock.now(), waitedMs);
    const told = toldOf(memory, role);
    const reason = wakeReasonOf(state, told, this.#isFirst);
    const about = { role, key: state.key, waitedMs };
    if (role.refused > 0) found.wakeUps.push({ reason: "refused", ...about });
    if (reason !== "wait" && reason !== "rest") found.wakeUps.push({ reason, ...about });
    if (reason !== "wait") return;
    found.waits.push(role);
    found.leftMs.push(state.waitMsMax - waitedMs);
    found.watched.push(...peersOf(role, registered));
    if (told !== undefined && isBack(state, told))
      rememberTold(this.#call.home, this.#process, [{ ...told, alert: undefined }]);
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

function foldersOf({ session: { place }, participant }: Role): string[] {
  const { folder, workspace } = place;
  return workspace === undefined ? [folder] : [folder, inboxOf(workspace, participant)];
}

function leastOf(
  configs: readonly Config[],
  name: "polling_interval_seconds" | "heartbeat_seconds",
): number {
  return Math.min(...configs.map((config) => config[name])) * 1_000;
}
