import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isRecord, isStringArray, type JsonObject, parseStrictJson } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { type CheckedDraft, parseDraft } from "../../dialogue/message.ts";
import { readFileIfPresent } from "../../files/atomic-file.ts";
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
  /** What became of the claims that this side owes a look. */
  readonly checks: readonly CheckSaid[];
  /** What the other side holds and what this one does, each where it was said last. */
  readonly theirs: Stand | undefined;
  readonly mine: Stand | undefined;
  readonly isByHand: boolean;
  /** The least confidence that makes an AGREE count. */
  readonly threshold: number;
}

export interface CheckSaid {
  readonly claim: string;
  readonly outcome: string;
  readonly evidence?: string;
  readonly reason?: string;
}

/** A message that took a stand. */
interface Stand {
  readonly seq: number;
  readonly position: string;
  readonly synthesis: string | undefined;
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
  const request = spoken.find(({ message }) => message.type === "REQUEST")?.message;
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
    checks: checksIn(draft, guidance),
    theirs: standOf(spoken, (from) => from !== me),
    mine: standOf(spoken, (from) => from === me),
    isByHand: saysByHand(guidance),
    threshold: thresholdOf(project, String(id)),
  };
}

/** What `next-action` wants filled in first. */
function draftIn(guidance: Record<string, unknown>): unknown {
  const [first] = Array.isArray(guidance["moves"]) ? guidance["moves"] : [];
  return isRecord(first) ? first["input"] : undefined;
}

/** The draft names the records that there are; what the script could not run is assumed. */
function checksIn(draft: JsonObject, guidance: Record<string, unknown>): CheckSaid[] {
  const drafted = Array.isArray(draft["checks"]) ? draft["checks"] : [];
  const known = drafted.flatMap((entry) => {
    if (!isRecord(entry)) return [];
    const { claim, outcome, evidence } = entry;
    return [{ claim: String(claim), outcome: String(outcome), evidence: String(evidence) }];
  });
  const names = new Set(known.map(({ claim }) => claim));
  const owed = isStringArray(guidance["toCheck"]) ? guidance["toCheck"] : [];
  const reason = "a script of the rehearsal could not run it";
  const rest = owed.filter((claim) => !names.has(claim));
  return [...known, ...rest.map((claim) => ({ claim, outcome: "not_run", reason }))];
}

/** The last message of a side with a position. */
function standOf(
  spoken: readonly Spoken[],
  isBy: (from: string | undefined) => boolean,
): Stand | undefined {
  const last = spoken.findLast(
    ({ message }) => isBy(message.from) && message.position !== undefined,
  );
  if (last?.seq === undefined || last.message.position === undefined) return undefined;
  const { position, synthesis } = last.message;
  return { seq: last.seq, position, synthesis };
}

function saysByHand(guidance: Record<string, unknown>): boolean {
  const advice = isStringArray(guidance["advice"]) ? guidance["advice"] : [];
  return advice.some((line) => line.startsWith("Your peer works by hand"));
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
