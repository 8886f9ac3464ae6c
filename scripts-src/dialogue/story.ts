import { inline } from "../base/json.ts";
import { plural } from "../base/plural.ts";
import { durationText, isoSecond, millisecondsOf, unreadableTime } from "../base/time.ts";
import { visibleText } from "../base/visible-text.ts";
import type { LogEvent } from "../log/event.ts";
import type { AuditSubject } from "../protocol/audit.ts";
import { evidenceLimits, parseCheckSpec } from "../protocol/check-spec.ts";
import { type EvidenceRecord, holdsWords } from "../protocol/evidence.ts";
import { isDeliveryNote } from "../protocol/person-step.ts";
import type { Conclusion, DecisionRecord, Pending } from "../protocol/protocol.ts";
import { decisionToAudit, ownersOf, standingOf } from "./audit.ts";
import { lastMet, seenBy, validClaims } from "./claims.ts";
import { pending } from "./delivery.ts";
import { parseDialogueEvent, unseal } from "./event.ts";
import { evolve } from "./fold.ts";
import type { Message } from "./message.ts";
import { isSamePosition } from "./positions.ts";
import { type Claim, type DialogueState, goalOf } from "./state.ts";
import { verdictOf } from "./verdict.ts";

export interface ToldMessage {
  seq: number;
  message: Message;
}

/** What a dialogue said and saw, for all who tell of it: the state keeps neither texts nor lines. */
export interface Story {
  readonly said: readonly ToldMessage[];
  /** By the seq of their events. */
  readonly records: ReadonlyMap<number, EvidenceRecord>;
  /** The whole text that closed the session; "" where nothing was agreed. */
  readonly text: string;
}

export function storyOf(state: DialogueState, events: readonly LogEvent[]): Story {
  const said: ToldMessage[] = [];
  const records = new Map<number, EvidenceRecord>();
  for (const event of events) {
    const { seq } = event;
    const message = messageIn(state, event);
    if (message !== undefined) said.push({ seq, message });
    const known = parseDialogueEvent(event);
    if (known.event === "evidence") records.set(seq, known.record);
  }
  const { outcome } = state;
  if (outcome?.kind !== "consensus") return { said, records, text: "" };
  const closing = said.find(({ seq }) => seq === outcome.seq)?.message;
  const whole = closing?.question_or_proposal.content ?? outcome.decision;
  return { said, records, text: outcome.agreed?.text ?? whole };
}

/** What an auditor reads of a session, given all its events; or why there is nothing. */
export function auditSubject(
  state: DialogueState,
  events: readonly LogEvent[],
): AuditSubject | string {
  const decision = decisionToAudit(state);
  if (typeof decision === "string") return decision;
  const { said, records } = storyOf(state, events);
  const { seq: agree, by: author, position, text } = decision;
  const closing = state.outcome?.kind === "consensus" ? state.outcome.agreed?.seq : undefined;
  const agrees = said.filter(({ seq }) => seq === agree || seq === closing);
  const agreeTexts = agrees.map(({ message }) => message.question_or_proposal.content);
  const claims = validClaims(state).flatMap((claim) => {
    const record = records.get(lastMet(state, claim)?.seq ?? 0);
    return record === undefined ? [] : [{ ...claim, record }];
  });
  const shown = claims.map(({ id, text, spec: check, expect, record }) => ({
    ...{ id, text, check, expect, seen: wholeOf(record) },
  }));
  const read = claims.map(({ id, record }) => ({ claim: id, sha256: record.sha256 }));
  const material = { question: goalOf(state), position, text, claims: shown, agreeTexts };
  return { agree, author, read, material };
}

/** A record keeps the ends of what is long. */
function wholeOf({ first, last }: EvidenceRecord): string {
  const isWhole = first.length + last.length < 2 * evidenceLimits.partCharacters;
  return `${first}${isWhole ? "" : "\n[cut here: what came between was not kept]\n"}${last}`;
}

/** The message of an event; a sealed one when both are in, or the session has ended. */
export function messageIn({ phase }: DialogueState, event: LogEvent): Message | undefined {
  const known = parseDialogueEvent(event);
  if (known.event === "message_sent") return known.message;
  const isOpen = known.event === "position_sealed" && phase !== "sealing";
  return isOpen ? unseal(known.sealed, event.from)?.message : undefined;
}

const [linesShown, lineCharacters, namesShown] = [5, 160, 5];

/** The first lines of what a claim rests on, for anyone who compares them with its words. */
export function linesSeen(claim: Claim, story: Story): string[] {
  const record = metOf(claim, story).at(-1);
  if (record === undefined) return [];
  const { kind, expect = "", first, last } = record;
  const printed = `${first}\n${last}`.split("\n");
  const expected = printed.filter((it) => expect !== "" && holdsWords(it, expect)).slice(0, 1);
  const lines = kind === "run" ? expected : first.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, linesShown).map((line) => `  > ${cut(line)}`.trimEnd());
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `  > (${plural(more, "more line")})`] : shown;
}

function cut(line: string): string {
  const plain = visibleText(line);
  const short = plain.slice(0, lineCharacters).toWellFormed();
  return plain.length > lineCharacters ? `${short}...` : plain;
}

function metOf(claim: Claim, { records }: Story): EvidenceRecord[] {
  return claim.records.flatMap(({ seq, met }) => (met ? (records.get(seq) ?? []) : []));
}

/** Which files that no commit holds it rests on; "" where none is known. */
export function notCommitted(claim: Claim, story: Story): string {
  const met = metOf(claim, story);
  const names = [...new Set(met.flatMap(ownChanges))];
  if (names.length === 0) return "";
  const shown = names.slice(0, namesShown).map((name) => inline(name, lineCharacters));
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : "";
  const what = met.some(({ kind }) => kind === "run") ? "ran on files that were" : "rests on files";
  return `${what} not committed: ${shown.join(", ")}${more}`;
}

/** A command may read anything; lines and searches have read what they name. */
function ownChanges({ kind, spec, dirty = [], first, last }: EvidenceRecord): readonly string[] {
  const parsed = parseCheckSpec(spec);
  if (kind === "run" || "fault" in parsed) return kind === "run" ? dirty : [];
  const found = `${first}\n${last}`.split("\n").map((line) => /^(.+?):\d+: /.exec(line)?.[1] ?? "");
  const paths = parsed.kind === "lines" ? [parsed.path] : found;
  return dirty.filter((name) => paths.some((path) => isPath(name, path)));
}

/** Names of changed files begin at the repository, which a project may be a folder of. */
function isPath(name: string, path: string): boolean {
  const plain = path.replace(/^(?:\.\/)+/, "");
  return plain !== "" && (name === plain || name.endsWith(`/${plain}`));
}

/** The decision, or what the user was left to decide; and the last synthesis. */
export function conclusions(state: DialogueState, events: readonly LogEvent[]): Conclusion[] {
  const { outcome, person } = state;
  // What was closed says nothing of the question.
  if (outcome === undefined || outcome.kind === "closed") return [];
  const { said, text } = storyOf(state, events);
  const { line } = verdictOf(state);
  const last = said.findLast(({ message }) => message.synthesis !== undefined)?.message;
  const agreed = outcome.kind === "consensus" ? outcome.agreed?.position : undefined;
  // Where both accepted it, the decision says it.
  const isNews = last?.synthesis !== undefined && !isSamePosition(last.synthesis, agreed ?? "");
  const synthesis: Conclusion[] = isNews
    ? [{ what: "synthesis", outcome: `synthesis of ${last.from}`, text: last.synthesis ?? "" }]
    : [];
  if (person.decided !== undefined)
    return [{ what: "decision", outcome: line, text: person.decided.text }, ...synthesis];
  if (outcome.kind === "escalated") {
    const { positions, disagreement } = outcome;
    const lines = [
      `Left open: ${short(disagreement)}`,
      ...positions.map((it) => `Position of ${it.participant}: ${short(it.position) || "none"}`),
    ];
    return [{ what: "undecided", outcome: line, text: lines.join("\n") }, ...synthesis];
  }
  // What was open when it was closed stays so; who has read its text since changes, and is not kept.
  const open = outcome.open.length === 0 ? "" : "; closed by the original rules, with points open";
  const isStated = agreed === undefined || text.startsWith(agreed);
  const whole = isStated ? text : `${agreed}\n\n${text}`;
  const what = ownersOf(state).length > 0 ? "undecided" : "decision";
  return [{ what, outcome: `${line}${open}`, text: whole }, ...synthesis];
}

/** So that the point of disagreement and both positions find room beside each other. */
const partCharacters = 500;

function short(text: string): string {
  return text.length > partCharacters ? `${text.slice(0, partCharacters)}...` : text;
}

/** What was decided, or is proposed, as a record for those who come later. */
export function decisionRecord(state: DialogueState): DecisionRecord | undefined {
  const { outcome, person, participants, goal, topic, actedAt, reservations, commit } = state;
  if (outcome === undefined || outcome.kind === "closed") return undefined;
  const { code, line } = verdictOf(state);
  const agreed = outcome.kind === "consensus" ? (outcome.agreed?.position ?? outcome.decision) : "";
  const { decided, judged } = person;
  const isLeft = (code === "recommendation" || code === "escalated") && decided === undefined;
  const changed = { kept: undefined, changed: "superseded", wrong: "rejected" } as const;
  const valid = validClaims(state);
  const own = decided === undefined ? [] : [{ by: "user", text: decided.text }];
  return {
    status: (judged && changed[judged.says]) ?? (isLeft ? "proposed" : "accepted"),
    date: (decided?.at ?? actedAt).slice(0, 10),
    decisionMakers: decided !== undefined ? ["user"] : agreed === "" ? [] : participants,
    consulted: decided !== undefined || agreed === "" ? participants : [],
    question: goal || topic,
    options: [...optionsOf(state), ...own],
    chosen: decided?.text ?? agreed,
    because: valid.map((it) => `${it.id} of ${it.by}, ${standingOf(state, it).text}: ${it.text}`),
    consequences: reservations.map(({ by, text }) => `Bad, says ${by}: ${text}`),
    confirmation: valid
      .filter((it) => seenBy(it).length > 0 && it.spec !== "")
      .map(({ spec, expect, id }) => ({ spec, expect, claim: id })),
    commit,
    verdict: line,
  };
}

/** Every position that somebody took, each once, in the order in which they came. */
function optionsOf({ positions, outcome }: DialogueState): DecisionRecord["options"] {
  const taken = positions.map(({ by, position }) => ({ by, text: position }));
  const stated = outcome?.kind === "escalated" && taken.length === 0 ? outcome.positions : [];
  const all = [...taken, ...stated.map((it) => ({ by: it.participant, text: it.position }))];
  return all.filter(
    ({ text }, at) => text !== "" && all.findIndex((it) => isSamePosition(it.text, text)) === at,
  );
}

/** A message on its way, and the event by which its recipient acted on it. */
export interface Journey {
  message: Pending;
  actedOn?: LogEvent;
}

/** How far each message of these events came; `before` is the state before them. */
export function journeysIn(events: readonly LogEvent[], before: DialogueState): Journey[] {
  const journeys: Journey[] = [];
  let state = before;
  for (const event of events) {
    const after = evolve(state, event);
    state = after;
    const left = after.participants.flatMap((name) => pending(after, name));
    const open = journeys.filter(({ actedOn }) => actedOn === undefined);
    for (const journey of open) {
      const message = left.find((it) => isSame(it, journey.message));
      if (message !== undefined) journey.message = message;
      // Of very much mail the state counts the oldest only: its recipient's next act is the answer.
      else if (event.from === journey.message.to && !isDeliveryNote(event)) journey.actedOn = event;
    }
    const fresh = left.filter((message) => !open.some((it) => isSame(it.message, message)));
    journeys.push(...fresh.map((message) => ({ message })));
  }
  return journeys.sort((one, other) => one.message.seq - other.message.seq);
}

/**
 * Where nobody knows the state before some events: one in which all mail is answered and the session
 * goes on. Journeys that begin with these events are told by it as by any other.
 */
export function withoutMail({ outcome: _, ...state }: DialogueState): DialogueState {
  const sides = Object.entries(state.sides).map(([name, side]) => [
    name,
    { ...side, unanswered: [], unansweredEarlier: 0, sealed: "" },
  ]);
  return { ...state, phase: "talking", sides: Object.fromEntries(sides) };
}

function isSame(one: Pending, other: Pending): boolean {
  return one.file === other.file && one.to === other.to;
}

/** How a message came to its recipient, with the times since it was stored. */
export function journeyLine({ message, actedOn }: Journey): string {
  const { seq, from, to, type, storedAt, rung, inTurn } = message;
  const stored = millisecondsOf(storedAt);
  const after = (at: string) => `+${durationText((millisecondsOf(at) - stored) / 1_000)}`;
  const steps = [
    `stored ${Number.isNaN(stored) ? `at ${unreadableTime}` : isoSecond(stored)}`,
    ...(rung === undefined ? [] : [`notified ${after(rung.at)} (${rung.by})`]),
    ...(inTurn === undefined ? [] : [`seen ${after(inTurn.at)} (${inTurn.by})`]),
    ...(actedOn === undefined ? [] : [`answered ${after(actedOn.at)} (message ${actedOn.seq})`]),
  ];
  return `- message ${seq}, ${from} ${type} to ${to}: ${steps.join(", ")}`;
}
