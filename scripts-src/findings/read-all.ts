import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { nameHint } from "../base/nearest-name.ts";
import { millisecondsOf } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import { previewChanges } from "../session/import-changes.ts";
import { pagesOf } from "../session/replay.ts";
import type { Session } from "../session/session.ts";
import { authorsIn, findingNames, inBoardOrder, reportsOf } from "./board-files.ts";
import { describer, type ReadFinding } from "./describe-finding.ts";
import { ContentReader } from "./fingerprint-finding.ts";
import type { BoardReader } from "./open-board-for.ts";
import { ProjectPaths } from "./project-paths.ts";
import { type FoundReport, readReports } from "./record-findings.ts";
import { authorOf } from "./rules/board-names.ts";
import { sharedLines } from "./rules/finding-warnings.ts";
import { conflictLines, newestPostings, type Posting } from "./rules/report.ts";
import { agentOf, type BoardState, boardStateOf } from "./rules/state.ts";
import { Scope } from "./working-directories.ts";

export interface Author {
  readonly name: string;
  readonly registered: boolean;
  readonly ready: boolean;
  /** Whether it has a report on the board. */
  readonly posted: boolean;
}

/** What a reader gets to know from a board. */
export interface Pool {
  readonly board: BoardState;
  readonly reader: string;
  /** Everybody but the reader, by name. */
  readonly authors: readonly Author[];
  readonly conflicts: readonly string[];
  /** Lines that findings of different agents are about. */
  readonly sharedLines: readonly string[];
  readonly findings: readonly ReadFinding[];
  /** To ask later for what came since. */
  readonly newestSeq: number;
}

export interface Selection {
  /** Only what was recorded after this event. */
  readonly since: number;
  /** Only what this agent found. */
  readonly agent: string | undefined;
}

/**
 * Reads what the others found, with what became of it since, and writes nothing: what the log does not
 * know yet is told as it is there. `events` are those of the whole log, where somebody has them.
 * @throws ConsultaError REFUSED for an agent that nobody is.
 */
export async function readAll(
  known: Session,
  { name: reader, project }: BoardReader,
  { since, agent }: Selection,
  clock: Clock,
  events?: readonly LogEvent[],
): Promise<Pool> {
  const { place } = known;
  const session = await previewChanges(known, clock);
  const board = boardStateOf(session.machine);
  const names = new Set([...board.agents.map(({ name }) => name), ...authorsIn(place)]);
  if (agent !== undefined && !names.has(agent)) {
    const hint = nameHint(agent, [...names], "on this board are");
    throw new ConsultaError("REFUSED", `--agent is ${JSON.stringify(agent)}; ${hint}`);
  }
  const postings = await postingsIn(session, events);
  const others = [...names].filter((name) => name !== reader).sort(inBoardOrder);
  const reports = readReports(reportsOf(place, others));
  const there = new Set(findingNames(place));
  const scope = new Scope(project);
  const paths = new ProjectPaths(place, project);
  const news = unrecorded(reports, { board, postings, there, paths, scope });
  const all = new Map([...postings, ...news]);
  const describe = describer(all, paths, scope);
  // A report that somebody deleted conflicts with nothing.
  const present = new Map([...all].filter(([name]) => there.has(name)));
  const posting = new Set([...there].map(authorOf));
  return {
    board,
    reader,
    authors: others.map((name) => ({ ...statusOf(board, name), posted: posting.has(name) })),
    conflicts: conflictLines(present),
    sharedLines: sharedLines(present),
    findings: reports
      .filter((report) => agent === undefined || report.agent === agent)
      .map(describe)
      .map((found) => (news.has(nameOf(found)) ? { ...found, ...asUnrecorded } : found))
      .filter(({ seq }) => seq === undefined || seq > since),
    newestSeq: Math.min(session.cursor.seq, seqBeforePending(postings, there, clock)),
  };
}

async function postingsIn(
  session: Session,
  events: readonly LogEvent[] | undefined,
): Promise<Map<string, Posting>> {
  if (events !== undefined) return newestPostings(events);
  const postings = new Map<string, Posting>();
  for await (const page of pagesOf(session)) {
    for (const [name, posting] of newestPostings(page.events)) postings.set(name, posting);
  }
  return postings;
}

/** Between its event and its file a report takes a moment; its author may die in it. */
const pendingMs = 60_000;

/** The event before the first report that is still on its way, so that a later reader gets it. */
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

/** What the log does not know yet of a text. */
const asUnrecorded = { seq: undefined, at: undefined };

function nameOf({ agent, file }: { readonly agent: string; readonly file: string }): string {
  return `${agent}/${file}`;
}

/** A board as its reader sees it. */
interface Seen {
  readonly board: BoardState;
  readonly postings: ReadonlyMap<string, Posting>;
  readonly there: ReadonlySet<string>;
  readonly paths: ProjectPaths;
  readonly scope: Scope;
}

/** What the next script that records would record: the reports of registered agents that are news. */
function unrecorded(
  reports: readonly FoundReport[],
  { board, postings, there, paths, scope }: Seen,
): Map<string, Posting> {
  const reader = new ContentReader(paths, scope);
  const findings = [...there];
  const news = new Map<string, Posting>();
  for (const report of reports) {
    const { agent, text, fault } = report;
    const name = nameOf(report);
    const isNews = postings.get(name)?.content.sha256 !== report.sha256;
    if (text === undefined || fault !== undefined || !isNews) continue;
    if (agentOf(board, agent) === undefined) continue;
    const around = { base: undefined, agent, findings };
    const seq = board.seq + 1 + news.size;
    news.set(name, { seq, at: "", content: reader.read(text, around).content });
  }
  return news;
}

function statusOf(board: BoardState, name: string): Omit<Author, "posted"> {
  const agent = agentOf(board, name);
  return { name, registered: agent !== undefined, ready: agent?.ready === true };
}
