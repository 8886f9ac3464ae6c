import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { nameHint } from "../base/nearest-name.ts";
import { millisecondsOf } from "../base/time.ts";
import { existsSync } from "../files/disk.ts";
import { orNothing } from "../files/errno.ts";
import { systemClock } from "../script/clock.ts";
import { print, printErrorLines } from "../script/output.ts";
import { importChanges, previewChanges } from "../session/import-changes.ts";
import { openSession } from "../session/open.ts";
import type { Place } from "../session/place.ts";
import { catchUp, type Session } from "../session/session.ts";
import { FollowedLogs } from "../session/waiting/follow-logs.ts";
import { presencePath } from "../session/waiting/presence.ts";
import { printUnreachable } from "../session/waiting/print-unreachable.ts";
import type { WaitEnd, WaitOptions } from "../session/waiting/wait-until.ts";
import { waitWithPresence } from "../session/waiting/wait-with-presence.ts";
import { authorsIn } from "./board-files.ts";
import { type BoardReader, recordOthers } from "./open-board-for.ts";
import { isAgentName } from "./rules/board-names.ts";
import {
  agentOf,
  type BoardState,
  boardStateOf,
  deadlineOf,
  isAllReady,
  neededAgents,
  readyAgents,
} from "./rules/state.ts";

/** Looks once and says what the original says. */
export async function lookAtBoard(
  place: Place,
  reader: BoardReader,
): Promise<BoardLook["verdict"]> {
  const polled = await poll(await openSession(place, "act"), systemClock);
  printStranger(polled, reader.name);
  await recordOthers(place, reader, systemClock);
  printVerdict(polled);
  return polled.verdict;
}

/** The original checks no name; a mistyped one would wait for ever for itself. */
function printStranger({ board }: BoardLook, agent: string): void {
  if (agentOf(board, agent) !== undefined) return;
  const names = board.agents.map(({ name }) => name);
  const hint = nameHint(agent, names, "registered are");
  const told = `note: ${quote(agent)} is not registered on this board (${hint}); nobody waits for it`;
  printErrorLines(told);
}

/**
 * Blocks until all agents are ready or the deadline has passed, at most `timeoutMs`. Wakes by
 * changes of the board's files.
 */
export async function waitAtBoard(
  place: Place,
  reader: BoardReader,
  timeoutMs: number | undefined,
): Promise<BoardLook["verdict"] | Exclude<WaitEnd, string>> {
  const { name: agent } = reader;
  let polled = await poll(await openSession(place, "act"), systemClock);
  let torn = 0;
  const followed = new FollowedLogs();
  printStranger(polled, agent);
  if (polled.verdict === "waiting") {
    const looks: Omit<WaitOptions, "heartbeat"> = {
      begin: (notice) =>
        followed.begin(
          [{ log: polled.session.log, place, participant: isAgentName(agent) ? agent : undefined }],
          notice,
          printUnreachable,
        ),
      folders: () => foldersOf(place),
      pollIntervalMs: polled.board.settings.pollIntervalSeconds * 1_000,
      timeoutMs,
      heartbeatMs: place.config.heartbeat_seconds * 1_000,
      async check() {
        followed.check();
        const now = await pollAgain(polled, torn < limits.tornLooks);
        torn = now === undefined ? torn + 1 : 0;
        if (now === undefined) return limits.tornLookMs;
        polled = now;
        return polled.verdict === "waiting" ? millisecondsLeft(polled) : "done";
      },
    };
    // A board that cannot be written is only looked at.
    const wait = waitWithPresence(agent, presenceOf(place, agent), looks, true);
    const end = await wait.finally(() => followed.end());
    if (typeof end === "object") return end;
  }
  await recordOthers(place, reader, systemClock);
  printVerdict(polled);
  return polled.verdict;
}

/** Undefined while the board cannot be read and that `mayPass`. */
async function pollAgain({ session }: BoardLook, mayPass: boolean): Promise<BoardLook | undefined> {
  try {
    return await poll(session, systemClock);
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED" || !mayPass) throw cause;
    return undefined;
  }
}

function printVerdict({ board, verdict }: BoardLook): void {
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
function millisecondsLeft({ deadlineMs, lacksDeadline }: BoardLook): number | undefined {
  if (lacksDeadline) return deadlineLookMs;
  if (Number.isNaN(deadlineMs)) return undefined;
  return Math.min(Math.max(1, deadlineMs - Date.now()), 2 ** 31 - 1);
}

/** The presence file of an agent that waits; what is no agent's name leaves no trace. */
function presenceOf(place: Place, agent: string): string | undefined {
  return isAgentName(agent) ? orNothing(() => presencePath(place, agent)) : undefined;
}

/** Where a board stands now. */
export interface BoardLook {
  /** As the log has it, to look again. */
  readonly session: Session;
  /** As the files have it. */
  readonly board: BoardState;
  readonly verdict: "all-ready" | "waiting" | "timeout";
  /** Milliseconds since 1970; NaN while nobody has registered. */
  readonly deadlineMs: number;
  /** An agent has registered and no deadline is set: the next look, a little later, sets it. */
  readonly lacksDeadline: boolean;
}

/**
 * Looks at a board. This enters nothing in the log, with one exception: a deadline that two original
 * scripts forgot to set is set, or everybody would wait for ever. What else was seen the script enters
 * once, at its end.
 */
export async function poll(known: Session, clock: Clock): Promise<BoardLook> {
  let session = await catchUp(known);
  const { machine } = await previewChanges(session, clock);
  const lacks = () => boardStateOf(machine).agents.length > 0 && hasNoDeadline(session);
  if (lacks()) session = await importChanges(session, clock);
  const board = boardStateOf((await previewChanges(session, clock)).machine);
  const deadlineMs = millisecondsOf(deadlineOf(board));
  const isLate = deadlineMs <= millisecondsOf(clock.now());
  const verdict = isAllReady(board) ? "all-ready" : isLate ? "timeout" : "waiting";
  return { session, board, verdict, deadlineMs, lacksDeadline: lacks() };
}

function hasNoDeadline({ machine }: Session): boolean {
  return deadlineOf(boardStateOf(machine)) === "";
}
