import { isRecord, isStringArray } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { type Journey, journeysIn, withoutMail } from "../dialogue/delivery-lines.ts";
import { parseDialogueEvent, unseal } from "../dialogue/event.ts";
import type { Message } from "../dialogue/message.ts";
import type { DialogueState } from "../dialogue/state.ts";
import { type Claim, isSeen, standsOf } from "../dialogue/trust.ts";
import type { LogEvent } from "../log/event.ts";
import type { EvidenceRecord } from "../protocol/evidence.ts";
import type { Machine } from "../protocol/machine.ts";
import { personName } from "../protocol/person-step.ts";
import { firstLine, type KindPage, shortBody } from "./kind-page.ts";
import type { Told } from "./live-story.ts";
import type {
  Chips,
  ClaimModel,
  DialoguePart,
  EvidenceItem,
  FlipModel,
  Item,
  MessageItem,
  Moment,
  Trail,
} from "./page/model.ts";
import { readMarkdown } from "./read-markdown.ts";

/** A dialogue, message by message. */
export const dialoguePage: KindPage = {
  items,
  moments,
  part: async (told) => partOf(told),
  confidence: newestTrails,
  body: ({ machine }, event) => messageIn(event, stateOf(machine))?.question_or_proposal.content,
};

function stateOf(machine: Machine): DialogueState {
  const snapshot = machine.snapshot();
  const state = isRecord(snapshot) ? snapshot["state"] : undefined;
  if (machine.kind !== "dialogue" || !isDialogueState(state))
    throw new Error(`a ${machine.kind} is no dialogue`);
  return state;
}

/** `initialState` made it: its trust tells it from others. */
function isDialogueState(value: unknown): value is DialogueState {
  return isRecord(value) && isRecord(value["trust"]) && isRecord(value["sides"]);
}

interface Around {
  readonly state: DialogueState;
  readonly chips: ReadonlyMap<string, Chips>;
  readonly claims: ReadonlyMap<string, ClaimModel>;
}

function items({ events, before, machine }: Told): Item[] {
  const state = stateOf(machine);
  const journeys = journeysIn(events, before === undefined ? withoutMail(state) : stateOf(before));
  const around: Around = {
    state,
    chips: new Map(journeys.map((it) => [chipKey(it.message.seq, it.message.to), chipsOf(it)])),
    claims: new Map(state.trust.claims.map((it) => [it.id, claimOf(it)])),
  };
  return events.flatMap((event) => itemsOf(event, around));
}

function chipKey(seq: number, to: string): string {
  return `${seq} ${to}`;
}

function chipsOf({ message, actedOn }: Journey): Chips {
  const { storedAt, rung, inTurn } = message;
  return {
    stored: storedAt,
    notified: rung?.at ?? "",
    seen: inTurn?.at ?? "",
    answered: actedOn?.at ?? "",
  };
}

function itemsOf(event: LogEvent, around: Around): Item[] {
  const { seq, at, from } = event;
  const message = messageIn(event, around.state);
  if (message !== undefined) return [messageItem({ seq, at }, message, around)];
  const known = parseDialogueEvent(event);
  const step = (what: string, text: string): Item[] => [
    { as: "step", seq, at, by: from, what, text },
  ];
  switch (known.event) {
    case "opened":
      return step("opened the session", "");
    case "position_sealed":
      return step("has sealed its position", "It is opened when both are in.");
    case "evidence":
      return [evidenceItem(event, known.record)];
    case "escalated":
      return step(
        known.closedBy === undefined ? "ended the session" : "closed the session",
        known.detail,
      );
    case "rung":
    case "in_turn":
    case "message_sent":
      return [];
    default:
      return [personItem(event)];
  }
}

/** The message of an event; a sealed one when it may be read. */
function messageIn(event: LogEvent, state: DialogueState): Message | undefined {
  const known = parseDialogueEvent(event);
  if (known.event === "message_sent") return known.message;
  const isOpen = known.event === "position_sealed" && state.phase !== "sealing";
  return isOpen ? unseal(known.sealed)?.message : undefined;
}

/** An event of the person: what they did is its name, what they said is its text. */
function personItem({ seq, at, event, ...fields }: LogEvent): Item {
  const { decision, because, text, answer, to, verdict } = fields;
  const said = [verdict, decision, answer, text, because].filter((it) => typeof it === "string");
  const what = event.replaceAll("_", " ");
  const whom = isStringArray(to) ? to.join(", ") : "";
  return { as: "person", seq, at, what, to: whom, text: said.join(": ") };
}

function evidenceItem({ seq, at, from }: LogEvent, record: EvidenceRecord): EvidenceItem {
  const { claim = "", spec, expect = "", met, exit, ms, first, last } = record;
  const shown = last === "" ? first : `${first}\n…\n${last}`;
  const about = { claim, spec, expect, met, exit, ms, shown: shown.slice(0, 2_000).toWellFormed() };
  return { as: "evidence", seq, at, by: from, ...about };
}

function messageItem(
  place: { readonly seq: number; readonly at: string },
  message: Message,
  { state, chips, claims }: Around,
): MessageItem {
  const { from, to, type, position = "", confidence, question_or_proposal } = message;
  const { seq } = place;
  const { content } = question_or_proposal;
  const own = (message.claims ?? []).flatMap(
    (_, index) => claims.get(`C${seq}.${index + 1}`) ?? [],
  );
  return {
    as: "message",
    ...place,
    ...{ from, to, type, position, confidence },
    summary: firstLine(position === "" ? content : position),
    ...shortBody(content),
    ...saidIn(message, seq),
    claims: own,
    flip: flipsOf(state).find((it) => it.seq === seq && it.by === from),
    chips: chips.get(chipKey(seq, to)),
  };
}

/** What a message says beside its text, under its own fields. */
function saidIn(message: Message, seq: number) {
  const { acknowledged = [], objections = [], resolved = [], answers = [], checks = [] } = message;
  type Point = { readonly point?: string | undefined; readonly because?: string | undefined };
  const points = (all: readonly Point[]) =>
    all.map(({ point = "", because = "" }) => ({ point, because }));
  const asked = message.question_or_proposal.specific_questions ?? [];
  return {
    acknowledged,
    objections: points(objections),
    settled: points(resolved),
    questions: asked.map((text, index) => ({ id: `Q${seq}.${index + 1}`, text })),
    answers: answers.map(({ question = "", answer = "" }) => ({ question, text: answer })),
    checks: checks.map(({ claim = "", outcome = "", evidence, reason }) => ({
      claim,
      outcome,
      text: evidence ?? reason ?? "",
    })),
    synthesis: message.synthesis ?? "",
    reservations: message.reservations ?? [],
    needsUser: message.needs_user ?? "",
  };
}

function claimOf(claim: Claim): ClaimModel {
  const { id, by, text, check, expect, records } = claim;
  const status = !standsOf(claim) ? "fell" : isSeen(claim) ? "seen" : "assumed";
  const ranBy = records.map(({ by, seq, met }) => ({ by, seq, met }));
  return { id, by, text, check, expect, status, ranBy };
}

function flipsOf({ trust }: DialogueState): FlipModel[] {
  return trust.flips.map((it) => ({ ...it }));
}

function moments(all: readonly Item[]): Moment[] {
  return all.flatMap((item): Moment[] => {
    const { seq } = item;
    if (item.as === "evidence")
      return [{ seq, what: "check", text: `${item.by} checked ${item.claim || item.spec}` }];
    if (item.as === "person") return [{ seq, what: "person", text: `you: ${item.what}` }];
    if (item.as === "step") return [];
    if (item.flip !== undefined)
      return [{ seq, what: "flip", text: `${item.from} changed its position` }];
    return item.objections.length === 0
      ? []
      : [{ seq, what: "objection", text: `${item.from} objects` }];
  });
}

function partOf(told: Told): DialoguePart {
  const state = stateOf(told.machine);
  const { goal, topic, rules, budget, trust, disagreements, agreements } = state;
  return {
    of: "dialogue",
    question: readMarkdown(goal || topic),
    decision: decisionOf(state),
    confidence: wholeTrails(told, state),
    threshold: rules.consensus_confidence_threshold,
    stall: { left: Math.max(0, budget), of: limits.progressBudget },
    round: { now: state.round, of: rules.max_rounds },
    claims: trust.claims.map(claimOf),
    flips: flipsOf(state),
    disputed: disagreements.map(({ point, by = "", since }) => ({ point, by, since })),
    agreed: agreements,
  };
}

function decisionOf({ outcome, person }: DialogueState): DialoguePart["decision"] {
  if (person.decided !== undefined)
    return { position: "", text: readMarkdown(person.decided.text), by: personName };
  if (outcome?.kind !== "consensus") return undefined;
  const { agreed, decision, by } = outcome;
  const position = agreed?.position ?? "";
  const text = agreed?.text ?? decision;
  return { position, text: text === position ? [] : readMarkdown(text), by };
}

/** The newest values of each side, as the state keeps them: enough for a sparkline. */
function newestTrails({ machine }: Pick<Told, "machine">): Trail[] {
  const state = stateOf(machine);
  return state.participants.map((name) => ({
    name,
    points: (state.sides[name]?.confidences ?? []).map((value, index) => ({
      seq: index + 1,
      value,
    })),
  }));
}

/** What each side said of its confidence in the messages that are told. */
function wholeTrails({ events }: Told, state: DialogueState): Trail[] {
  const said = events.flatMap((event) => {
    const message = messageIn(event, state);
    const value = message?.confidence;
    return message === undefined || value === undefined
      ? []
      : [{ name: message.from, seq: event.seq, value }];
  });
  return state.participants.map((name) => ({
    name,
    points: said.filter((it) => it.name === name).map(({ seq, value }) => ({ seq, value })),
  }));
}
