import { isRecord } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { auditSummary, claimSayings, standingOf } from "../dialogue/audit.ts";
import { parseDialogueEvent } from "../dialogue/event.ts";
import type { Message } from "../dialogue/message.ts";
import type { Claim, DialogueState } from "../dialogue/state.ts";
import { type Journey, journeysIn, messageIn, withoutMail } from "../dialogue/story.ts";
import type { LogEvent } from "../log/event.ts";
import { personName } from "../protocol/person-step.ts";
import type { SessionState } from "../protocol/protocol.ts";
import { kindState, stateAtStart } from "../protocol/session-state.ts";
import { type KindPage, personItem } from "./kind-page.ts";
import type { DialoguePart, Item, Reached, ShownClaim } from "./page/model.ts";
import { charactersMax, readMarkdown } from "./read-markdown.ts";
import type { StoryPoint } from "./session-timeline.ts";

/** A dialogue, message by message. */
export const dialoguePage: KindPage = { itemsAt, part: async (point) => partOf(point) };

function stateOf(session: SessionState): DialogueState {
  return kindState(session, "dialogue", isDialogueState);
}

/** `initialState` made it: its claims tell it from others. */
function isDialogueState(value: unknown): value is DialogueState {
  return isRecord(value) && Array.isArray(value["claims"]) && isRecord(value["sides"]);
}

function itemsAt({ session, events, untold }: StoryPoint) {
  const state = stateOf(session);
  const { kind, settings } = session;
  const before = untold === 0 ? stateOf(stateAtStart(kind, settings.value)) : withoutMail(state);
  const journeys = new Map(
    journeysIn(events, before).map((it) => [`${it.message.seq} ${it.message.to}`, it]),
  );
  return (event: LogEvent): Item | undefined => {
    const message = messageIn(state, event);
    if (message === undefined) return otherItem(event, events);
    return messageItem(event, message, state, journeys.get(`${event.seq} ${message.to}`));
  };
}

function otherItem(event: LogEvent, events: readonly LogEvent[]): Item | undefined {
  const place = { seq: event.seq, at: event.at, by: event.from };
  const known = parseDialogueEvent(event);
  const step = (what: string, text: string): Item => ({ as: "step", ...place, what, text });
  switch (known.event) {
    case "opened":
      return step("opened the session", "");
    case "position_sealed":
      return step("has sealed its position", "It is opened when both are in.");
    case "evidence":
      return { as: "evidence", ...place, record: known.record };
    case "audited":
      return step("had the decision audited", auditSummary(known.record));
    case "closed": {
      if (known.by !== personName) return step("closed the session", known.reason);
      const own = personItem(event, events);
      return { ...own, what: "ended the session", to: "", text: known.reason, seenBy: [] };
    }
    case "heard":
    case "rung":
    case "in_turn":
    case "message_sent":
      return undefined;
    default:
      return personItem(event, events);
  }
}

function messageItem(
  { seq, at }: LogEvent,
  { question_or_proposal, ...message }: Message,
  state: DialogueState,
  journey: Journey | undefined,
): Item {
  const { from: by, position = "", claims = [] } = message;
  const { content, specific_questions: questions = [] } = question_or_proposal;
  const ids = claims.map((_, index) => `C${seq}.${index + 1}`);
  return {
    ...{ as: "message", seq, at, by, message, questions },
    summary: summaryOf(position === "" ? content : position),
    body: readMarkdown(content.slice(0, charactersMax).toWellFormed()),
    more: Math.max(0, content.length - charactersMax),
    claims: state.claims.filter(({ id }) => ids.includes(id)).map((it) => shownClaim(state, it)),
    flip: state.flips.find((it) => it.seq === seq && it.by === by),
    reached: journey && reachedBy(journey),
  };
}

function reachedBy({ message, actedOn }: Journey): Reached {
  const { storedAt, rung, inTurn } = message;
  return {
    stored: storedAt,
    notified: rung?.at ?? "",
    seen: inTurn?.at ?? "",
    answered: actedOn?.at ?? "",
  };
}

const summaryCharacters = 160;

/** The first line of a text that says something, for a list. */
function summaryOf(text: string): string {
  const lines = text.slice(0, 4_000).split("\n");
  const [line = ""] = lines
    .map((it) => it.replace(/^[\s#>*-]+/, "").trim())
    .filter((it) => it !== "" && !it.startsWith("```"));
  return line.length > summaryCharacters ? `${line.slice(0, summaryCharacters).trimEnd()}…` : line;
}

function shownClaim(state: DialogueState, claim: Claim): ShownClaim {
  const { status, text } = standingOf(state, claim);
  return {
    ...claim,
    status,
    standing: text,
    audit: claimSayings(state, claim),
  };
}

function partOf({ session }: StoryPoint): DialoguePart {
  const state = stateOf(session);
  const { goal, topic, rules, budget, round, claims, flips, disagreements, agreements } = state;
  return {
    of: "dialogue",
    question: readMarkdown(goal || topic),
    decision: decisionOf(state),
    threshold: rules.consensus_confidence_threshold,
    stall: { left: Math.max(0, budget), of: limits.progressBudget },
    round: { now: round, of: rules.max_rounds },
    claims: claims.map((it) => shownClaim(state, it)),
    flips,
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
