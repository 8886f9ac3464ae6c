import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { Mode, Rules } from "../protocol/config.ts";
import type { Reached } from "../protocol/protocol.ts";
import type { Stance, Trust } from "./evidence-state.ts";
import type { MessageType } from "./message.ts";
import type { PersonSaid } from "./person-event.ts";

/**
 * Where a dialogue stands. Plain JSON of bounded size: a checkpoint keeps it.
 *
 *   new --opened--> asking --REQUEST--> talking --both AGREE--> agreed --CONSENSUS--> consensus
 *                      |                   |  ^________________|______________________|
 *                      |                   |     (an objection reopens, also one to the closing text)
 *                      |                   +--ESCALATE, or a rule--> escalated
 *                      +--REQUEST (competitiva)--> sealing --both sealed--> talking
 *
 * `close` leads from every open phase to closed; the person's answer from escalated back to where the
 * question for them came up.
 */
export type Phase =
  | "new"
  | "asking"
  | "sealing"
  | "talking"
  | "agreed"
  | "consensus"
  | "escalated"
  | "closed";

export type DialogueState = {
  phase: Phase;
  trust: Trust;
  person: PersonSaid;
  id: string;
  topic: string;
  mode: Mode;
  rules: Rules;
  /** The initiator first. */
  participants: string[];
  startedAt: string;
  /** Of the last event, whatever it was. */
  lastAt: string;
  /** Of the last event that was no note of a delivery. */
  actedAt: string;
  seq: number;
  /** Stamp of the last message, ISO with whole seconds; every message has its own. */
  lastStamp: string;
  /** Largest round that a message named; foreign colleagues may count otherwise than we do. */
  lastRound: number;
  /** Rounds counted by us: one message of each side. */
  round: number;
  sentInRound: string[];
  progressInRound: boolean;
  counterProposedInRound: string[];
  counterRounds: number;
  budget: number;
  /** The question as it was put, */
  goal: string;
  /** and what else its author said that the user wants; empty for nothing. */
  wish: string;
  /** The question came by hand: its sender follows the original files. */
  begunByHand: boolean;
  agreements: string[];
  disagreements: Disagreement[];
  /** Disputed points that a letter by hand left out of its list without a reason. */
  dropped: DroppedPoint[];
  /** What was asked, claimed or assigned, and is not settled; `obligationsOf` adds what follows from the rest. */
  obligations: Obligation[];
  /** `facts`: the ids of the disputed facts that are all it is owed over. */
  synthesis: { failed: number; offeredBy: string; owedBy: string; facts?: string[] };
  deadlock: string;
  sides: Record<string, Side>;
  turn: string[];
  /** Hashes of tool results, accepted points and of artifacts' contents that counted as progress. */
  counted: string[];
  outcome?: Outcome;
  /** Who objected to the last closing text, and in which message: no newer one replaced it yet. */
  reopened?: { by: string; seq: number };
};

export type Side = {
  /** The other's messages that this side has not answered. */
  unanswered: UnansweredMail[];
  unansweredEarlier: number;
  /** What it last said, shortened: claims of acceptance are checked against it. */
  said: string;
  position: string;
  /** What its last message proposed in answer to the task; "" when it did something else. */
  proposal: string;
  confidences: number[];
  sentCount: number;
  lastAt: string;
  /** When messages were last put before this side. */
  readAt: string;
  lastDraft: { hash: string; seq: number };
  /** AGREE stands until the side objects or something new is disputed. */
  agreed: boolean;
  /** What it last objected to and why, until it accepts, takes it back, or the other side gives in. */
  objections: Objection[];
  objectionStreak: number;
  owesSelfCheck: boolean;
  /** The sealed message of `competitiva`, until both are in. */
  sealed: string;
  /** Its answer to the question, in its own `position`, and the message that brought it; 0: none. */
  stance: Stance;
  /** Hash of what it last said, to spot the same text by both. */
  saidHash: string;
  /** Its last message was a letter by hand: it follows the original files and runs no script. */
  byHand: boolean;
  /** It said that it expects no reply: it may have stopped listening. */
  expectsNothing: boolean;
};

/** The reason is "" where the words of the point hold it. */
export type Objection = { point: string; because: string };

/** A message in few words; the file holds the rest. */
export type UnansweredMail = {
  seq: number;
  from: string;
  type: MessageType;
  file: string;
  /** Since when the recipient may read it: a sealed position was sent earlier. */
  storedAt: string;
  rung?: Reached;
  inTurn?: Reached;
};

export type Disagreement = {
  point: string;
  since: number;
  /** Who raised it. */
  by: string;
};

/** In the order in which they are told. */
export const obligationCodes = [
  "answer",
  "synthesis",
  "facts",
  "offer",
  "self_check",
  "task",
  "check",
  "look",
  "aside",
] as const;
export type ObligationCode = (typeof obligationCodes)[number];

/** Something that a side has to do; `obligation-words.ts` says what it holds up, and how it is told. */
export type Obligation = {
  code: ObligationCode;
  /** `Q2.1`: the first question of message 2; likewise C of a claim, F of a fact, T of a task, P of prose. */
  id: string;
  by: string;
  /** What it is about, in the words of the other side. */
  text: string;
  /** How a claim is checked. */
  check?: string;
};

export type DroppedPoint = {
  point: string;
  by: string;
  seq: number;
};

export const escalationReasons = [
  "user_decision",
  "budget_exhausted",
  "synthesis_failed",
  "self_check_failed",
  "deadlock",
  "max_rounds",
  "requested",
  "not_seen",
] as const;
export type EscalationReason = (typeof escalationReasons)[number];

export type Outcome =
  | { kind: "closed"; reason: string; by: string; seq: number }
  | {
      kind: "consensus";
      decision: string;
      by: string;
      seq: number;
      /** What the other side did about the closing text. */
      confirmed: "no" | "seen" | "agreed";
      /** What was open when a colleague closed by the rules of the original files. */
      open: string[];
      /** The message in which the other side closed as well, in its own words. */
      ownWords?: number;
      /** Both AGREEs: what both accepted, and who confirmed the text of `seq` in which message. */
      agreed?: { position: string; text: string; hash: string; by: string; seq: number };
    }
  | {
      kind: "escalated";
      seq: number;
      by: string;
      reasons: { code: EscalationReason; text: string }[];
      goal: string;
      positions: { participant: string; position: string; confidence?: number }[];
      disagreement: string;
      /** Where it goes on when the person answers what was asked of them. */
      from: { phase: Phase; turn: string[] };
    };

export function initialSide(): Side {
  return {
    unanswered: [],
    unansweredEarlier: 0,
    said: "",
    position: "",
    proposal: "",
    confidences: [],
    sentCount: 0,
    lastAt: "",
    readAt: "",
    lastDraft: { hash: "", seq: 0 },
    agreed: false,
    objections: [],
    objectionStreak: 0,
    owesSelfCheck: false,
    sealed: "",
    byHand: false,
    expectsNothing: false,
    stance: { position: "", seq: 0 },
    saidHash: "",
  };
}

/** All that was asked of the participants. */
export function goalOf({ goal, topic, wish }: DialogueState): string {
  return [goal || topic, ...(wish === "" ? [] : [wish])].join("\n\n");
}

export function sideOf(state: DialogueState, participant: string): Side {
  const side = state.sides[participant];
  if (side === undefined) throw strange(state, participant);
  return side;
}

export function otherThan(state: DialogueState, participant: string): string {
  const other = state.participants.find((name) => name !== participant);
  if (other === undefined) throw strange(state, participant);
  return other;
}

function strange(state: DialogueState, participant: string): ConsultaError {
  const reason = `the log of session ${state.id} names ${quote(participant)}, who is not in it`;
  return new ConsultaError("REFUSED", `${reason}: it is damaged; run validate`);
}

export function hasEnded(state: DialogueState): boolean {
  return ["consensus", "escalated", "closed"].includes(state.phase);
}

/** What no longer stands once the person has answered: each side has its question and its budget again. */
const answeredBy: readonly EscalationReason[] = ["user_decision", "budget_exhausted"];

/** What a side asked the person, as long as an answer is all that is missing; undefined for nothing. */
export function questionForPerson({ outcome, person }: DialogueState): string | undefined {
  if (outcome?.kind !== "escalated" || person.decided !== undefined) return undefined;
  const others = outcome.reasons.filter(({ code }) => !answeredBy.includes(code));
  const asked = outcome.reasons.find(({ code }) => code === "user_decision");
  return others.length > 0 ? undefined : asked?.text;
}

/** Who has not confirmed the closing text, by seeing it without objection or by AGREE. */
export function unconfirmedBy(state: DialogueState): string | undefined {
  const { outcome } = state;
  if (outcome?.kind !== "consensus" || outcome.confirmed !== "no") return undefined;
  return otherThan(state, outcome.by);
}

export function withSide(state: DialogueState, name: string, change: Partial<Side>): DialogueState {
  return { ...state, sides: { ...state.sides, [name]: { ...sideOf(state, name), ...change } } };
}

/** Puts mail before a side; of very many only the newest are named, the others counted. */
export function withMail(
  state: DialogueState,
  to: string,
  mail: Omit<UnansweredMail, "storedAt">,
): DialogueState {
  const side = sideOf(state, to);
  const all = [...side.unanswered, { ...mail, storedAt: state.lastAt }];
  const unanswered = all.slice(-limits.unreadMessages);
  const unansweredEarlier = side.unansweredEarlier + all.length - unanswered.length;
  return withSide(state, to, { unanswered, unansweredEarlier });
}
