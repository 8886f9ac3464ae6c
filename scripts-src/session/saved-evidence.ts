import { join } from "node:path";
import { isRecord, type JsonObject, type JsonValue, parseJsonObject } from "../base/json.ts";
import { textIfSound, writeFileAtomically } from "../files/atomic-file.ts";
import { existsSync } from "../files/disk.ts";
import { ensureFolder, safeJoin } from "../files/safe-path.ts";
import { type EvidenceRecord, parseEvidence } from "../protocol/evidence.ts";
import type { Place } from "./place.ts";
import { pagesOf } from "./replay.ts";
import { readSession, type Session } from "./session.ts";

/** A record with its place in the log: people call it `E9`. */
export interface KeptRecord {
  readonly seq: number;
  readonly by: string;
  readonly at: string;
  readonly record: EvidenceRecord;
}

const fileName = "evidence.json";
const fileBytes = 67_108_864;

/** All evidence of a session: from its log, or from what was kept when that was swept. */
export async function evidenceOf(place: Place): Promise<KeptRecord[]> {
  return keptOf(place) ?? evidenceInLog(await readSession(place));
}

/** Undefined while the log is there, and where nothing was kept of it. */
function keptOf(place: Place): KeptRecord[] | undefined {
  if (place.workspace === undefined || existsSync(join(place.folder, "events.jsonl"))) return;
  const path = keptFile(place);
  return existsSync(path) ? readKept(path) : undefined;
}

async function evidenceInLog(session: Session): Promise<KeptRecord[]> {
  const found: KeptRecord[] = [];
  for await (const { events } of pagesOf(session)) {
    for (const { seq, from, at, event, record } of events) {
      const read = event === "evidence" ? parseEvidence(asJson(record)) : undefined;
      if (read !== undefined) found.push({ seq, by: from, at, record: read });
    }
  }
  return found;
}

function asJson(value: JsonValue | undefined): JsonValue {
  return value ?? null;
}

/** Keeps the evidence of a session beside its report and solution, which outlive its log. */
export async function keepEvidence(place: Place): Promise<void> {
  const { workspace, config, id } = place;
  if (workspace === undefined) return;
  const session = await readSession(place);
  const evidence = await evidenceInLog(session);
  if (evidence.length === 0) return;
  ensureFolder(workspace.root, config.artifacts_dir, id);
  const kept = { session_id: id, evidence };
  writeFileAtomically(keptFile(place), `${JSON.stringify(kept, undefined, 2)}\n`);
}

function keptFile({ workspace, config, folder, id }: Place): string {
  const artifacts =
    workspace === undefined ? folder : safeJoin(workspace.root, config.artifacts_dir, id);
  return join(artifacts, fileName);
}

/** A clone may have brought the file: what no script of ours would write is left out. */
function readKept(path: string): KeptRecord[] {
  const { evidence } = parseJsonObject(textIfSound(path, fileBytes) ?? "") ?? {};
  return Array.isArray(evidence) ? evidence.flatMap(readEntry) : [];
}

function readEntry(entry: JsonObject): KeptRecord[] {
  if (!isRecord(entry)) return [];
  const { seq, by, at } = entry;
  const record = parseEvidence(entry["record"]);
  const isWhole = typeof seq === "number" && typeof by === "string" && typeof at === "string";
  return isWhole && record !== undefined ? [{ seq, by, at, record }] : [];
}
