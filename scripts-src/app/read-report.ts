import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import type { Report } from "../core/protocol.ts";
import { readFileIfPresent, writeFileAtomically } from "../store/atomic-file.ts";
import { isBegunHere } from "../store/begun-here.ts";
import { ensureFolder } from "../store/safe-path.ts";
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
  return { id, where, logPath, events: untold + events.length, report };
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
 * @throws ConsultaError NOT_YET when the report kept there tells of a longer log: this one lost events.
 */
export function keepReport(place: Place, text: string, events: number): string {
  const { id, folder, workspace, config } = place;
  const kept =
    workspace === undefined ? folder : ensureFolder(workspace.root, config.artifacts_dir, id);
  const path = join(kept, "report.md");
  const before = eventsToldIn(path);
  if (before > events) {
    const lost = `the log of ${id} holds ${events} events, ${path} tells of ${before}`;
    const way = "run validate; to keep the new one nevertheless, move that file away";
    throw new ConsultaError("NOT_YET", `${lost}: it is not replaced; ${way}`);
  }
  writeFileAtomically(path, text);
  return path;
}

const keptReportBytes = 64 << 20;

/** How long a log a kept report is about; 0 where there is none, or none that can be read. */
function eventsToldIn(path: string): number {
  try {
    const text = readFileIfPresent(path, keptReportBytes) ?? "";
    // Participants' words come before this line; the last one is ours.
    return Number([...text.matchAll(/^- the log, (\d+) events?: /gm)].at(-1)?.[1] ?? 0);
  } catch (cause) {
    if (cause instanceof ConsultaError && cause.code === "REFUSED") return 0;
    throw cause;
  }
}
