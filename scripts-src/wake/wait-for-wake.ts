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

/** A session that calls for the model; or mail for it was refused. */
export interface WakeUp {
  readonly bell: WakeReason | "refused";
  readonly part: Role;
  readonly key: string;
  readonly waitedMs: number;
}

/**
 * Waits while the sessions in which this CLI holds seats want nothing of its model and its
 * colleagues are at work, and while no news of the brain came. Gives what calls for the model;
 * nothing when there is nothing to wait for any more, another hook of the same CLI took over, the
 * CLI is gone, or a signal came.
 */
export async function waitForWake(
  call: HookCall,
  process: CliProcess,
  news?: News,
): Promise<WakeUp[]> {
  if (news === undefined && !(await holdsSeats(call, process))) return [];
  const watch = new SeatWatch(call, process);
  let found = await watch.look(true);
  if (found.rung.length > 0 || isOver(found, news)) return found.rung;
  const presences = new Presences();
  presences.keep(found.waits);
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
      },
      heartbeat() {
        presences.touch();
        news?.tryAgain();
      },
      async check() {
        found = await watch.look(false);
        presences.keep(found.waits);
        lifeWatch.keep(found.players);
        return found.rung.length > 0 || isOver(found, news) ? "done" : againMs(found, news);
      },
    });
    return found.rung;
  } finally {
    lifeWatch.end();
    presences.keep([]);
  }
}

/** Whether nothing is left to wait for, or something else has come. */
function isOver({ waits, isTorn, isReplaced }: Found, news: News | undefined): boolean {
  if (isReplaced || news?.came() !== undefined) return true;
  return waits.length === 0 && !isTorn && (news?.leftMs() ?? 0) === 0;
}

function againMs(found: Found, news: News | undefined): number | undefined {
  const least = Math.min(found.againMs ?? Infinity, news?.leftMs() || Infinity);
  return Number.isFinite(least) ? Math.max(1, least) : undefined;
}

async function holdsSeats({ home }: HookCall, process: CliProcess): Promise<boolean> {
  return ownRegistrations(readRegistry(home, await lookAtProcesses()), process).length > 0;
}

interface Found {
  readonly rung: WakeUp[];
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

/** Looks at all sessions in which one CLI holds seats. */
class SeatWatch {
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

  async look(isFirst: boolean): Promise<Found> {
    const { home } = this.#call;
    const memory = readMemory(home, this.#process);
    const look = await lookAtProcesses();
    if (memory.waiter !== this.#name || lives(this.#process, look) === false) return replaced;
    const seated = readRegistry(home, look);
    const found = { rung: [] as WakeUp[], waits: [] as Role[] };
    const again: number[] = [];
    let isTorn = false;
    for (const seat of ownRegistrations(seated, this.#process)) {
      const part = await this.#load(seat);
      if (part === "torn") isTorn ||= !isFirst;
      else if (part !== undefined) this.#judge(part, { seated, memory, isFirst, found, again });
    }
    if (isTorn) again.push(limits.tornLookMs);
    const isReplaced = false;
    return {
      ...found,
      players: [this.#process, ...found.waits.flatMap((part) => playersOf(part, seated))],
      isReplaced,
      isTorn,
      againMs: again.length === 0 ? undefined : Math.min(...again),
    };
  }

  async #load(seat: Registration): Promise<Role | "torn" | undefined> {
    const looks = this.#tornLooks.get(seat.folder) ?? 0;
    if (looks >= limits.tornLooks) return undefined;
    try {
      const part = await loadRole(seat, systemClock);
      this.#tornLooks.delete(seat.folder);
      return part;
    } catch (cause) {
      logFailure(this.#call, cause);
      this.#tornLooks.set(seat.folder, looks + 1);
      return "torn";
    }
  }

  #judge(part: Role, { seated, memory, isFirst, found, again }: Judging): void {
    const waitedMs = Date.now() - this.#startMs;
    const situation = wakeStateOf(part, seated, systemClock.now(), waitedMs);
    const told = remindedOf(memory, part);
    const bell = wakeReasonOf(situation, told, isFirst);
    const { key } = situation;
    if (part.refused > 0) found.rung.push({ bell: "refused", part, key, waitedMs });
    if (bell === "rest") return;
    if (bell !== "wait") {
      found.rung.push({ bell, part, key, waitedMs });
      return;
    }
    found.waits.push(part);
    if (told !== undefined && isBack(situation, told))
      rememberReminded(this.#call.home, this.#process, [{ ...told, alert: undefined }]);
    again.push(Math.max(1, situation.waitMsMax - waitedMs));
  }
}

interface Judging {
  readonly seated: readonly RegisteredCli[];
  readonly memory: HookMemory;
  readonly isFirst: boolean;
  readonly found: { rung: WakeUp[]; waits: Role[] };
  readonly again: number[];
}

function playersOf({ folder, participant }: Role, seated: readonly RegisteredCli[]): CliProcess[] {
  return registeredInSession(seated, folder).flatMap(({ process, seats }) =>
    seats.some((it) => it.participant !== participant) ? [process] : [],
  );
}

const replaced: Found = {
  rung: [],
  waits: [],
  players: [],
  isReplaced: true,
  againMs: undefined,
  isTorn: false,
};

function foldersOf(parts: readonly Role[]): string[] {
  return parts.flatMap(({ session: { place }, participant }) =>
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
  keep(parts: readonly Role[]): void {
    const wanted = new Map(
      parts.map(({ session, participant }) => [
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
