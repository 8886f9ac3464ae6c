import { isRecord, isStringArray } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { type Journey, journeysIn, withoutMail } from "../dialogue/delivery-lines.ts";
import { parseDialogueEvent, unseal } from "../dialogue/event.ts";
import { type Claim, isSeen, standsOf } from "../dialogue/evidence-state.ts";
import type { Message } from "../dialogue/message.ts";
import type { DialogueState } from "../dialogue/state.ts";
import type { LogEvent } from "../log/event.ts";
import type { EvidenceRecord } from "../protocol/evidence.ts";
import { kindState } from "../protocol/kind-state.ts";
import type { Machine } from "../protocol/machine.ts";
import { personName } from "../protocol/person-step.ts";
import { type Happening, type KindPage, shortBody, summaryOf } from "./kind-page.ts";
import type {
  Chips,
  ClaimModel,
  DialoguePart,
  EvidenceItem,
  FlipModel,
  Item,
  MessageItem,
  Trail,
} from "./page/model.ts";
import { personMoment, seenBy } from "./person-model.ts";
import { readMarkdown } from "./read-markdown.ts";
import type { StoryPoint } from "./session-timeline.ts";

/** A dialogue, message by message. */
export const dialoguePage: KindPage = {
  happenings,
  part: async (point) => partOf(point),
  confidence: newestTrails,
  body: ({ machine }, event) => messageIn(event, stateOf(machine))?.question_or_proposal.content,
};

function stateOf(machine: Machine): DialogueState {
  return kindState(machine, "dialogue", isDialogueState);
}

/** `initialState` made it: its trust tells it from others. */
function isDialogueState(value: unknown): value is DialogueState {
  return isRecord(value) && isRecord(value["trust"]) && isRecord(value["sides"]);
}

interface Around {
  readonly events: readonly LogEvent[];
  readonly state: DialogueState;
  readonly chips: ReadonlyMap<string, Chips>;
  readonly claims: ReadonlyMap<string, Claim>;
  readonly flips: ReadonlyMap<string, FlipModel>;
}

function happenings({ events, before, machine }: StoryPoint): Happening[] {
  const state = stateOf(machine);
  const journeys = journeysIn(events, before === undefined ? withoutMail(state) : stateOf(before));
  const { claims, flips } = state.trust;
  const around: Around = {
    events,
    state,
    chips: new Map(journeys.map((it) => [placeKey(it.message.seq, it.message.to), chipsOf(it)])),
    claims: new Map(claims.map((it) => [it.id, it])),
    flips: new Map(flips.map((it) => [placeKey(it.seq, it.by), it])),
  };
  return events.flatMap((event) => happeningOf(event, around) ?? []);
}

function placeKey(seq: number, name: string): string {
  return `${seq} ${name}`;
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

function happeningOf(event: LogEvent, around: Around): Happening | undefined {
  const { seq, at, from: by } = event;
  const message = messageIn(event, around.state);
  if (message !== undefined) return messageHappening({ seq, at }, message, around);
  const known = parseDialogueEvent(event);
  const step = (what: string, text: string): Happening => ({
    ...{ seq, at, by },
    item: () => ({ as: "step", seq, at, by, what, text }),
  });
  switch (known.event) {
    case "opened":
      return step("opened the session", "");
    case "position_sealed":
      return step("has sealed its position", "It is opened when both are in.");
    case "evidence":
      return evidenceHappening(event, known.record);
    case "closed":
      if (known.by !== personName) return step("closed the session", known.reason);
      return {
        ...{ seq, at, by: personName, moment: personMoment("ended") },
        item: () => endItem({ seq, at }, known.reason),
      };
    case "heard":
    case "rung":
    case "in_turn":
    case "message_sent":
      return undefined;
    default:
      return {
        ...{ seq, at, by, moment: personMoment(event.event) },
        item: () => personItem(event, around.events),
      };
  }
}

/** The message of an event; a sealed one when it may be read. */
function messageIn(event: LogEvent, state: DialogueState): Message | undefined {
  const known = parseDialogueEvent(event);
  if (known.event === "message_sent") return known.message;
  const isOpen = known.event === "position_sealed" && state.phase !== "sealing";
  return isOpen ? unseal(known.sealed, event.from)?.message : undefined;
}

/** An event of the person: what they did is its name, what they said is its text. */
function personItem(step: LogEvent, events: readonly LogEvent[]): Item {
  const { seq, at, event, ...fields } = step;
  const { decision, because, text, answer, to, verdict } = fields;
  const said = [verdict, decision, answer, text, because].filter((it) => typeof it === "string");
  const what = event.replaceAll("_", " ");
  const whom = isStringArray(to) ? to.join(", ") : "";
  const words = { to: whom, text: said.join(": ") };
  return { as: "person", seq, at, what, ...words, seenBy: seenBy(step, events) };
}

/** The person ended it: the event is a script's, the act is theirs. */
function endItem(place: EventPlace, text: string): Item {
  return { as: "person", ...place, what: "ended the session", to: "", text, seenBy: [] };
}

function evidenceHappening(event: LogEvent, record: EvidenceRecord): Happening {
  const { seq, at, from: by } = event;
  const text = `${by} checked ${record.claim || record.spec}`;
  const item = () => evidenceItem(event, record);
  return { seq, at, by, moment: { what: "check", text }, item };
}

function evidenceItem({ seq, at, from }: LogEvent, record: EvidenceRecord): EvidenceItem {
  const { claim = "", spec, expect = "", met, exit, ms, first, last } = record;
  const shown = last === "" ? first : `${first}\n…\n${last}`;
  const about = { claim, spec, expect, met, exit, ms, shown: shown.slice(0, 2_000).toWellFormed() };
  return { as: "evidence", seq, at, by: from, ...about };
}

interface EventPlace {
  readonly seq: number;
  readonly at: string;
}

function messageHappening(place: EventPlace, message: Message, around: Around): Happening {
  const { from: by, objections = [] } = message;
  const isFlip = around.flips.has(placeKey(place.seq, by));
  const moment = isFlip
    ? ({ what: "flip", text: `${by} changed its position` } as const)
    : ({ what: "objection", text: `${by} objects` } as const);
  const isWorthALook = isFlip || objections.length > 0;
  const item = () => messageItem(place, message, around);
  return { ...place, by, moment: isWorthALook ? moment : undefined, item };
}

function messageItem(
  place: EventPlace,
  message: Message,
  { flips, chips, claims }: Around,
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
    summary: summaryOf(position === "" ? content : position),
    ...shortBody(content),
    ...saidIn(message, seq),
    claims: own.map(claimOf),
    flip: flips.get(placeKey(seq, from)),
    chips: chips.get(placeKey(seq, to)),
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
  const { id, text, check, records } = claim;
  const status = !standsOf(claim) ? "fell" : isSeen(claim) ? "seen" : "assumed";
  const ranBy = records.map(({ by, seq, met }) => ({ by, seq, met }));
  return { id, text, check, status, ranBy };
}

function partOf(point: StoryPoint): DialoguePart {
  const state = stateOf(point.machine);
  const { goal, topic, rules, budget, trust, disagreements, agreements } = state;
  return {
    of: "dialogue",
    question: readMarkdown(goal || topic),
    decision: decisionOf(state),
    confidence: wholeTrails(point, state),
    threshold: rules.consensus_confidence_threshold,
    stall: { left: Math.max(0, budget), of: limits.progressBudget },
    round: { now: state.round, of: rules.max_rounds },
    claims: trust.claims.map(claimOf),
    flips: trust.flips,
    disputed: disagreements.map(({ point }) => point),
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
function newestTrails({ machine }: Pick<StoryPoint, "machine">): Trail[] {
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
function wholeTrails({ events }: StoryPoint, state: DialogueState): Trail[] {
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
