import type { JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { LogEvent } from "../log/event.ts";
import { boundedRules, boundsIn, type Rules } from "../protocol/config.ts";
import { withPerson } from "./decide-person-event.ts";
import { withStage } from "./delivery.ts";
import { close, goOnWithAnswer } from "./ending.ts";
import { type DialogueEvent, parseDialogueEvent } from "./event.ts";
import { noteOf, withEvidence } from "./evidence.ts";
import { noTrust, type Trust } from "./evidence-state.ts";
import { keepSealed, receive } from "./fold-message.ts";
import { thresholdMark } from "./marks.ts";
import { type DialogueState, hasEnded, initialSide } from "./state.ts";

type Opened = Extract<DialogueEvent, { event: "opened" }>;

/** Folds one stored event into the state. The machine is drawn in state.ts. */
export function evolve(state: DialogueState, event: LogEvent): DialogueState {
  const known = parseDialogueEvent(event);
  const noted = { ...state, seq: event.seq, lastAt: event.at };
  const next = { ...noted, actedAt: event.at };
  switch (known.event) {
    case "opened":
      return state.phase === "new" ? open(next, known, event) : next;
    case "message_sent":
      return receive(next, { ...known, seq: event.seq, at: event.at });
    case "position_sealed":
      return keepSealed(next, event.from, known, event);
    case "evidence":
      // Audit tells of a record that a stranger made.
      return state.participants.includes(event.from)
        ? withEvidence(next, noteOf(known.record, event.seq, event.from, event.at))
        : next;
    case "closed":
      return close(next, known.by, known.reason);
    case "decided":
    case "judged":
      return hasEnded(state) ? withPerson(next, known) : next;
    case "answered":
      return goOnWithAnswer(next);
    case "said":
    case "paused":
    case "resumed":
      return next;
    case "heard":
      return noted;
    case "rung":
    case "in_turn":
      return withStage(noted, event.from, known);
  }
}

function open(state: DialogueState, opened: Opened, event: LogEvent): DialogueState {
  return {
    ...state,
    phase: "asking",
    trust: openingTrust(state.trust, opened, boundedRules(opened.rules, state.rules)),
    id: opened.session_id,
    topic: opened.topic,
    mode: opened.mode,
    // Until now state.rules held the user's bounds; from here on the session's own rules, limited by them.
    rules: boundedRules(opened.rules, state.rules),
    participants: opened.participants,
    startedAt: event.at,
    sides: Object.fromEntries(opened.participants.map((name) => [name, initialSide()])),
    turn: opened.participants.slice(0, 1),
  };
}

function openingTrust(trust: Trust, opened: Opened, rules: Rules): Trust {
  const { requireSeen, ownerWords } = opened;
  return thresholdMark({ ...trust, requireSeen, ownerWords }, rules);
}

/**
 * The state before anything has happened. Its rules are the user's bounds; `opened` replaces them by the
 * session's own rules, limited by these bounds.
 */
export function initialState(settings: JsonObject = {}): DialogueState {
  return {
    phase: "new",
    trust: noTrust(),
    person: {},
    id: "",
    topic: "",
    mode: "rapida",
    rules: boundsIn(settings),
    participants: [],
    startedAt: "",
    lastAt: "",
    actedAt: "",
    seq: 0,
    lastStamp: "",
    lastRound: 0,
    round: 1,
    sentInRound: [],
    progressInRound: false,
    counterProposedInRound: [],
    counterRounds: 0,
    budget: limits.progressBudget,
    goal: "",
    wish: "",
    begunByHand: false,
    agreements: [],
    disagreements: [],
    dropped: [],
    obligations: [],
    synthesis: { failed: 0, offeredBy: "", owedBy: "" },
    deadlock: "",
    sides: {},
    turn: [],
    counted: [],
  };
}
