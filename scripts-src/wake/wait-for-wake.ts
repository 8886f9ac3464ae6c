import { limits } from "../base/limits.ts";
import type { CliProcess } from "../clis/cli-process.ts";
import {
  type RegisteredCli,
  type Registration,
  readRegistry,
  registeredInSession,
  registryFolder,
} from "../clis/cli-registry.ts";
import { LifeWatch } from "../clis/life-watch.ts";
import { lives } from "../clis/process-life.ts";
import { lookAtProcesses } from "../clis/processes.ts";
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
  changeMemory,
  type HookMemory,
  readMemory,
  rememberReminded,
  remindedOf,
} from "./hook-memory.ts";
import { loadRole, ownRegistrations, type Role, wakeStateOf } from "./roles.ts";
import { isBack, type WakeReason, wakeReasonOf } from "./rules/wake-policy.ts";

/** A session for which the model is woken, or mail for it that was refused. */
export interface WakeUp {
  readonly reason: WakeReason | "refused";
  readonly role: Role;
  readonly key: string;
  readonly waitedMs: number;
}

/**
 * Waits until a session in which this CLI has a role calls for its model, or the brain has news.
 * Returns what calls for it; nothing when there is nothing left to wait for, another hook of the same
 * CLI took over, the CLI is gone, or a signal came.
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
  presences.keep(found.waits);
  const followed = new FollowedLogs();
  const lifeWatch = new LifeWatch();
  lifeWatch.keep(found.players);
  const configs = [...found.waits.map(({ session }) => session.place.config)];
  if (call.workspace !== undefined && news !== undefined) configs.push(call.workspace.config);
  try {
    await waitUntil({
      folders: () => [registryFolder(call.home), ...foldersOf(found.waits)],
      timeoutMs: undefined,
      pollIntervalMs: leastOf(configs, "polling_interval_seconds"),
      heartbeatMs: leastOf(configs, "heartbeat_seconds"),
      begin(notice) {
        lifeWatch.begin(notice);
        news?.begin(notice);
        return followed.begin(
          found.waits.map(({ session }) => session.log),
          notice,
        );
      },
      heartbeat() {
        presences.touch();
        news?.tryAgain();
      },
      async check() {
        found = await watch.look(false);
        presences.keep(found.waits);
        lifeWatch.keep(found.players);
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

/** Whether nothing is left to wait for, or something else has come. */
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
  readonly waits: Role[];
  /** The processes whose end changes something: this CLI's, and those of who has a turn. */
  readonly players: readonly CliProcess[];
  /** Whether another hook of the CLI waits now, or the CLI is gone. */
  readonly isReplaced: boolean;
  /** When the first of the waits reaches its limit. */
  readonly againMs: number | undefined;
  /** Whether a session could not be read and may be soon. */
  readonly isTorn: boolean;
}

/** Looks at all sessions in which one CLI has a role. */
class RoleWatch {
  readonly #call: HookCall;
  readonly #process: CliProcess;
  readonly #name = systemClock.newId();
  readonly #startMs = Date.now();
  readonly #tornLooks = new Map<string, number>();

  constructor(call: HookCall, process: CliProcess) {
    this.#call = call;
    this.#process = process;
    changeMemory(call.home, process, { waiter: this.#name });
  }

  async look(isFirst: boolean): Promise<RolesFound> {
    const { home } = this.#call;
    const memory = readMemory(home, this.#process);
    const look = await lookAtProcesses();
    if (memory.waiter !== this.#name || lives(this.#process, look) === false) return replaced;
    const registered = readRegistry(home, look);
    const found = { wakeUps: [] as WakeUp[], waits: [] as Role[] };
    const again: number[] = [];
    let isTorn = false;
    for (const registration of ownRegistrations(registered, this.#process)) {
      const role = await this.#load(registration);
      if (role === "torn") isTorn ||= !isFirst;
      else if (role !== undefined) this.#judge(role, { registered, memory, isFirst, found, again });
    }
    if (isTorn) again.push(limits.tornLookMs);
    const isReplaced = false;
    return {
      ...found,
      players: [this.#process, ...found.waits.flatMap((role) => playersOf(role, registered))],
      isReplaced,
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

  #judge(role: Role, { registered, memory, isFirst, found, again }: Judging): void {
    const waitedMs = Date.now() - this.#startMs;
    const state = wakeStateOf(role, registered, systemClock.now(), waitedMs);
    const told = remindedOf(memory, role);
    const reason = wakeReasonOf(state, told, isFirst);
    const { key } = state;
    if (role.refused > 0) found.wakeUps.push({ reason: "refused", role, key, waitedMs });
    if (reason === "rest") return;
    if (reason !== "wait") {
      found.wakeUps.push({ reason, role, key, waitedMs });
      return;
    }
    found.waits.push(role);
    if (told !== undefined && isBack(state, told))
      rememberReminded(this.#call.home, this.#process, [{ ...told, alert: undefined }]);
    again.push(Math.max(1, state.waitMsMax - waitedMs));
  }
}

interface Judging {
  readonly registered: readonly RegisteredCli[];
  readonly memory: HookMemory;
  readonly isFirst: boolean;
  readonly found: { wakeUps: WakeUp[]; waits: Role[] };
  readonly again: number[];
}

function playersOf(
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
  players: [],
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

  /** Says for whom it waits now, and takes back the others. */
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
