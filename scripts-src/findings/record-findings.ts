import type { Clock } from "../base/clock.ts";
import { syncFile } from "../files/regular-file.ts";
import { mailOf } from "../session/inbox/deliver.ts";
import type { Session } from "../session/session.ts";
import { refresh, submit } from "../session/submit.ts";
import { authorsIn, type FoundReport, findingName, readReport, reportsOf } from "./board-files.ts";
import { ContentReader } from "./fingerprint-finding.ts";
import { ProjectPaths } from "./project-paths.ts";
import { agentOf, boardStateOf, findingOf } from "./rules/state.ts";

/** Who looks at a board, and the folder outside of which it looks at nothing that others name. */
export interface BoardReader {
  readonly name: string;
  readonly project: string;
}

/** An agent that acts on a board; relative working directories of its own reports start at `base`. */
export interface BoardAuthor extends BoardReader {
  readonly base: string;
}

export interface RecordedReports {
  readonly session: Session;
  /** Those of the author as they are now. */
  readonly own: readonly FoundReport[];
}

/**
 * Enters in the log what the reports on a board hold now, where the log does not know it yet: the author's with
 * what they rest on, those of others with the rights of a reader. What a reader has entered its author
 * enters again. An empty file is no report yet.
 */
export async function recordFindings(
  known: Session,
  by: BoardReader | BoardAuthor,
  clock: Clock,
): Promise<RecordedReports> {
  let session = known;
  const { place } = session;
  const author = "base" in by ? by : undefined;
  const files = reportsOf(place, authorsIn(place));
  const findings = files.map(findingName);
  const paths = new ProjectPaths(place, by.project);
  const [asAuthor, asReader] = [new ContentReader(paths), new ContentReader(paths, by.project)];
  const own: FoundReport[] = [];
  for (const it of files) {
    const { agent, file, path } = it;
    const isOwn = agent === author?.name;
    // Its own a reader leaves to itself as their author.
    if (agent === by.name && !isOwn) continue;
    const report = readReport(it);
    if (isOwn) own.push(report);
    if (report.text === undefined || report.fault !== undefined) continue;
    if (!isNews(session, report, isOwn)) continue;
    const around = { base: isOwn ? author.base : undefined, agent, findings };
    const content = await (isOwn ? asAuthor : asReader).read(report.text, around);
    // Its agent may have written it by hand; the event that tells of it is about to last.
    syncFile(path);
    const fields = { event: "posted", file, content };
    const draft = { participant: agent, origin: "folder" as const, fields };
    const submission = { ...draft, at: clock.now(), id: clock.newId() };
    ({ session } = await submit(session, submission, "later"));
  }
  return { session: session === known ? known : await refreshed(session), own };
}

/** The same for all who wrote on the board, with the rights of a reader whose project this is. */
export async function recordAllFindings(
  session: Session,
  project: string,
  clock: Clock,
): Promise<Session> {
  return (await recordFindings(session, { name: "", project }, clock)).session;
}

/** An agent that is not registered has nothing in the log. */
function isNews(session: Session, { agent, file, sha256 }: FoundReport, isOwn: boolean) {
  const board = boardStateOf(session);
  if (agentOf(board, agent) === undefined) return false;
  const known = findingOf(board, agent, file);
  return known?.sha256 !== sha256 || (isOwn && !known.watched);
}

/** Once for all reports: views and checkpoint grow with the board, and so would each report's cost. */
async function refreshed(session: Session): Promise<Session> {
  const newest = await session.log.at(session.cursor.seq);
  return newest === undefined ? session : refresh(session, newest, mailOf(session));
}
