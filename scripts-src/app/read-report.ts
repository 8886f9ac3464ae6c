import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import type { LogEvent } from "../core/event.ts";
import { limits } from "../core/limits.ts";
import type { Report } from "../core/protocol.ts";
import { textIfSound, writeFileAtomically } from "../store/atomic-file.ts";
import { isBegunHere } from "../store/begun-here.ts";
import { checksum } from "../store/checksum.ts";
import { ensureFolder, safeJoin } from "../store/safe-path.ts";
import { authorsIn } from "./board-files.ts";
import type { Clock } from "./foreign-mail.ts";
import { noticeChanges } from "./notice-changes.ts";
import type { Place } from "./place.ts";
import { readFiles } from "./read-files.ts";
import { readStory } from "./replay.ts";
import { loadSession, type Session } from "./session.ts";

/** A session's report and where its log lies, so that a person can check it. */
export interface ReadReport {
  readonly id: string;
  /** What names the session on a command line. */
  readonly where: { readonly session: string } | { readonly folder: string };
  readonly logPath: string;
  readonly events: number;
  /** What tells the last of them from any other event. */
  readonly mark: string;
  readonly report: Report;
}

/**
 * Reads a session's whole log and makes its user report. What others did by their own means is
 * entered first, with the rights of a reader whose project this is.
 */
export async function readReport(place: Place, project: string, clock: Clock): Promise<ReadReport> {
  const session = await withNews(await loadSession(place), project, clock);
  const { before, events, untold } = await readStory(session);
  const wanted = session.machine.filesWanted({ for: "inspection" });
  const made = before.report(events, await readFiles(place.folder, wanted));
  const facts = [
    ...(isBegunHere(place.folder) ? [] : [foreignFact]),
    ...made.facts,
    ...(untold === 0 ? [] : [untoldText(untold)]),
  ];
  const report = { ...made, facts };
  const logPath = join(place.folder, "events.jsonl");
  const { id, folder, workspace } = place;
  const where = workspace === undefined ? { folder } : { session: id };
  const mark = markOf(events.at(-1));
  return { id, where, logPath, events: untold + events.length, mark, report };
}

const foreignFact =
  "not begun here: no script of yours began this log on this machine, it may have come with the project, " +
  "and nothing shows who wrote it";

function untoldText(untold: number): string {
  const newest = `of a log so long only the newest ${limits.storyEvents} events are told`;
  return `${newest}; the ${untold} before them stand in events.jsonl`;
}

async function withNews(session: Session, project: string, clock: Clock): Promise<Session> {
  if (session.machine.notice === undefined) return session;
  const { recordFindings } = await import("./record-findings.ts");
  const noticed = await noticeChanges(session, clock);
  const authors = authorsIn(session.place);
  return (await recordFindings(noticed, authors, { project }, clock)).session;
}

/**
 * Keeps a report among the session's artifacts, or beside its log; gives its path.
 * @throws ConsultaError NOT_YET when the report kept there tells of events that the log has lost.
 */
export async function keepReport(place: Place, text: string): Promise<string> {
  const path = keptReport(place);
  const fault = await lostSinceReport(await loadSession(place));
  if (fault !== undefined) {
    const way = "run validate; to keep the new one nevertheless, move that file away";
    throw new ConsultaError("NOT_YET", `${fault}: it is not replaced; ${way}`);
  }
  if (place.workspace !== undefined)
    ensureFolder(place.workspace.root, place.config.artifacts_dir, place.id);
  writeFileAtomically(path, text);
  return path;
}

/** Where the report of a session is kept. */
function keptReport({ id, folder, workspace, config }: Place): string {
  const kept =
    workspace === undefined ? folder : safeJoin(workspace.root, config.artifacts_dir, id);
  return join(kept, reportFile);
}

const reportFile = "report.md";
const keptReportBytes = 64 << 20;

/** What the kept report tells of and the log does not hold: somebody cut it, or wrote another; undefined for nothing. */
export async function lostSinceReport({
  place,
  log,
  cursor,
}: Session): Promise<string | undefined> {
  const path = keptReport(place);
  const told = eventsToldIn(path);
  if (told === undefined) return undefined;
  if (cursor.seq < told.events) {
    const lost = `the log of ${place.id} holds ${cursor.seq} events, ${path} tells of ${told.events}`;
    return `the log is shorter than when last seen: ${lost}`;
  }
  if (told.mark === undefined || told.mark === markOf(await log.at(told.events))) return undefined;
  return `the log of ${place.id} lost events: its event ${told.events} is another than the one that ${path} tells of`;
}

/** How long a log a kept report is about, and its last event; undefined where there is none that can be read. */
function eventsToldIn(path: string): { events: number; mark: string | undefined } | undefined {
  const text = textIfSound(path, keptReportBytes) ?? "";
  // Participants' words come before this line; the last one is ours.
  const last = [...text.matchAll(/^- the log, (\d{1,15}) events?(?: to ([0-9a-f]{8}))?: /gm)].at(
    -1,
  );
  return last === undefined ? undefined : { events: Number(last[1]), mark: last[2] };
}

function markOf(event: LogEvent | undefined): string {
  return checksum(Buffer.from(JSON.stringify(event ?? null)));
}
