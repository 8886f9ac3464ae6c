import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, type JsonValue, parseJsonObject } from "../base/json.ts";
import { type Ask, requireConsent } from "../evidence/consent.ts";
import { recheck } from "../evidence/recheck.ts";
import { runCheck } from "../evidence/run-check.ts";
import { textIfSound, writeFileAtomically } from "../files/atomic-file.ts";
import { existsSync } from "../files/disk.ts";
import { ensureFolder, safeJoin } from "../files/safe-path.ts";
import { pagesOf } from "../log/event-log.ts";
import { type CheckSpec, parseCheckSpec } from "../protocol/check-spec.ts";
import { type EvidenceRecord, parseEvidence } from "../protocol/evidence.ts";
import { type Place, readersProject } from "./place.ts";
import { readSession, type Session } from "./session.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** A record with its place in the log: people call it `E9`. */
export interface KeptRecord {
  readonly seq: number;
  readonly by: string;
  readonly at: string;
  readonly record: EvidenceRecord;
}

/** All evidence of a session: from its log, or from what was kept when that was swept. */
export async function evidenceOf(place: Place): Promise<KeptRecord[]> {
  const hasLog = existsSync(join(place.folder, "events.jsonl"));
  const path = hasLog ? undefined : place.workspace && keptFile(place.workspace, place);
  if (path === undefined || !existsSync(path)) return evidenceInLog(await readSession(place));
  // A clone may have brought the file: what no script of ours would write is left out.
  const { evidence } = parseJsonObject(textIfSound(path, keptBytes) ?? "") ?? {};
  return Array.isArray(evidence) ? evidence.flatMap(readEntry) : [];
}

async function evidenceInLog(session: Session): Promise<KeptRecord[]> {
  const found: KeptRecord[] = [];
  for await (const { events } of pagesOf(session.log)) {
    for (const { seq, from: by, at, event, record } of events)
      if (event === "evidence") found.push(...readEntry({ seq, by, at, record }));
  }
  return found;
}

function readEntry(entry: JsonValue): KeptRecord[] {
  const { seq, by, at, record: written } = isRecord(entry) ? entry : {};
  const record = parseEvidence(written);
  const isWhole = typeof seq === "number" && typeof by === "string" && typeof at === "string";
  return isWhole && record !== undefined ? [{ seq, by, at, record }] : [];
}

/** Keeps the evidence of a session beside its report and solution, which outlive its log. */
export async function keepEvidence(place: Place): Promise<void> {
  const { workspace, config, id } = place;
  const evidence = await evidenceInLog(await readSession(place));
  if (workspace === undefined || evidence.length === 0) return;
  ensureFolder(workspace.root, config.artifacts_dir, id);
  const kept = { session_id: id, evidence };
  writeFileAtomically(keptFile(workspace, place), `${JSON.stringify(kept, undefined, 2)}\n`);
}

const keptBytes = 67_108_864;

function keptFile({ root, config }: Workspace, { id }: Place): string {
  return join(safeJoin(root, config.artifacts_dir, id), "evidence.json");
}

/** What a record is worth today. `differs`: a command ended otherwise, or said something else. */
export interface ReplayedCheck {
  readonly id: string;
  readonly by: string;
  readonly claim: string | undefined;
  readonly kind: EvidenceRecord["kind"];
  readonly spec: string;
  readonly now: "same" | "moved" | "changed" | "differs" | "could not run";
  /** Why it is not the same, or where the lines are now. */
  readonly why: string | undefined;
}

type Outcome = Pick<ReplayedCheck, "now" | "why">;

/**
 * Repeats all evidence of a session: each different check once, and asks about each command once.
 * Nothing is recorded.
 */
export async function replayEvidence(
  place: Place,
  person: Ask | undefined,
): Promise<ReplayedCheck[]> {
  const ask = person && askedOnce(person);
  const project = readersProject(place);
  const known = new Map<string, Outcome>();
  const replayed: ReplayedCheck[] = [];
  for (const { seq, by, record } of await evidenceOf(place)) {
    const { claim, kind, spec, expect = "", sha256, met, exit } = record;
    const same = kind === "run" ? "" : sha256;
    const key = JSON.stringify([kind, spec, expect, same, met, exit ?? ""]);
    const outcome = known.get(key) ?? (await outcomeOf(record, project, ask));
    known.set(key, outcome);
    replayed.push({ id: `E${seq}`, by, claim, kind, spec, ...outcome });
  }
  return replayed;
}

/** Whether each is what it was. */
export function isAllSame(replayed: readonly ReplayedCheck[]): boolean {
  return replayed.every(({ now }) => now === "same" || now === "moved");
}

/** How many records are what they were, are not, or could not be looked at. */
export function replayedLine(replayed: readonly ReplayedCheck[]): string {
  const unseen = replayed.filter(({ now }) => now === "could not run").length;
  const same = replayed.filter(({ now }) => now === "same" || now === "moved").length;
  const other = replayed.length - same - unseen;
  if (same === replayed.length) return "all as they were";
  const parts = [
    `${same} as they were`,
    other === 0 ? "" : `${other} NOT as they were`,
    unseen === 0 ? "" : `${unseen} not looked at again`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function askedOnce(ask: Ask): Ask {
  const answers = new Map<string, Promise<boolean>>();
  return (question) => {
    const answer = answers.get(question) ?? ask(question);
    answers.set(question, answer);
    return answer;
  };
}

async function outcomeOf(
  record: KeptRecord["record"],
  project: string,
  ask: Ask | undefined,
): Promise<Outcome> {
  const spec = parseCheckSpec(record.spec);
  if ("fault" in spec) return { now: "could not run", why: spec.fault };
  if (spec.kind === "run") return runAgain(spec, record, project, ask);
  const since = recheck(record, project);
  if (since?.now === "moved") return { now: "moved", why: `${since.spec} now` };
  if (since?.now === "changed") return { now: "changed", why: since.why };
  return { now: "same", why: undefined };
}

async function runAgain(
  spec: Extract<CheckSpec, { kind: "run" }>,
  record: EvidenceRecord,
  project: string,
  ask: Ask | undefined,
): Promise<Outcome> {
  const checker = { project, git: {}, process: record.process };
  try {
    await requireConsent(spec.argv, project, ask);
    const { met, exit } = await runCheck(spec, record.expect, checker);
    if (met === record.met && exit === record.exit) return { now: "same", why: undefined };
    const words = met === record.met || exit !== record.exit ? "" : ", the words expected aside";
    return { now: "differs", why: `exit ${exit}, then ${record.exit}${words}` };
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return { now: "could not run", why: cause.message };
  }
}
