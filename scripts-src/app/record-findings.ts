import { contentOf } from "../core/findings/content.ts";
import { findingIn } from "../core/findings/known-findings.ts";
import { boardStateOf } from "../core/findings/state.ts";
import type { JsonObject } from "../core/json.ts";
import { syncFile } from "../store/regular-file.ts";
import { type BoardFile, findingNames, readReportText, reportsOf } from "./board-files.ts";
import { sha256 } from "./cited-lines.ts";
import { mailOf } from "./deliver.ts";
import { ContentReader } from "./finding-content.ts";
import type { Clock } from "./foreign-mail.ts";
import { Scope } from "./scope.ts";
import type { Session } from "./session.ts";
import { refresh, submit } from "./submit.ts";

/** A report as it was found. */
export interface FoundReport extends BoardFile {
  /** Undefined where nobody can read it. */
  readonly text: string | undefined;
  /** Why it cannot be read, or that it says nothing. */
  readonly fault: string | undefined;
  /** Of the text; "" where there is none. */
  readonly sha256: string;
}

export interface Recorded {
  readonly session: Session;
  readonly reports: FoundReport[];
  /** What newly recorded reports cite and nobody can watch, by path. */
  readonly unwatched: ReadonlyMap<string, string[]>;
}

/** Whose rights reports are recorded with. */
export type Recorder =
  /** Their author's, whose relative working directories start at `base`. */
  | { readonly base: string }
  /** Those of a reader, who looks at nothing outside of its own `project`. */
  | { readonly project: string };

/**
 * Enters in the log what the reports of these agents hold now, where the log does not know it yet.
 * What a reader has entered its author enters anew, with what it rests on. An empty file is none yet.
 */
export async function recordFindings(
  known: Session,
  agents: readonly string[],
  recorder: Recorder,
  clock: Clock,
): Promise<Recorded> {
  let session = known;
  const base = "base" in recorder ? recorder.base : undefined;
  const reader = new ContentReader("base" in recorder ? undefined : new Scope(recorder.project));
  const { place } = session;
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
    const found = reader.read(report.text, { base, agent: it.agent, findings });
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

/** Whoever is not registered has nothing in the log either. */
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
