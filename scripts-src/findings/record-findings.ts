import type { Clock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { sha256 } from "../files/hash.ts";
import { syncFile } from "../files/regular-file.ts";
import { mailOf } from "../session/inbox/deliver.ts";
import type { Session } from "../session/session.ts";
import { refresh, submit } from "../session/submit.ts";
import {
  authorsIn,
  type BoardFile,
  findingNames,
  readReportText,
  reportsOf,
} from "./board-files.ts";
import { ContentReader } from "./fingerprint-finding.ts";
import { ProjectPaths } from "./project-paths.ts";
import { contentOf } from "./rules/finding-content.ts";
import { findingIn } from "./rules/known-findings.ts";
import { boardStateOf } from "./rules/state.ts";
import { Scope } from "./working-directories.ts";

/** A report as it was found. */
export interface FoundReport extends BoardFile {
  /** Undefined where nobody can read it. */
  readonly text: string | undefined;
  /** Why it cannot be read, or that it says nothing. */
  readonly fault: string | undefined;
  /** Of the text; "" where there is none. */
  readonly sha256: string;
}

export interface RecordedReports {
  readonly session: Session;
  readonly reports: FoundReport[];
  /** What newly recorded reports cite and nobody can watch, by path. */
  readonly unwatched: ReadonlyMap<string, string[]>;
}

/** Whose rights reports are recorded with. */
export type Recorder =
  /** Their author's, whose relative working directories start at `base`. */
  | { readonly base: string; readonly project: string }
  /** Those of a reader, who looks at nothing outside of its own `project`. */
  | { readonly project: string };

/**
 * Enters in the log what the reports of these agents hold now, where the log does not know it yet.
 * What a reader has entered its author enters again, with what it rests on. An empty file is no report yet.
 */
export async function recordFindings(
  known: Session,
  agents: readonly string[],
  recorder: Recorder,
  clock: Clock,
): Promise<RecordedReports> {
  let session = known;
  const base = "base" in recorder ? recorder.base : undefined;
  const { place } = session;
  const { project } = recorder;
  const scope = base === undefined ? new Scope(project) : undefined;
  const reader = new ContentReader(new ProjectPaths(place, project), scope);
  const findings = findingNames(place);
  const unwatched = new Map<string, string[]>();
  const reports: FoundReport[] = [];
  let isNew = false;
  for (const it of reportsOf(place, agents)) {
    const report = withText(it);
    reports.push(report);
    if (report.text === undefined || report.fault !== undefined) continue;
    const isNews = isUnknown(session, report);
    if (!isNews && (base === undefined || !(await lacksRoots(session, report)))) continue;
    const around = { base, agent: it.agent, findings };
    const found =
      base === undefined
        ? reader.read(report.text, around)
        : await reader.readOwn(report.text, around);
    if (!isNews && found.content.roots.length === 0) continue;
    unwatched.set(it.path, found.unwatched);
    // Its agent may have written it by hand; the event that tells of it is about to last.
    syncFile(it.path);
    session = await enter(session, it, { content: found.content, anew: !isNews }, clock);
    isNew = true;
  }
  if (isNew) session = await refreshed(session);
  return { session, reports, unwatched };
}

/** The same for all who wrote on the board, with the rights of a reader whose project this is. */
export async function recordAllFindings(
  session: Session,
  project: string,
  clock: Clock,
): Promise<Session> {
  const authors = authorsIn(session.place);
  return (await recordFindings(session, authors, { project }, clock)).session;
}

/** Reads reports without recording anything. */
export function readReports(found: readonly BoardFile[]): FoundReport[] {
  return found.map(withText);
}

function withText(it: BoardFile): FoundReport {
  const read = readReportText(it.path);
  if ("fault" in read) return { ...it, text: undefined, fault: read.fault, sha256: "" };
  const { text } = read;
  const fault = text.trim() === "" ? "is empty" : undefined;
  return { ...it, text, fault, sha256: sha256(text) };
}

/** An agent that is not registered has nothing in the log. */
function isUnknown({ machine }: Session, { agent, file, sha256 }: FoundReport): boolean {
  const { agents, findings } = boardStateOf(machine);
  const isRegistered = agents.some(({ name }) => name === agent);
  return isRegistered && findingIn(findings, `${agent}/${file}`)?.sha256 !== sha256;
}

/** Whether its text was recorded by somebody who could not say what it rests on. */
async function lacksRoots({ machine, log }: Session, { agent, file }: FoundReport) {
  const known = findingIn(boardStateOf(machine).findings, `${agent}/${file}`);
  const event = known && (await log.at(known.seq));
  return event !== undefined && contentOf(event)?.roots.length === 0;
}

async function enter(
  session: Session,
  { agent, file }: BoardFile,
  how: { readonly content: JsonObject; readonly anew: boolean },
  clock: Clock,
): Promise<Session> {
  const fields = { event: "posted", file, ...how };
  const by = { participant: agent, origin: "folder" as const, fields };
  return (await submit(session, { ...by, at: clock.now(), id: clock.newId() }, "later")).session;
}

/** Once for all reports: views and checkpoint grow with the board, and so would each report's cost. */
async function refreshed(session: Session): Promise<Session> {
  const newest = await session.log.at(session.cursor.seq);
  return newest === undefined ? session : refresh(session, newest, mailOf(session));
}
