import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { nameHint } from "../base/nearest-name.ts";
import { millisecondsOf } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import { openSession } from "../session/open.ts";
import { pagesOf } from "../session/replay.ts";
import type { Session } from "../session/session.ts";
import {
  authorsIn,
  type FoundReport,
  findingName,
  inBoardOrder,
  readReport,
  reportsOf,
} from "./board-files.ts";
import { findingDescriber, type ReadFinding } from "./describe-finding.ts";
import { ContentReader } from "./fingerprint-finding.ts";
import { ProjectPaths } from "./project-paths.ts";
import type { BoardReader } from "./record-findings.ts";
import {
  newestPostings,
  type Posting,
  type Postings,
  sharedFiles,
  sharedLines,
} from "./rules/finding-marks.ts";
import { agentOf, type BoardState, boardStateOf } from "./rules/state.ts";

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
  const session = await openSession(known, { changes: "preview", clock });
  const board = boardStateOf(session);
  const authors = authorsIn(place);
  const names = new Set([...board.agents.map(({ name }) => name), ...authors]);
  if (agent !== undefined && !names.has(agent)) {
    const hint = nameHint(agent, [...names], "on this board are");
    throw new ConsultaError("REFUSED", `--agent is ${JSON.stringify(agent)}; ${hint}`);
  }
  const files = reportsOf(place, authors);
  const there = new Set(files.map(findingName));
  const reports = files.filter((it) => it.agent !== reader).map(readReport);
  const postings = await postingsIn(session, events);
  const paths = new ProjectPaths(place, project);
  const contents = new ContentReader(paths, project);
  const registered = reports.filter((report) => agentOf(board, report.agent) !== undefined);
  const news = await unrecorded(registered, postings, contents, [...there]);
  const all = new Map([...postings, ...news]);
  const describe = findingDescriber(all, { paths, project, contents, news });
  // A report that somebody deleted conflicts with nothing.
  const present = new Map([...all].filter(([name]) => there.has(name)));
  const others = [...names].filter((name) => name !== reader).sort(inBoardOrder);
  return {
    board,
    reader,
    authors: others.map((name) => {
      const found = agentOf(board, name);
      const posted = files.some((it) => it.agent === name);
      return { name, registered: found !== undefined, ready: found?.ready === true, posted };
    }),
    conflicts: sharedFiles(present),
    sharedLines: sharedLines(present),
    findings: reports
      .filter((report) => agent === undefined || report.agent === agent)
      .map(describe)
      .filter(({ seq }) => seq === undefined || seq > since),
    newestSeq: Math.min(session.cursor.seq, seqBeforePending(postings, there, clock)),
  };
}

/** What the next script that records would record, after all events. */
async function unrecorded(
  reports: readonly FoundReport[],
  postings: Postings,
  contents: ContentReader,
  findings: readonly string[],
): Promise<Map<string, Posting>> {
  const news = new Map<string, Posting>();
  for (const report of reports) {
    const name = findingName(report);
    const { agent, text, fault, sha256 } = report;
    const isNews = postings.get(name)?.content.sha256 !== sha256;
    if (!isNews || text === undefined || fault !== undefined) continue;
    const content = await contents.read(text, { base: undefined, agent, findings });
    news.set(name, { seq: Number.MAX_SAFE_INTEGER - reports.length + news.size, at: "", content });
  }
  return news;
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
