import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, parseJsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import {
  namesIn,
  readFileIfPresent,
  sweepTemporaryFiles,
  writeFileAtomically,
} from "../files/atomic-file.ts";
import { lstatSync } from "../files/disk.ts";
import { orNothing } from "../files/errno.ts";
import { discard } from "../files/regular-file.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { CliProcess } from "./cli-process.ts";
import { hookedClis } from "./hook-entries.ts";
import { isRunning } from "./is-running.ts";
import { lookAtProcesses, type ProcessLook } from "./process-table.ts";

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

/** The registrations of all CLIs of this user that are not yet removed. */
export function readRegistry(home: string, look: ProcessLook): RegisteredCli[] {
  return readSeatFiles(home).map((found) => seatedNow(found, look));
}

/**
 * The CLIs of this user that are registered; with the real path of a session's folder those for it, with
 * their registrations there. Processes are looked at only where there is one.
 */
export async function registeredIn(home: string, folder?: string): Promise<RegisteredCli[]> {
  const all = readSeatFiles(home);
  const found = folder === undefined ? all : registeredInSession(all, folder);
  if (found.length === 0) return [];
  const look = await lookAtProcesses();
  return found.map((it) => seatedNow(it, look));
}

/** The CLIs registered for one session, each with its registrations for that one. */
export function registeredInSession<T extends SeatFile>(all: readonly T[], folder: string): T[] {
  return all.flatMap((it) => {
    const seats = it.seats.filter((seat) => seat.folder === folder);
    return seats.length === 0 ? [] : [{ ...it, seats }];
  });
}

type SeatFile = Pick<RegisteredCli, "process" | "seats">;

function readSeatFiles(home: string): SeatFile[] {
  const folder = registryFolder(home);
  return namesOfSeatFiles(folder).flatMap((name) => readSeatFile(join(folder, name)) ?? []);
}

function seatedNow(found: SeatFile, look: ProcessLook): RegisteredCli {
  const isAlive = isRunning(found.process, look);
  const longAgo = new Date(Date.now() - unknownMs).toISOString();
  return { ...found, isAlive, mayLive: isAlive ?? hasActedSince(found.seats, longAgo) };
}

function hasActedSince(seats: readonly Registration[], time: string): boolean {
  return seats.some(({ at }) => at >= time);
}

function namesOfSeatFiles(folder: string): string[] {
  try {
    return namesIn(folder).filter((name) => /^\d+\.json$/.test(name));
  } catch (cause) {
    // Where no registration can be kept, there is none.
    if (cause instanceof ConsultaError) return [];
    throw cause;
  }
}

/**
 * Which CLI acts for a participant of a session: of those that are alive, or may be, the one that
 * acted last.
 */
export function ownerOf(
  all: readonly RegisteredCli[],
  { folder, participant }: Pick<Registration, "folder" | "participant">,
): RegisteredCli | undefined {
  const held = all.flatMap((it) =>
    it.mayLive
      ? it.seats
          .filter((seat) => seat.folder === folder && seat.participant === participant)
          .map(({ at }) => ({ it, at }))
      : [],
  );
  return held.sort((one, other) => (one.at < other.at ? 1 : -1))[0]?.it;
}

/** Removes the files of CLIs that ended long ago. */
export function sweepRegistry(home: string, all: readonly RegisteredCli[], before: string): void {
  sweepTemporaryFiles(registryFolder(home));
  sweepHookFiles(home, all, before);
  for (const { process, seats, isAlive } of all) {
    if (isAlive === true || hasActedSince(seats, before)) continue;
    for (const ending of [".json", ".hook.json"])
      discard(join(registryFolder(home), `${process.pid}${ending}`));
  }
}

/** Those of CLIs that never registered. */
function sweepHookFiles(home: string, all: readonly RegisteredCli[], before: string): void {
  const registered = new Set(all.map(({ process }) => `${process.pid}.hook.json`));
  const folder = registryFolder(home);
  for (const name of namesIn(folder)) {
    if (!/^\d+\.hook\.json$/.test(name) || registered.has(name)) continue;
    const { mtime } = lstatSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    if (mtime !== undefined && mtime.toISOString() < before) discard(join(folder, name));
  }
}

/** Undefined for a file that is missing or damaged: a registration is not worth a failure. */
function readSeatFile(path: string): SeatFile | undefined {
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
