import type { ConsultaError } from "../../base/errors.ts";
import { isRunning, type ProcessName } from "../../clis/is-running.ts";
import { orNothing } from "../../files/disk.ts";
import { watchFolder } from "../../files/watch-folder.ts";
import type { EventLog, LogFollower } from "../../log/event-log.ts";
import { systemClock } from "../../script/clock.ts";
import { catchInterruption } from "../../script/interruption.ts";
import { printErrorLines } from "../../script/output.ts";
import type { Session } from "../session.ts";
import { announcePresence, leave, touchPresence } from "./presence.ts";

/** What a process waits for, and what it looks at meanwhile. */
export interface Following {
  /**
   * Looks at the state. "done" ends the wait; a number asks for another look after at most so many
   * milliseconds; undefined asks for one after the next change.
   */
  check(): Promise<"done" | number | undefined>;
  /** Folders whose changes may end the wait; asked again after every look, because there may be new ones. */
  folders(): readonly string[];
  /** How often to look where the system tells of no changes. */
  readonly pollIntervalMs: number;
  /** Undefined waits without limit. */
  readonly timeoutMs?: number | undefined;
  /** It looks at least so often, and those who wait show that they still do. */
  readonly heartbeatMs: number;
  /** Whom others see as present meanwhile; asked again after every look. */
  present?(): readonly Present[];
  /** Logs into which other machines append as well. */
  readonly logs?: readonly FollowedLog[];
  /** Called where such a log is not what it was; else that ends the wait by its error. */
  onFault?(fault: Error): void;
  /** Processes whose end asks for a look; asked again after every look. */
  processes?(): readonly ProcessName[];
  /** Called once before the first look, with a function that asks for another one at any time. */
  begin?(lookAgain: () => void): void;
}

/** A participant that waits, and the presence file that says so. */
export interface Present {
  readonly agent: string;
  readonly path: string;
}

/** How a wait ended; a signal is told by the exit code by which shells know it. */
export type WaitEnd = "done" | "timeout" | { readonly exitCode: number };

/** No system reports the end of a process that is not one's own child. */
const processLookMs = 1_000;

/**
 * Waits until `check` is satisfied. It looks once after all is watched and then after every change:
 * always at the state, never at the change itself, so that no earlier change is missed. Nothing of it
 * keeps the process alive afterwards.
 */
export async function follow(following: Following): Promise<WaitEnd> {
  const { timeoutMs = Number.POSITIVE_INFINITY } = following;
  const deadline = Date.now() + timeoutMs;
  const alarm = new Alarm();
  // A handler of signals keeps the process alive, so the wait must end.
  const interruption = catchInterruption();
  interruption.signal.addEventListener("abort", alarm.ring);
  const watched: Watched = new Map();
  const logs = new FollowedLogs();
  const presences = new Presences(following.heartbeatMs);
  const reported = new Set<string>();
  try {
    // Only once a signal can end the wait: one that came before would leave the files behind.
    presences.keep(following.present?.() ?? []);
    following.begin?.(alarm.ring);
    await logs.begin(following.logs ?? [], alarm.ring, printUnreachable);
    await watch(watched, following, alarm.ring);
    for (;;) {
      alarm.hasRung = false;
      if (logs.fault !== undefined) faultIn(following, logs.fault);
      const answer = await following.check();
      if (answer === "done") return "done";
      const exitCode = interruption.exitCode();
      if (exitCode !== undefined) return { exitCode };
      if (Date.now() >= deadline) return "timeout";
      presences.keep(following.present?.() ?? []);
      // A new folder may have changed before it was watched: look once more.
      if (await watch(watched, following, alarm.ring)) continue;
      const next = Date.now() + Math.min(answer ?? following.heartbeatMs, following.heartbeatMs);
      const hasEnded = () => haveEnded(following.processes?.() ?? [], reported);
      await pause(alarm, Math.min(next, deadline), hasEnded);
    }
  } finally {
    interruption.release();
    presences.keep([]);
    await Promise.all([...watched.values()].map((stop) => stop()));
    await logs.end();
  }
}

/**
 * Calls `onChange` when the log of a session may have grown, perhaps more often, also by what other machines
 * append; returns the function that stops it. `onFault` is told as a `LogFollower` is: who only looks on learns
 * of a fault from the next script that acts.
 */
export async function watchLog(
  { place, log }: { readonly place: Pick<Session["place"], "folder">; readonly log: EventLog },
  onChange: () => void,
  onFault: LogFollower["onFault"] = () => undefined,
): Promise<() => Promise<void>> {
  const stopWatching = await watchFolder(place.folder, onChange);
  const stopFollowing = await log.follow({ onFault });
  return async () => {
    await stopFollowing();
    await stopWatching();
  };
}

function faultIn({ onFault }: Following, fault: Error): void {
  if (onFault === undefined) throw fault;
  onFault(fault);
}

/** Until a time, or until the alarm rings or a process has ended. */
async function pause(alarm: Alarm, untilMs: number, hasEnded: () => boolean): Promise<void> {
  while (!alarm.hasRung && Date.now() < untilMs && !hasEnded()) {
    await alarm.sleep(Math.min(untilMs - Date.now(), processLookMs));
  }
}

/** Whether one of some processes has ended since this was last said. */
function haveEnded(processes: readonly ProcessName[], reported: Set<string>): boolean {
  const nameOf = ({ host, pid, started }: ProcessName) => `${host} ${pid} ${started}`;
  const ended = processes.filter((it) => !reported.has(nameOf(it)) && isRunning(it) === false);
  for (const it of ended) reported.add(nameOf(it));
  return ended.length > 0;
}

/** Rings at any time, and wakes who sleeps until it does. */
class Alarm {
  hasRung = false;
  #wake: () => void = () => undefined;

  readonly ring = (): void => {
    this.hasRung = true;
    this.#wake();
  };

  sleep(longestMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(), Math.min(longestMs, 2 ** 31 - 1));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

type Watched = Map<string, () => Promise<void>>;

/** Watches the folders that are new; returns whether there were any. */
async function watch(
  watched: Watched,
  { folders, pollIntervalMs }: Following,
  onChange: () => void,
): Promise<boolean> {
  const fresh = [...new Set(folders())].filter((folder) => !watched.has(folder));
  for (const folder of fresh)
    watched.set(folder, await watchFolder(folder, onChange, pollIntervalMs));
  return fresh.length > 0;
}

/** The presence files of those who wait; a folder that cannot be written has none. */
class Presences {
  readonly #heartbeatMs: number;
  #kept: readonly Present[] = [];
  #touchedMs = 0;

  constructor(heartbeatMs: number) {
    this.#heartbeatMs = heartbeatMs;
  }

  /** Shows these as present, as fresh as the heartbeat asks, and nobody else any more. */
  keep(present: readonly Present[]): void {
    const now = systemClock.now();
    const isDue = Date.now() >= this.#touchedMs + this.#heartbeatMs;
    if (isDue) this.#touchedMs = Date.now();
    const isAmong = (all: readonly Present[], path: string) => all.some((it) => it.path === path);
    for (const { path, agent } of present) {
      if (!isAmong(this.#kept, path)) orNothing(() => announcePresence(path, agent, now));
      else if (isDue) orNothing(() => touchPresence(path, agent, now));
    }
    for (const { path } of this.#kept) if (!isAmong(present, path)) leave(path);
    this.#kept = present;
  }
}

/** A log that is followed. */
export interface FollowedLog {
  readonly log: EventLog;
}

/** Brings in what other machines append, while somebody here waits for it. */
export class FollowedLogs {
  #stops: (() => Promise<void>)[] = [];
  /** Why nothing more comes of a log; undefined while all is well. */
  fault: Error | undefined;

  /** `notice` is called when there is a fault, and when there is none any more. */
  async begin(
    logs: readonly FollowedLog[],
    notice: () => void,
    onLost?: LogFollower["onLost"],
  ): Promise<void> {
    const onFault = (fault: Error | undefined) => {
      this.fault = fault;
      notice();
    };
    for (const { log } of logs) this.#stops.push(await log.follow({ onFault, onLost }));
  }

  /** @throws ConsultaError REFUSED where a log is not what it was; what else ended a watch, as it is. */
  check(): void {
    if (this.fault !== undefined) throw this.fault;
  }

  async end(): Promise<void> {
    await Promise.all(this.#stops.splice(0).map((stop) => stop()));
  }
}

/** Tells somebody who waits why nothing comes from other machines for now. */
function printUnreachable({ message, fault = message }: ConsultaError): void {
  printErrorLines(`note: ${fault}; the wait goes on until it can be reached`);
}
