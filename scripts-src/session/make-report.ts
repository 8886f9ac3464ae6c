import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import { defined } from "../base/omit-undefined.ts";
import { staleOf } from "../evidence/recheck.ts";
import { isCreatedLocally, whyStray } from "../log/created-locally.ts";
import type { DecisionRecord, Report, SeenBefore, Today } from "../protocol/protocol.ts";
import { reportAfter } from "../protocol/session-state.ts";
import { fileRecorderOf } from "./kinds.ts";
import { openSession } from "./open.ts";
import {
  isUnproven,
  type PersonAct,
  personActs,
  personSection,
  unprovenText,
} from "./person-words.ts";
import { hasStore, type Place } from "./place.ts";
import { readFiles } from "./read-files.ts";
import { readStory } from "./replay.ts";
import { type NamedStatus, type Session, standingOf } from "./session.ts";
import { sharedStores } from "./shared-stores.ts";
import { changedArtifacts, logTrust, markOf } from "./tampering.ts";

/** A session's report and where its log is, so that a person can check it. */
export interface ReadReport {
  readonly id: string;
  readonly kind: string;
  /** What names the session on a command line. */
  readonly where: { readonly session: string } | { readonly folder: string };
  readonly logPath: string;
  readonly events: number;
  /** Whether scripts made records that can be made again. */
  readonly hasEvidence: boolean;
  /** What tells the last of them from any other event. */
  readonly mark: string;
  /** What was changed by other means than our scripts: lines of the log, the solution. */
  readonly changed: readonly string[];
  /** Where the session stands. */
  readonly standing: NamedStatus;
  /** What the person said and did beside decisions and verdicts. */
  readonly person: readonly PersonAct[];
  readonly report: Report;
}

/**
 * Reads a session's whole log and makes its user report. What others did by their own means is
 * entered first, with the rights of a reader whose project this is.
 */
export async function readReport(
  place: Place,
  project: string,
  clock: Clock,
  delivery = false,
): Promise<ReadReport> {
  const session = await withChanges(await openSession(place, { fetch: "try" }), project, clock);
  const { before, events, untold } = await readStory(session);
  const wanted = session.kind.filesWanted(session.state, { for: "inspection" });
  const today = todayOf(
    session.kind.restsOn?.(session.state) ?? [],
    place.workspace?.project ?? project,
  );
  const files = await readFiles(place.folder, wanted);
  const made = reportAfter(before, events, { files, today, delivery });
  const standing = standingOf(session);
  const facts = [
    ...(isCreatedLocally(place.folder) ? [] : [whyStray()]),
    ...(hasStore(place.folder) ? [await senderFact(place.folder)] : []),
    ...made.facts,
    ...(untold === 0 ? [] : [untoldText(untold)]),
  ];
  const trust = await logTrust(session);
  const changed = [...trust.changed, ...changedArtifacts(place, before, events)];
  const person = await personActs(session, events);
  const sections = [...made.sections, ...personSection(person)];
  const record = made.record && (await provenRecord(place.folder, made.record));
  const marks = [...(made.marks ?? []), ...trust.marks];
  const report = { ...made, sections, facts, marks, ...defined({ record }) };
  const logPath = join(place.folder, "events.jsonl");
  const { id, folder, workspace } = place;
  const where = workspace === undefined ? { folder } : { session: id };
  const mark = markOf(events.at(-1));
  const count = untold + events.length;
  const hasEvidence = events.some(({ event }) => event === "evidence");
  const known = { where, logPath, events: count, hasEvidence, mark, changed };
  return { id, kind: session.kind.name, ...known, standing, person, report };
}

/** Looks again, now, at what the decision rests on. */
function todayOf(records: readonly SeenBefore[], project: string): Today {
  const changed = staleOf(records, project).flatMap(({ claim, why }) =>
    claim === undefined ? [] : [{ claim, why }],
  );
  const looked = records.flatMap(({ claim, kind }) =>
    claim === undefined || kind === "run" ? [] : [claim],
  );
  return { looked, changed };
}

/** A record goes on into a project's documents, where no other fact stands beside it. */
async function provenRecord(folder: string, record: DecisionRecord): Promise<DecisionRecord> {
  if (!(await isUnproven(folder))) return record;
  const decisionMakers = record.decisionMakers.map((name) => `${name} (not authenticated)`);
  return { ...record, decisionMakers, verdict: `${record.verdict}; ${unprovenText}` };
}

/** Where several machines share a session: what shows who wrote what. */
async function senderFact(folder: string): Promise<string> {
  const proof = (await sharedStores()).senderProof(folder);
  const none = `${unprovenText}, whoever may write there may write as anybody`;
  return `Several machines share it: ${proof ?? none}`;
}

function untoldText(untold: number): string {
  const newest = `of a log so long only the newest ${limits.storyEvents} events are told`;
  return `${newest}; the ${untold} before them stand in events.jsonl`;
}

async function withChanges(session: Session, project: string, clock: Clock): Promise<Session> {
  if (session.kind.notice === undefined) return session;
  const noticed = await openSession(session, { changes: "enter", clock });
  const record = await fileRecorderOf(session.kind.name);
  return record === undefined ? noticed : record(noticed, project, clock);
}
