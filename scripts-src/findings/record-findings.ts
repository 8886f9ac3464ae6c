import type { Clock } from "../base/clock.ts";
import { syncFile } from "../files/safe-open.ts";
import { mailOf } from "../session/inbox/deliver.ts";
import type { Session } from "../session/session.ts";
import { refresh, submit } from "../session/submit.ts";
import { authorsIn, type FoundReport, findingName, readReport, reportsOf } from "./board-files.ts";
import { ContentReader } from "./fingerprint-finding.ts";
import { agentOf, boardStateOf, isNewContent } from "./rules/state.ts";

/** Who looks at a board, and the folder outside of which it looks at nothing that others name. */
export interface BoardReader {
  readonly name: string;
  readonly project: string;
}

/** An agent that acts on a board; relative working directories of its own reports start at `base`. */
export interface BoardAuthor extends BoardReader {
  readonly base: string;
}

/**
 * Enters in the log what the reports on a board hold now, where the log does not know it yet: the author's with
 * what they rest on, those of others with the rights of a reader. What a reader has entered its author
 * enters again. An empty file is no report yet. `own` are the author's, as they are now.
 */
export async function recordFindings(
  known: Session,
  by: BoardReader | BoardAuthor,
  clock: Clock,
): Promise<{ session: Session; own: FoundReport[] }> {
  let session = known;
  const { place } = session;
  const files = reportsOf(place, authorsIn(place));
  const findings = files.map(findingName);
  const asAuthor = new ContentReader(place, by);
  const asReader = new ContentReader(place, { project: by.project });
  const own: FoundReport[] = [];
  for (const it of files) {
    const { agent, file, path } = it;
    const isOwn = agent === by.name;
    // Its own a reader leaves to itself as their author.
    if (isOwn && !("base" in by)) continue;
    const report = readReport(it);
    if (isOwn) own.push(report);
    const { text, fault, sha256 } = report;
    const board = boardStateOf(session);
    // An agent that is not registered has nothing in the log.
    if (text === undefined || fault !== undefined || agentOf(board, agent) === undefined) continue;
    if (!isNewContent(board, agent, file, { sha256, isAuthors: isOwn })) continue;
    const content = (isOwn ? asAuthor : asReader).read(text, agent, findings);
    // Its agent may have written it by hand; the event that tells of it is about to last.
    syncFile(path);
    const fields = { event: "posted", file, content };
    const seen = { participant: agent, origin: "folder", fields } as const;
    ({ session } = await submit(session, seen, clock, "later"));
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

/** Once for all reports: views and checkpoint grow with the board, and so would each report's cost. */
async function refreshed(session: Session): Promise<Session> {
  const newest = await session.log.at(session.cursor.seq);
  return newest === undefined ? session : refresh(session, newest, mailOf(session));
}
