import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { existsSync } from "../files/disk.ts";
import { systemClock } from "../script/clock.ts";
import { print, printErrorLines } from "../script/output.ts";
import type { Place } from "../session/place.ts";
import { loadSession } from "../session/session.ts";
import {
  announcePresence,
  leave,
  presencePath,
  touchPresence,
} from "../session/waiting/presence.ts";
import { type WaitEnd, waitUntil } from "../session/waiting/wait-until.ts";
import { authorsIn } from "./board-files.ts";
import { type Reader, recordOthers } from "./open-board-for.ts";
import { type Polled, poll } from "./poll.ts";
import { isAgentName } from "./rules/board-names.ts";
import { agentOf, neededAgents, readyAgents } from "./rules/state.ts";

/** Looks once and says what the original says. */
export async function lookAtBoard(place: Place, reader: Reader): Promise<Polled["verdict"]> {
  const polled = await poll(await loadSession(place), systemClock);
  printStranger(polled, reader.name);
  await recordOthers(place, reader, systemClock);
  printVerdict(polled);
  return polled.verdict;
}

/** The original checks no name; a mistyped one would wait for ever for itself. */
function printStranger({ board }: Polled, agent: string): void {
  if (agentOf(board, agent) !== undefined) return;
  const known = board.agents.map(({ name }) => name).join(", ") || "nobody";
  const told = `note: ${quote(agent)} is not registered on this board (${known}); nobody waits for it`;
  printErrorLines(told);
}

/**
 * Blocks until all agents are ready or the deadline has passed, at most `timeoutMs`. Wakes by
 * changes of the board's files, whoever makes them.
 */
export async function waitAtBoard(
  place: Place,
  reader: Reader,
  timeoutMs: number | undefined,
): Promise<Polled["verdict"] | Exclude<WaitEnd, string>> {
  const { name: agent } = reader;
  let polled = await poll(await loadSession(place), systemClock);
  let torn = 0;
  printStranger(polled, agent);
  if (polled.verdict === "waiting") {
    const end = await withPresence(place, agent, (heartbeat) =>
      waitUntil({
        folders: () => foldersOf(place),
        pollIntervalMs: polled.board.settings.pollIntervalSeconds * 1_000,
        timeoutMs,
        heartbeatMs: place.config.heartbeat_seconds * 1_000,
        heartbeat,
        async check() {
          const now = await pollAgain(polled, torn < tornLooksMax);
          torn = now === undefined ? torn + 1 : 0;
          if (now === undefined) return tornLookMs;
          polled = now;
          return polled.verdict === "waiting" ? millisecondsLeft(polled) : "done";
        },
      }),
    );
    if (typeof end === "object") return end;
  }
  await recordOthers(place, reader, systemClock);
  printVerdict(polled);
  return polled.verdict;
}

/** Somebody who rewrites meta.md by hand is given that long. */
const tornLookMs = 500;
const tornLooksMax = 6;

/** Undefined while the board cannot be read and that `mayPass`. */
async function pollAgain({ session }: Polled, mayPass: boolean): Promise<Polled | undefined> {
  try {
    return await poll(session, systemClock);
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED" || !mayPass) throw cause;
    return undefined;
  }
}

function printVerdict({ board, verdict }: Polled): void {
  const ready = readyAgents(board).length;
  // Who came beyond those expected is waited for as well.
  const count = `${ready}/${neededAgents(board)} agents ready`;
  if (verdict === "waiting") print(`waiting (${count})\n`);
  else if (verdict === "timeout") print(`timeout (${count}, deadline passed)\n`);
  else print(`all-ready (${ready}/${board.settings.expectedAgents} agents)\n`);
}

/** The log, the list of agents and every agent's own folder, where a mark of readiness appears. */
function foldersOf(place: Place): string[] {
  const findings = join(place.folder, "findings");
  const own = authorsIn(place).map((agent) => join(findings, agent));
  return [place.folder, findings, ...own].filter((folder) => existsSync(folder));
}

/** Who registered by an original is given the time to set the deadline. */
const deadlineLookMs = 1_000;

/** Until the deadline; while nobody has registered, any change tells. */
function millisecondsLeft({ deadlineMs, lacksDeadline }: Polled): number | undefined {
  if (lacksDeadline) return deadlineLookMs;
  if (Number.isNaN(deadlineMs)) return undefined;
  return Math.min(Math.max(1, deadlineMs - Date.now()), 2 ** 31 - 1);
}

/**
 * Whoever waits is seen to wait. What is no agent's name leaves no trace, and a board that cannot be
 * written is only looked at.
 */
async function withPresence(
  place: Place,
  agent: string,
  wait: (beat: () => void) => Promise<WaitEnd>,
): Promise<WaitEnd> {
  const path = isAgentName(agent) ? announced(place, agent) : undefined;
  if (path === undefined) return wait(() => undefined);
  try {
    return await wait(() => touchPresence(path, agent, systemClock.now()));
  } finally {
    leave(path);
  }
}

function announced(place: Place, agent: string): string | undefined {
  try {
    const path = presencePath(place, agent);
    announcePresence(path, agent, systemClock.now());
    return path;
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return undefined;
  }
}
