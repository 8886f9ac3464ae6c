import type { Clock } from "../base/clock.ts";
import { refused } from "../base/errors.ts";
import { inline, quote } from "../base/json.ts";
import { nameHint } from "../base/nearest-name.ts";
import { plainPlace } from "../base/quote-text.ts";
import { millisecondsOf } from "../base/time.ts";
import { pagesOf } from "../log/event-log.ts";
import { openSession } from "../session/open.ts";
import type { Session } from "../session/session.ts";
import {
  authorsIn,
  type FoundReport,
  findingName,
  inBoardOrder,
  readReport,
  reportsOf,
} from "./board-files.ts";
import { citationCheck } from "./cited-lines.ts";
import { ContentReader } from "./fingerprint-finding.ts";
import { ProjectPaths, shownDirectory } from "./project-paths.ts";
import type { BoardReader } from "./record-findings.ts";
import { missingIn } from "./rules/finding-content.ts";
import {
  findingMarks,
  newestPostings,
  type Postings,
  sharedFiles,
  sharedLines,
} from "./rules/finding-marks.ts";
import { readFinding } from "./rules/finding-text.ts";
import { agentOf, type BoardState, boardStateOf } from "./rules/state.ts";

export interface PoolAuthor {
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
  readonly authors: readonly PoolAuthor[];
  readonly conflicts: readonly string[];
  /** Lines that findings of different agents are about. */
  readonly sharedLines: readonly string[];
  readonly findings: readonly ReadFinding[];
  /** To ask later for what came since. */
  readonly newestSeq: number;
}

/** One finding with all that is known of it. */
export interface ReadFinding extends Omit<FoundReport, "sha256"> {
  readonly title: string;
  readonly summary: string;
  /** The event that recorded this text; undefined where none did: then nothing is known of it but the text. */
  readonly seq: number | undefined;
  readonly at: string | undefined;
  /** What the report's header lacks. */
  readonly faults: readonly string[];
  /** Commits that were checked out in its working directories, by directory. */
  readonly commits: readonly { readonly dir: string; readonly commit: string }[];
  /** What it cites and is not as it was, one line each. */
  readonly stale: readonly string[];
  /** What it cites and nobody found when it was recorded, or finds now where its author did not record it. */
  readonly missing: readonly string[];
  /** It names no line that anybody could look at. */
  readonly citesNothing: boolean;
  /** The first of each range of lines that it cites, as it was when its author recorded it. */
  readonly cited: readonly string[];
  /** What a script alone can tell: duplicates, confirmations that rest on nothing. */
  readonly marks: readonly string[];
  readonly confirmedBy: readonly string[];
  readonly supersededBy: readonly string[];
}

interface Selection {
  /** Only what was recorded after this event. */
  readonly since: number;
  /** Only what this agent found. */
  readonly agent: string | undefined;
}

/**
 * Reads what the others found, with what became of it since, and writes nothing: what the log does not
 * know yet is told as it is there.
 * @throws ConsultaError REFUSED for an agent that nobody is.
 */
export async function readAll(
  known: Session,
  { name: reader, project }: BoardReader,
  { since, agent }: Selection,
  clock: Clock,
): Promise<Pool> {
  const { place } = known;
  const session = await openSession(known, { changes: "preview", clock });
  const board = boardStateOf(session);
  const folders = authorsIn(place);
  const names = [...new Set([...board.agents.map(({ name }) => name), ...folders])];
  if (agent !== undefined && !names.includes(agent)) {
    const hint = nameHint(agent, names, "on this board are");
    throw refused(`--agent is ${quote(agent)}; ${hint}`);
  }
  const files = reportsOf(place, folders);
  const there = new Set(files.map(findingName));
  const postings = await postingsIn(session);
  // A report that somebody deleted conflicts with nothing.
  const present = new Map([...postings].filter(([name]) => there.has(name)));
  const describe = describer(
    postings,
    citationCheck(new ProjectPaths(place, project), project),
    new ContentReader(place, { project }),
  );
  return {
    board,
    reader,
    authors: names
      .filter((name) => name !== reader)
      .sort(inBoardOrder)
      .map((name) => {
        const found = agentOf(board, name);
        const posted = files.some((it) => it.agent === name);
        return { name, registered: found !== undefined, ready: found?.ready === true, posted };
      }),
    conflicts: sharedFiles(present),
    sharedLines: sharedLines(present),
    findings: files
      .filter((it) => it.agent !== reader && (agent === undefined || it.agent === agent))
      .map((it) => describe(readReport(it)))
      .filter(({ seq }) => seq === undefined || seq > since),
    newestSeq: Math.min(session.cursor.seq, seqBeforePending(postings, there, clock)),
  };
}

async function postingsIn(session: Session): Promise<Postings> {
  const postings = new Map();
  for await (const page of pagesOf(session.log)) {
    for (const [name, posting] of newestPostings(page.events)) postings.set(name, posting);
  }
  return postings;
}

/** Between its event and its file a report takes a moment; its author may die in it. */
const pendingMs = 60_000;

/** The event before the first report that is still on its way, so that a later reader gets it. */
function seqBeforePending(postings: Postings, there: ReadonlySet<string>, clock: Clock): number {
  const now = millisecondsOf(clock.now());
  const pending = [...postings].filter(
    ([name, { at }]) => !there.has(name) && now - millisecondsOf(at) < pendingMs,
  );
  return Math.min(...pending.map(([, { seq }]) => seq - 1));
}

/** Tells of reports what is known of them and what became of that since. */
function describer(
  postings: Postings,
  faultOf: ReturnType<typeof citationCheck>,
  contents: ContentReader,
): (report: FoundReport) => ReadFinding {
  const confirmed = referrersTo(postings, "confirms");
  const superseded = referrersTo(postings, "supersedes");
  const marks = findingMarks(postings);
  return ({ sha256, ...report }) => {
    const name = findingName(report);
    const newest = postings.get(name);
    // Somebody may have changed the report since it was read: what is known is not of this text.
    const posting = newest?.content.sha256 === sha256 ? newest : undefined;
    const { roots = [], cited = [], watched = false } = posting?.content ?? {};
    const finding = report.fault === undefined ? readFinding(report.text ?? "") : undefined;
    const isChecked = finding !== undefined && finding.citations.length > 0 && !watched;
    const missingNow = isChecked ? contents.missingIn(finding) : [];
    return {
      ...report,
      title: finding?.title ?? "",
      summary: finding?.summary ?? "",
      seq: posting?.seq,
      at: posting?.at,
      faults: posting?.content.faults ?? finding?.faults ?? [],
      commits: roots
        .filter(({ commit }) => commit !== "")
        .map(({ dir, commit }) => ({ dir: shownDirectory(dir), commit })),
      stale: [
        ...cited.flatMap((citation) => faultOf(citation) ?? []),
        ...(missingNow === undefined ? [elsewhere] : []),
      ],
      missing: posting !== undefined && watched ? missingIn(posting.content) : (missingNow ?? []),
      citesNothing: finding?.citations.length === 0,
      cited: cited.flatMap(({ shown, text }) =>
        text === undefined ? [] : [`${plainPlace(shown)} ${inline(text)}`],
      ),
      marks: marks.get(name) ?? [],
      confirmedBy: confirmed.get(name) ?? [],
      supersededBy: superseded.get(name) ?? [],
    };
  };
}

const elsewhere = "not compared: its citations, its directories lie outside of your project";

/** Who refers to a finding, by the finding. */
function referrersTo(postings: Postings, word: "confirms" | "supersedes"): Map<string, string[]> {
  const referrers = new Map<string, string[]>();
  for (const [name, { content }] of postings) {
    for (const target of content[word]) {
      referrers.set(target, [...(referrers.get(target) ?? []), name]);
    }
  }
  return referrers;
}
