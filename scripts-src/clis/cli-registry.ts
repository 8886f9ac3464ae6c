import { join } from "node:path";
import { isRecord, parseJsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import {
  discardIfOld,
  namesIn,
  readFileIfPresent,
  sweepTemporaryFiles,
  writeFileAtomically,
} from "../files/atomic-file.ts";
import { orNothing } from "../files/disk.ts";
import { discard } from "../files/safe-open.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { CliProcess } from "./cli-process.ts";
import { hookedClis } from "./hook-entries.ts";
import { isRunning, lookAtProcesses } from "./is-running.ts";

/** Which participant a running CLI acts for in which session. */
export interface Registration {
  /** The session's folder by its real path. */
  readonly folder: string;
  readonly participant: string;
  /** When the CLI last ran a script for it; the window that acted last is the one that counts. */
  readonly at: string;
  /** How far the log was then. */
  readonly seq: number;
  /** The folder of the scripts that it runs. */
  readonly scripts: string;
}

/** A CLI's registrations, and whether it is alive; undefined for one on another host. */
export interface RegisteredCli {
  readonly process: CliProcess;
  readonly seats: readonly Registration[];
  readonly isAlive: boolean | undefined;
  /** Whether it is alive, or ran a script so lately that it may be. */
  readonly mayLive: boolean;
}

/** A CLI on another host, such as a container, counts as gone after it did nothing for this long. */
const unknownMs = 86_400_000;

const seatFileBytes = 262_144;

/** Where the registrations of the user's CLIs are kept: `home` is the user's own folder. */
export function registryFolder(home: string): string {
  return join(home, ".consulta", "seats");
}

/** @throws ConsultaError UNAVAILABLE or REFUSED when nothing can be kept there. */
export function makeRegistryFolder(home: string): string {
  return ensureFolder(home, ".consulta", "seats");
}

/**
 * Registers a running CLI for a participant.
 * @throws ConsultaError when it cannot be written.
 */
export function registerRole(home: string, cli: CliProcess, seat: Registration): void {
  const known = readSeatFile(pathOf(home, cli));
  const before = known !== undefined && isSame(known.process, cli) ? known.seats : [];
  const others = before.filter(
    ({ folder, participant }) => folder !== seat.folder || participant !== seat.participant,
  );
  const seats = [...others, seat].slice(-limits.seatsOfOneCli);
  makeRegistryFolder(home);
  // No sync: after a power cut none of these processes is alive.
  writeFileAtomically(pathOf(home, cli), `${JSON.stringify({ ...cli, seats })}\n`, {
    sync: "nothing",
  });
}

/** Removes all its registrations. */
export function unregisterCli(home: string, cli: CliProcess): void {
  discard(pathOf(home, cli));
}

function pathOf(home: string, { pid }: CliProcess): string {
  return join(registryFolder(home), `${pid}.json`);
}

/** Whether two descriptions are of one run of a CLI. */
export function isSame(one: CliProcess, other: CliProcess): boolean {
  const [first, second] = [one, other].map(({ pid, host, started }) => `${pid} ${started} ${host}`);
  return first === second;
}

/** The registrations of all CLIs of this user that are not yet removed; none where none can be kept. */
export function readRegistry(home: string, look = lookAtProcesses()): RegisteredCli[] {
  const folder = registryFolder(home);
  const names = orNothing(() => namesIn(folder)) ?? [];
  const longAgo = new Date(Date.now() - unknownMs).toISOString();
  return names
    .filter((name) => /^\d+\.json$/.test(name))
    .flatMap((name) => {
      const found = readSeatFile(join(folder, name));
      if (found === undefined) return [];
      const isAlive = isRunning(found.process, look);
      return [
        { ...found, isAlive, mayLive: isAlive ?? found.seats.some(({ at }) => at >= longAgo) },
      ];
    });
}

/** The CLIs registered for one session, each with its registrations for that one. */
export function registeredInSession(
  all: readonly RegisteredCli[],
  folder: string,
): RegisteredCli[] {
  return all.flatMap((it) => {
    const seats = it.seats.filter((seat) => seat.folder === folder);
    return seats.length === 0 ? [] : [{ ...it, seats }];
  });
}

/**
 * Which CLI acts for a participant of a session: of those that are alive, or may be, the one that
 * acted last.
 */
export function ownerOf(
  all: readonly RegisteredCli[],
  { folder, participant }: Pick<Registration, "folder" | "participant">,
): RegisteredCli | undefined {
  const isFor = (seat: Registration) => seat.folder === folder && seat.participant === participant;
  const held = all
    .filter(({ mayLive }) => mayLive)
    .flatMap((it) => it.seats.filter(isFor).map(({ at }) => ({ it, at })));
  return held.sort((one, other) => (one.at < other.at ? 1 : -1))[0]?.it;
}

/** Removes what CLIs left that are not alive and did nothing for so long, registered or not. */
export function sweepRegistry(home: string, all: readonly RegisteredCli[], longMs: number): void {
  const folder = registryFolder(home);
  sweepTemporaryFiles(folder);
  const alive = all.flatMap(({ isAlive, process }) => (isAlive ? String(process.pid) : []));
  for (const name of namesIn(folder)) {
    const [, pid] = /^(\d+)(?:\.json|\.hook\.json|\.bell)$/.exec(name) ?? [];
    if (pid !== undefined && !alive.includes(pid)) discardIfOld(join(folder, name), longMs);
  }
}

/** Undefined for a file that is missing or damaged: a registration is not worth a failure. */
function readSeatFile(path: string): Pick<RegisteredCli, "process" | "seats"> | undefined {
  const value = readJsonObject(path);
  if (value === undefined) return undefined;
  const { pid, host, started, cli: given, seats } = value;
  const cli = [...hookedClis, "consult" as const].find((name) => name === given);
  if (typeof pid !== "number" || typeof host !== "string" || cli === undefined) return undefined;
  if (typeof started !== "string" || !Array.isArray(seats)) return undefined;
  return { process: { pid, host, started, cli }, seats: seats.filter(isSeat) };
}

/** The object in a file; undefined when the file is missing, damaged or no regular file. */
export function readJsonObject(path: string): Record<string, unknown> | undefined {
  return parseJsonObject(orNothing(() => readFileIfPresent(path, seatFileBytes)) ?? "");
}

function isSeat(value: unknown): value is Registration {
  if (!isRecord(value)) return false;
  const { folder, participant, at, seq, scripts } = value;
  const words = [folder, participant, at, scripts];
  return words.every((it) => typeof it === "string") && typeof seq === "number";
}
