import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type CheckedDraft, parseDraft } from "../../core/dialogue/message.ts";
import { isRecord, isStringArray, type JsonObject, parseStrictJson } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { readFileIfPresent } from "../../store/atomic-file.ts";
import { type Options, optionsOf } from "./options-of.ts";
import { type Probe, probesFor } from "./probe.ts";

/** What a scripted colleague knows when it has the turn: `next-action`, and the messages on disk. */
export interface Scene {
  readonly me: string;
  readonly other: string;
  readonly project: string;
  readonly phase: string;
  readonly question: string;
  readonly options: Options;
  /** Which option and which assumption of the question are mine. */
  readonly favourite: string;
  readonly alternative: string;
  readonly probe: Probe;
  readonly probes: readonly Probe[];
  /** The draft that `next-action` wants filled in: its fields are what is owed. */
  readonly draft: JsonObject;
  /** Owed claims by id. */
  readonly claims: ReadonlyMap<string, string>;
  /** The least confidence that makes an AGREE count. */
  readonly threshold: number;
  /** The messages of the session that were delivered, in order. */
  readonly said: readonly CheckedDraft[];
}

/** A delivered message with its place in the log. */
interface Spoken {
  readonly seq: number | undefined;
  readonly message: CheckedDraft;
}

/** Reads what `next-action --json` printed; undefined when it is not this colleague's turn. */
export function readScene(next: unknown, me: string, project: string): Scene | undefined {
  const { standing, guidance } = isRecord(next) ? next : {};
  if (!isRecord(standing) || !isRecord(guidance) || guidance["turn"] !== "yours") return undefined;
  const { id, topic, phase, participants } = standing;
  if (!isStringArray(participants)) return undefined;
  const draft: JsonObject = JSON.parse(JSON.stringify(draftIn(guidance) ?? {}));
  const spoken = readTranscript(project, String(id), participants);
  const said = spoken.map(({ message }) => message);
  const request = said.find(({ type }) => type === "REQUEST");
  const question = request?.question_or_proposal.content ?? String(topic);
  const options = optionsOf(question);
  const initiates = participants[0] === me;
  const probes = probesFor(question);
  return {
    me,
    other: participants.find((name) => name !== me) ?? "",
    project,
    phase: String(phase),
    question,
    options,
    favourite: initiates ? options.second : options.first,
    alternative: initiates ? options.first : options.second,
    probe: probes[initiates ? 1 : 0],
    probes,
    draft,
    claims: claimsIn(draft, spoken, me),
    threshold: thresholdOf(project, String(id)),
    said,
  };
}

/** What `next-action` wants filled in first. */
function draftIn(guidance: Record<string, unknown>): unknown {
  const [first] = Array.isArray(guidance["moves"]) ? guidance["moves"] : [];
  return isRecord(first) ? first["input"] : undefined;
}

/** The texts of the claims that the draft wants checked: `C3.1` is the first claim of message 3. */
function claimsIn(draft: JsonObject, spoken: readonly Spoken[], me: string): Map<string, string> {
  const owed = Array.isArray(draft["checks"]) ? draft["checks"] : [];
  const found = owed.flatMap((entry) => {
    const id = isRecord(entry) ? String(entry["claim"]) : "";
    const [, seq, place] = /^C(\d+)\.(\d+)$/.exec(id) ?? [];
    const source = spoken.find((it) => it.seq === Number(seq) && it.message.from !== me);
    const text = source?.message.claims?.[Number(place) - 1]?.text;
    return text === undefined ? [] : [[id, text] as const];
  });
  return new Map(found);
}

/** The confidence that the session's rules want of an AGREE. */
function thresholdOf(project: string, session: string): number {
  const path = join(project, ".consulta", "sessions", session, "protocol.json");
  const text = readFileIfPresent(path, limits.messageBytes);
  const view = text === undefined ? {} : parseStrictJson(text, path);
  const rules = isRecord(view) ? view["rules"] : undefined;
  const threshold = isRecord(rules) ? rules["consensus_confidence_threshold"] : undefined;
  return typeof threshold === "number" ? threshold : 0;
}

/** Delivered messages lie in an inbox until they are taken, then in the archive. */
function readTranscript(project: string, session: string, participants: string[]): Spoken[] {
  const folders = ["archive", ...participants.map((name) => `inbox-${name}`)];
  const messages = new Map<string, Spoken>();
  for (const folder of folders) {
    for (const name of namesIn(join(project, ".consulta", folder))) {
      if (!name.startsWith(`${session}-`) || !name.endsWith(".json")) continue;
      const spoken = readMessage(join(project, ".consulta", folder, name));
      if (spoken?.message.session_id === session) messages.set(name, spoken);
    }
  }
  return [...messages.values()].sort((one, other) =>
    (one.message.timestamp ?? "") < (other.message.timestamp ?? "") ? -1 : 1,
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readMessage(path: string): Spoken | undefined {
  const text = readFileIfPresent(path, 2 * limits.messageBytes);
  if (text === undefined) return undefined;
  const value = parseStrictJson(text, path);
  const message = parseDraft(value, false);
  if (Array.isArray(message) || !isRecord(value)) return undefined;
  return { seq: typeof value["seq"] === "number" ? value["seq"] : undefined, message };
}
