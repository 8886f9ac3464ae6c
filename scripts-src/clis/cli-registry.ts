import { join } from "node:path";
import { isRecord, listIn, parseJson, parseJsonObject } from "../base/json.ts";
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
import { readSignedFile, writeSignedFile } from "../files/user-key.ts";
import { type CliProcess, isConversation } from "./cli-process.ts";
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
  const others = seatsOf(home, cli).filter((it) => !isSameRole(it, seat));
  writeSeats(home, cli, [...others, seat].slice(-limits.seatsOfOneCli));
}

function writeSeats(home: string, cli: CliProcess, seats: readonly Registration[]): void {
  makeRegistryFolder(home);
  // No sync: after a power cut none of these processes is alive.
  writeFileAtomically(pathOf(home, cli), `${JSON.stringify({ ...cli, seats })}\n`, {
    sync: "nothing",
  });
}

function seatsOf(home: string, cli: CliProcess): readonly Registration[] {
  const known = readSeatFile(pathOf(home, cli));
  return known !== undefined && isSame(known.process, cli) ? known.seats : [];
}

/**
 * Where the scripts of a conversation that cannot write into the home leave their registrations for its next hook;
 * `root` is the workspace's folder.
 */
export function handoverPath(root: string, conversation: string): string {
  return join(root, "presence", `${conversation}.roles`);
}

/**
 * Leaves a registration there. Nothing is left where the user has no key yet: a hook makes one.
 * @throws ConsultaError when it cannot be written.
 */
export function handRoleOver(root: string, conversation: string, seat: Registration): void {
  const path = handoverPath(root, conversation);
  const others = rolesHandedOver(path).filter((it) => !isSameRole(it, seat));
  ensureFolder(root, "presence");
  writeSignedFile(path, JSON.stringify([...others, seat].slice(-limits.seatsOfOneCli)));
}

/**
 * Registers a conversation for all that was left there since it was registered last.
 * @throws ConsultaError when it cannot be written.
 */
export function takeRolesOver(home: string, cli: CliProcess, path: string): void {
  const known = seatsOf(home, cli);
  const isKnown = (seat: Registration) =>
    known.some((it) => isSameRole(it, seat) && it.at >= seat.at);
  for (const seat of rolesHandedOver(path)) if (!isKnown(seat)) registerRole(home, cli, seat);
}

/** Notes that a conversation has ended, whose process may go on: from now on it counts as one of a CLI that has ended. */
export function endConversation(home: string, cli: CliProcess): void {
  const seats = seatsOf(home, cli);
  if (seats.length > 0) writeSeats(home, { ...cli, pid: 0 }, seats);
}

function rolesHandedOver(path: string): Registration[] {
  const text = orNothing(() => readSignedFile(path, seatFileBytes));
  return listIn(parseJson(text ?? "")).filter(isSeat);
}

/** A participant of a session, as a registration names it. */
export type SeatName = Pick<Registration, "folder" | "participant">;

export function isSameRole(one: SeatName, other: SeatName): boolean {
  return one.folder === other.folder && one.participant === other.participant;
}

/** Removes all its registrations. */
export function unregisterCli(home: string, cli: CliProcess): void {
  discard(pathOf(home, cli));
}

function pathOf(home: string, cli: CliProcess): string {
  return join(registryFolder(home), `${registryName(cli)}.json`);
}

/** What the files about a CLI are called in that folder, before the dot. */
export function registryName({ pid, conversation }: CliProcess): string {
  return conversation ?? `${pid}`;
}

/** Whether two descriptions are of one run of a CLI. */
export function isSame(one: CliProcess, other: CliProcess): boolean {
  const [first, second] = [one, other].map(
    ({ pid, host, started, conversation = "" }) => `${pid} ${started} ${host} ${conversation}`,
  );
  return first === second;
}

/** The registrations of all CLIs of this user that are not yet removed; none where none can be kept. */
export function readRegistry(home: string, look = lookAtProcesses()): RegisteredCli[] {
  const folder = registryFolder(home);
  const names = orNothing(() => namesIn(folder)) ?? [];
  const longAgo = new Date(Date.now() - unknownMs).toISOString();
  return names
    .filter((name) => /^[\w-]+\.json$/.test(name))
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
export function ownerOf(all: readonly RegisteredCli[], of: SeatName): RegisteredCli | undefined {
  const isFor = (seat: Registration) => isSameRole(seat, of);
  const held = all
    .filter(({ mayLive }) => mayLive)
    .flatMap((it) => it.seats.filter(isFor).map(({ at }) => ({ it, at })));
  return held.sort((one, other) => (one.at < other.at ? 1 : -1))[0]?.it;
}

/** Removes what CLIs left that are not alive and did nothing for so long, registered or not. */
export function sweepRegistry(home: string, all: readonly RegisteredCli[], longMs: number): void {
  const folder = registryFolder(home);
  sweepTemporaryFiles(folder);
  const alive = all.flatMap(({ isAlive, process }) => (isAlive ? registryName(process) : []));
  for (const name of namesIn(folder)) {
    const [, whose] = /^([\w-]+)(?:\.json|\.hook\.json|\.bell)$/.exec(name) ?? [];
    if (whose !== undefined && !alive.includes(whose)) discardIfOld(join(folder, name), longMs);
  }
}

/** Undefined for a file that is missing or damaged: a registration is not worth a failure. */
function readSeatFile(path: string): Pick<RegisteredCli, "process" | "seats"> | undefined {
  const value = readJsonObject(path);
  if (value === undefined) return undefined;
  const { pid, host, started, cli: given, conversation, seats } = value;
  const cli = [...hookedClis, "consult" as const].find((name) => name === given);
  if (typeof pid !== "number" || typeof host !== "string" || cli === undefined) return undefined;
  if (typeof started !== "string" || !Array.isArray(seats)) return undefined;
  const named = isConversation(conversation) ? { conversation } : {};
  return { process: { pid, host, started, cli, ...named }, seats: seats.filter(isSeat) };
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
