import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { nameHint } from "../base/nearest-name.ts";
import { millisecondsOf } from "../base/time.ts";
import { existsSync } from "../files/disk.ts";
import { systemClock } from "../script/clock.ts";
import { print, printErrorLines } from "../script/output.ts";
import { openSession } from "../session/open.ts";
import type { Place } from "../session/place.ts";
import type { Session } from "../session/session.ts";
import { follow, type WaitEnd } from "../session/waiting/follow.ts";
import { presencePath } from "../session/waiting/presence.ts";
import { authorsIn } from "./board-files.ts";
import { type BoardReader, recordFindings } from "./record-findings.ts";
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

type Verdict = "all-ready" | "waiting" | "timeout";

/**
 * Says what the original says of a board. With `waits` it first blocks until all agents are ready or the deadline has
 * passed, at most `timeoutMs`; it wakes by changes of the board's files.
 */
export async function pollBoard(
  place: Place,
  reader: BoardReader,
  { waits, timeoutMs }: { waits: boolean; timeoutMs?: number | undefined },
): Promise<Verdict | Exclude<WaitEnd, string>> {
  let seen = await lookAtBoard(await openSession(place, { fetch: "unless-offline" }), systemClock);
  printStranger(seen.board, reader.name);
  if (waits && seen.verdict === "waiting") {
    const end = await waitAt(place, reader.name, timeoutMs, seen, (look) => {
      seen = look;
    });
    if (typeof end === "object") return end;
  }
  await recordSeen(place, reader);
  printVerdict(seen);
  return seen.verdict;
}

/** The original checks no name; a mistyped one would wait for ever for itself. */
function printStranger(board: BoardState, agent: string): void {
  if (agentOf(board, agent) !== undefined) return;
  const names = board.agents.map(({ name }) => name);
  const hint = nameHint(agent, names, "registered are");
  printErrorLines(
    `note: ${quote(agent)} is not registered on this board (${hint}); nobody waits for it`,
  );
}

/** Enters what the files show and the log does not know; where nothing can be written nobody is stopped by that. */
async function recordSeen(place: Place, reader: BoardReader): Promise<void> {
  try {
    const session = await openSession(place, { fetch: "must", changes: "enter" });
    await recordFindings(session, reader, systemClock);
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "UNAVAILABLE") throw cause;
  }
}

async function waitAt(
  place: Place,
  agent: string,
  timeoutMs: number | undefined,
  { session, board }: BoardLook,
  onLook: (look: BoardLook) => void,
): Promise<WaitEnd> {
  let torn = 0;
  const check = async () => {
    try {
      const look = await lookAtBoard(session, systemClock);
      torn = 0;
      onLook(look);
      return look.verdict === "waiting" ? millisecondsLeft(look) : "done";
    } catch (cause) {
      const isTorn = cause instanceof ConsultaError && cause.code === "REFUSED";
      if (!isTorn || torn >= limits.tornLooks) throw cause;
      torn += 1;
      return limits.tornLookMs;
    }
  };
  return follow({
    logs: [{ log: session.log }],
    // What is no agent's name leaves no trace.
    present: () => (isAgentName(agent) ? [{ agent, path: presencePath(place, agent) }] : []),
    folders: () => foldersOf(place),
    pollIntervalMs: board.settings.pollIntervalSeconds * 1_000,
    timeoutMs,
    heartbeatMs: place.config.heartbeat_seconds * 1_000,
    check,
  });
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
function millisecondsLeft({ board, lacksDeadline }: BoardLook): number | undefined {
  if (lacksDeadline) return deadlineLookMs;
  const left = millisecondsOf(deadlineOf(board)) - Date.now();
  return Number.isNaN(left) ? undefined : Math.min(Math.max(1, left), 2 ** 31 - 1);
}

/** Where a board stands now. */
interface BoardLook {
  /** As the log has it, to look again. */
  readonly session: Session;
  /** As the files have it. */
  readonly board: BoardState;
  readonly verdict: Verdict;
  /** An agent has registered and no deadline is set: the next look, a little later, sets it. */
  readonly lacksDeadline: boolean;
}

/**
 * Looks at a board. This enters nothing in the log, with one exception: a deadline that two original
 * scripts forgot to set is set, or everybody would wait for ever. What else was seen the script enters
 * once, at its end.
 */
async function lookAtBoard(known: Session, clock: Clock): Promise<BoardLook> {
  let session = await openSession(known);
  let board = boardStateOf(await openSession(session, { changes: "preview", clock }));
  const lacks = () => board.agents.length > 0 && deadlineOf(boardStateOf(session)) === "";
  if (lacks()) {
    session = await openSession(session, { changes: "enter", clock });
    board = boardStateOf(await openSession(session, { changes: "preview", clock }));
  }
  const isLate = millisecondsOf(deadlineOf(board)) <= millisecondsOf(clock.now());
  const verdict = isAllReady(board) ? "all-ready" : isLate ? "timeout" : "waiting";
  return { session, board, verdict, lacksDeadline: lacks() };
}
