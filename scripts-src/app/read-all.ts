import { ConsultaError } from "../core/errors.ts";
import { conflictLines, newestPostings, type Posting } from "../core/findings/report.ts";
import { agentOf, type BoardState, boardStateOf } from "../core/findings/state.ts";
import { millisecondsOf } from "../core/time.ts";
import { attendBoard } from "./attend-board.ts";
import { authorsIn, findingNames, inBoardOrder, reportsOf } from "./board-files.ts";
import { describer, type ReadFinding } from "./describe-finding.ts";
import type { Clock } from "./foreign-mail.ts";
import { withChanges } from "./notice-changes.ts";
import type { Place } from "./place.ts";
import { readReports, recordFindings } from "./record-findings.ts";
import { pagesOf } from "./replay.ts";
import { Scope } from "./scope.ts";
import { loadSession } from "./session.ts";

export interface Author {
  readonly name: string;
  readonly registered: boolean;
  readonly ready: boolean;
}

/** What a reader gets to know from a board. */
export interface Pool {
  readonly board: BoardState;
  readonly reader: string;
  /** Everybody but the reader, by name. */
  readonly authors: readonly Author[];
  readonly conflicts: readonly string[];
  readonly findings: readonly ReadFinding[];
  /** To ask later for what came since. */
  readonly newestSeq: number;
}

/** Who reads. */
export interface Reader {
  readonly name: string;
  /** The folder outside of which nothing is looked at that others' reports name. */
  readonly project: string;
}

export interface Selection {
  /** Only what was recorded behind this event. */
  readonly since: number;
  /** Only what this agent found. */
  readonly agent: string | undefined;
}

/**
 * Reads what the others found, with what became of it since. Reports that the log does not know yet
 * are recorded on the way.
 * @throws ConsultaError REFUSED for an agent that nobody is.
 */
export async function readAll(
  place: Place,
  { name: reader, project }: Reader,
  { since, agent }: Selection,
  clock: Clock,
): Promise<Pool> {
  const { session, reports } = await gather(place, { name: reader, project }, clock);
  const board = boardStateOf(session.machine);
  const names = new Set([...board.agents.map(({ name }) => name), ...authorsIn(place)]);
  if (agent !== undefined && !names.has(agent)) {
    const known = [...names].join(", ") || "nobody";
    throw new ConsultaError(
      "REFUSED",
      `--agent is ${JSON.stringify(agent)}; on this board are: ${known}`,
    );
  }
  const postings = new Map<string, Posting>();
  for await (const { events } of pagesOf(session)) {
    for (const [name, posting] of newestPostings(events)) postings.set(name, posting);
  }
  const describe = describer(postings, new Scope(project));
  const there = new Set(findingNames(place));
  const others = [...names].filter((name) => name !== reader).sort(inBoardOrder);
  return {
    board,
    reader,
    authors: others.map((name) => authorOf(board, name)),
    // A report that somebody deleted conflicts with nothing.
    conflicts: conflictLines(new Map([...postings].filter(([name]) => there.has(name)))),
    findings: reports
      .filter((report) => agent === undefined || report.agent === agent)
      .map(describe)
      .filter(({ seq }) => seq === undefined || seq > since),
    newestSeq: Math.min(board.seq, seqBeforePending(postings, there, clock)),
  };
}

/** Between its event and its file a report takes a moment; its author may die in it. */
const pendingMs = 60_000;

/** The event before the first report that is still on its way: whoever asks later has to get it. */
function seqBeforePending(
  postings: ReadonlyMap<string, Posting>,
  there: ReadonlySet<string>,
  clock: Clock,
): number {
  const now = millisecondsOf(clock.now());
  const pending = [...postings].filter(
    ([name, { at }]) => !there.has(name) && now - millisecondsOf(at) < pendingMs,
  );
  return Math.min(...pending.map(([, { seq }]) => seq - 1));
}

/** The others' reports, recorded; on a board that cannot be written they are only read. */
async function gather(place: Place, { name: reader, project }: Reader, clock: Clock) {
  const others = authorsIn(place).filter((name) => name !== reader);
  try {
    return await recordFindings(await attendBoard(place, clock), others, { project }, clock);
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || cause.code !== "UNAVAILABLE") throw cause;
    const session = await withChanges(await loadSession(place), clock);
    return { session, reports: readReports(reportsOf(place, others)) };
  }
}

function authorOf(board: BoardState, name: string): Author {
  const agent = agentOf(board, name);
  return { name, registered: agent !== undefined, ready: agent?.ready === true };
}
