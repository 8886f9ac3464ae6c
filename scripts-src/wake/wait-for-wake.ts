import { limits } from "../base/limits.ts";
import type { CliProcess } from "../clis/cli-process.ts";
import {
  type RegisteredCli,
  type Registration,
  readRegistry,
  registeredInSession,
  registryFolder,
} from "../clis/cli-registry.ts";
import { isRunning } from "../clis/is-running.ts";
import { ProcessExitWatch } from "../clis/process-exit.ts";
import { lookAtProcesses } from "../clis/process-table.ts";
import type { Config } from "../protocol/config.ts";
import { systemClock } from "../script/clock.ts";
import { inboxOf } from "../session/inbox/mailbox.ts";
import { FollowedLogs } from "../session/waiting/follow-logs.ts";
import {
  announcePresence,
  leave,
  presencePath,
  touchPresence,
} from "../session/waiting/presence.ts";
import { waitUntil } from "../session/waiting/wait-until.ts";
import type { News } from "./brain-news.ts";
import { type HookCall, logFailure } from "./hook-call.ts";
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
  if (news === undefined && !(await hasRoles(call, process))) return [];
  const watch = new RoleWatch(call, process);
  let found = await watch.look(true);
  if (found.wakeUps.length > 0 || isOver(found, news)) return found.wakeUps;
  const presences = new Presences();
  const followed = new FollowedLogs();
  const lifeWatch = new ProcessExitWatch();
  lifeWatch.keep(found.watched);
  const configs = [...found.waits.map(({ session }) => session.place.config)];
  if (call.workspace !== undefined && news !== undefined) configs.push(call.workspace.config);
  try {
    await waitUntil({
      folders: () => [registryFolder(call.home), ...foldersOf(found.waits)],
      timeoutMs: undefined,
      pollIntervalMs: leastOf(configs, "polling_interval_seconds"),
      heartbeatMs: leastOf(configs, "heartbeat_seconds"),
      begin(checkAgain) {
        // Only once a signal can end the wait: one that came before would leave the files behind.
        presences.keep(found.waits);
        lifeWatch.begin(checkAgain);
        news?.begin(checkAgain);
        return followed.begin(
          found.waits.map(({ session, participant }) => {
            const { log, place } = session;
            return { log, place, participant };
          }),
          checkAgain,
        );
      },
      heartbeat() {
        presences.touch();
        news?.tryAgain();
      },
      async check() {
        // The next script that acts is stopped by it; here it may be put right.
        if (followed.fault !== undefined) logFailure(call, followed.fault);
        found = await watch.look(false);
        presences.keep(found.waits);
        lifeWatch.keep(found.watched);
        return found.wakeUps.length > 0 || isOver(found, news) ? "done" : againMs(found, news);
      },
    });
    return found.wakeUps;
  } finally {
    lifeWatch.end();
    presences.keep([]);
    await followed.end();
  }
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

async function hasRoles({ home }: HookCall, process: CliProcess): Promise<boolean> {
  return ownRegistrations(readRegistry(home, await lookAtProcesses()), process).length > 0;
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
    const look = await lookAtProcesses();
    if (memory.waiter !== this.#name || isRunning(this.#process, look) === false) return replaced;
    const registered = readRegistry(home, look);
    const found = { wakeUps: [] as WakeUp[], waits: [] as Role[] };
    const again: number[] = [];
    let isTorn = false;
    for (const registration of ownRegistrations(registered, this.#process)) {
      const role = await this.#load(registration);
      if (role === "torn") isTorn ||= !isFirst;
      else if (role !== undefined)
        this.#sort(role, { registered, memory, isFirst, ...found, again });
    }
    if (isTorn) again.push(limits.tornLookMs);
    return {
      ...found,
      watched: [this.#process, ...found.waits.flatMap((role) => peersOf(role, registered))],
      isReplaced: false,
      isTorn,
      againMs: again.length === 0 ? undefined : Math.min(...again),
    };
  }

  async #load(registration: Registration): Promise<Role | "torn" | undefined> {
    const looks = this.#tornLooks.get(registration.folder) ?? 0;
    if (looks >= limits.tornLooks) return undefined;
    try {
      const role = await loadRole(registration, systemClock);
      this.#tornLooks.delete(registration.folder);
      return role;
    } catch (cause) {
      logFailure(this.#call, cause);
      this.#tornLooks.set(registration.folder, looks + 1);
      return "torn";
    }
  }

  /** Adds a role to those that wake the model or to those to wait for; one that rests to neither. */
  #sort(role: Role, { registered, memory, isFirst, wakeUps, waits, again }: Sorting): void {
    const waitedMs = Date.now() - this.#startMs;
    const state = wakeStateOf(role, registered, systemClock.now(), waitedMs);
    const told = toldOf(memory, role);
    const reason = wakeReasonOf(state, told, isFirst);
    const { key } = state;
    if (role.refused > 0) wakeUps.push({ reason: "refused", role, key, waitedMs });
    if (reason === "rest") return;
    if (reason !== "wait") {
      wakeUps.push({ reason, role, key, waitedMs });
      return;
    }
    waits.push(role);
    if (told !== undefined && isBack(state, told))
      rememberTold(this.#call.home, this.#process, [{ ...told, alert: undefined }]);
    again.push(Math.max(1, state.waitMsMax - waitedMs));
  }
}

/** What is known at one look, and the lists that it fills. */
interface Sorting {
  readonly registered: readonly RegisteredCli[];
  readonly memory: HookMemory;
  readonly isFirst: boolean;
  readonly wakeUps: WakeUp[];
  readonly waits: Role[];
  readonly again: number[];
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

/** The presence files of all participants for whom this process waits. */
class Presences {
  #kept = new Map<string, string>();

  /** Announces those for whom it waits now, and removes the others. */
  keep(roles: readonly Role[]): void {
    const wanted = new Map(
      roles.map(({ session, participant }) => [
        presencePath(session.place, participant),
        participant,
      ]),
    );
    for (const [path, participant] of wanted) {
      if (!this.#kept.has(path)) announcePresence(path, participant, systemClock.now());
    }
    for (const path of this.#kept.keys()) if (!wanted.has(path)) leave(path);
    this.#kept = wanted;
  }

  touch(): void {
    for (const [path, participant] of this.#kept)
      touchPresence(path, participant, systemClock.now());
  }
}
