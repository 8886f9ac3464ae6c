import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { type HookedCli, hookedClis } from "../core/hook-entries.ts";
import { isRecord } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import {
  namesIn,
  readFileIfPresent,
  sweepTemporaryFiles,
  writeFileAtomically,
} from "../store/atomic-file.ts";
import { discard } from "../store/regular-file.ts";
import { ensureFolder } from "../store/safe-path.ts";
import { lives } from "./process-life.ts";
import { type Look, lookAtProcesses } from "./processes.ts";

/** A running CLI, or a run of `consult`, which plays all participants of its session. */
export interface CliProcess {
  readonly pid: number;
  readonly host: string;
  /** Empty where nobody can tell; see `ProcessName`. */
  readonly started: string;
  readonly cli: HookedCli | "consult";
}

/** Which participant a running CLI plays in which session. */
export interface Seat {
  /** The session's folder by its real path. */
  readonly folder: string;
  readonly participant: string;
  /** When the CLI last ran a script for it; the window that acted last holds the seat. */
  readonly at: string;
  /** How far the log was then. */
  readonly seq: number;
  /** The folder of the scripts that it runs. */
  readonly scripts: string;
}

/** A CLI's seats, and whether it lives; undefined for one on another host, of which nobody knows. */
export interface Seated {
  readonly process: CliProcess;
  readonly seats: readonly Seat[];
  readonly isAlive: boolean | undefined;
  /** Whether it lives, or ran a script so lately that it may. */
  readonly mayLive: boolean;
}

/** A CLI on another host, a container maybe, that did nothing for so long is taken for gone. */
const unknownMs = 86_400_000;

const seatFileBytes = 262_144;

/** Where the user's running CLIs keep their seats: `home` is the user's own folder. */
export function seatsFolder(home: string): string {
  return join(home, ".consulta", "seats");
}

/** @throws ConsultaError UNAVAILABLE or REFUSED when nothing can be kept there. */
export function makeSeatsFolder(home: string): string {
  return ensureFolder(home, ".consulta", "seats");
}

/**
 * Notes that a running CLI plays a participant.
 * @throws ConsultaError when it cannot be written.
 */
export function takeSeat(home: string, cli: CliProcess, seat: Seat): void {
  const known = readSeatFile(pathOf(home, cli));
  const before = known !== undefined && isSame(known.process, cli) ? known.seats : [];
  const others = before.filter(
    ({ folder, participant }) => folder !== seat.folder || participant !== seat.participant,
  );
  const seats = [...others, seat].slice(-limits.seatsOfOneCli);
  makeSeatsFolder(home);
  // After a power cut none of these processes lives.
  writeFileAtomically(pathOf(home, cli), `${JSON.stringify({ ...cli, seats })}\n`, {
    sync: "nothing",
  });
}

/** Gives all its seats back. */
export function leaveSeats(home: string, cli: CliProcess): void {
  discard(pathOf(home, cli));
}

function pathOf(home: string, { pid }: CliProcess): string {
  return join(seatsFolder(home), `${pid}.json`);
}

/** Whether two descriptions are of one run of a CLI. */
export function isSame(one: CliProcess, other: CliProcess): boolean {
  const [first, second] = [one, other].map(({ pid, host, started }) => `${pid} ${started} ${host}`);
  return first === second;
}

/** The seats of all CLIs that this user ever ran here and that are still remembered. */
export function readSeats(home: string, look: Look): Seated[] {
  return readSeatFiles(home).map((found) => seatedNow(found, look));
}

/**
 * The CLIs with a seat in one session, by its folder's real path. Processes are looked at only where
 * there is one.
 */
export async function seatsIn(home: string, folder: string): Promise<Seated[]> {
  const found = seatedIn(readSeatFiles(home), folder);
  if (found.length === 0) return [];
  const look = await lookAtProcesses();
  return found.map((it) => seatedNow(it, look));
}

/** Those with a seat in one session, each with its seats in that one. */
export function seatedIn<T extends SeatFile>(all: readonly T[], folder: string): T[] {
  return all.flatMap((it) => {
    const seats = it.seats.filter((seat) => seat.folder === folder);
    return seats.length === 0 ? [] : [{ ...it, seats }];
  });
}

type SeatFile = Pick<Seated, "process" | "seats">;

function readSeatFiles(home: string): SeatFile[] {
  const folder = seatsFolder(home);
  return namesOfSeatFiles(folder).flatMap((name) => readSeatFile(join(folder, name)) ?? []);
}

function seatedNow(found: SeatFile, look: Look): Seated {
  const isAlive = lives(found.process, look);
  const longAgo = new Date(Date.now() - unknownMs).toISOString();
  return { ...found, isAlive, mayLive: isAlive ?? hasActedSince(found.seats, longAgo) };
}

function hasActedSince(seats: readonly Seat[], time: string): boolean {
  return seats.some(({ at }) => at >= time);
}

function namesOfSeatFiles(folder: string): string[] {
  try {
    return namesIn(folder).filter((name) => /^\d+\.json$/.test(name));
  } catch (cause) {
    // Where no seats can be kept, nobody has one.
    if (cause instanceof ConsultaError) return [];
    throw cause;
  }
}

/**
 * Which CLI holds a participant's seat in a session: of those that live, or may live, the one that
 * acted last.
 */
export function holderOf(
  all: readonly Seated[],
  { folder, participant }: Pick<Seat, "folder" | "participant">,
): Seated | undefined {
  const held = all.flatMap((it) =>
    it.mayLive
      ? it.seats
          .filter((seat) => seat.folder === folder && seat.participant === participant)
          .map(({ at }) => ({ it, at }))
      : [],
  );
  return held.sort((one, other) => (one.at < other.at ? 1 : -1))[0]?.it;
}

/** Removes what CLIs left that ended long ago. */
export function sweepSeats(home: string, all: readonly Seated[], before: string): void {
  sweepTemporaryFiles(seatsFolder(home));
  for (const { process, seats, isAlive } of all) {
    if (isAlive === true || hasActedSince(seats, before)) continue;
    for (const ending of [".json", ".hook.json"])
      discard(join(seatsFolder(home), `${process.pid}${ending}`));
  }
}

/** Undefined for a file that is missing or damaged: nobody's seat is worth a failure. */
function readSeatFile(path: string): SeatFile | undefined {
  const value = readJsonIfSound(path);
  if (!isRecord(value)) return undefined;
  const { pid, host, started, cli: given, seats } = value;
  const cli = [...hookedClis, "consult" as const].find((name) => name === given);
  if (typeof pid !== "number" || typeof host !== "string" || cli === undefined) return undefined;
  if (typeof started !== "string" || !Array.isArray(seats)) return undefined;
  return { process: { pid, host, started, cli }, seats: seats.filter(isSeat) };
}

/** What a file holds; undefined when it is missing, damaged or no regular file. */
export function readJsonIfSound(path: string): unknown {
  try {
    return JSON.parse(readFileIfPresent(path, seatFileBytes) ?? "");
  } catch {
    return undefined;
  }
}

function isSeat(value: unknown): value is Seat {
  if (!isRecord(value)) return false;
  const { folder, participant, at, seq, scripts } = value;
  const words = [folder, participant, at, scripts];
  return words.every((it) => typeof it === "string") && typeof seq === "number";
}
