import type { Mode, Rules } from "../config.ts";
import { ConsultaError } from "../errors.ts";
import { quote } from "../json.ts";
import { limits } from "../limits.ts";
import type { Reached } from "../protocol.ts";
import type { MessageType } from "./message.ts";

/**
 * Where a dialogue stands. Plain JSON of bounded size: a checkpoint keeps it.
 *
 *   new --opened--> asking --REQUEST--> talking --both AGREE--> agreed --CONSENSUS--> consensus
 *                      |                   |  ^________________|  (an objection reopens)
 *                      |                   +--ESCALATE, or a rule--> escalated
 *                      +--REQUEST (competitiva)--> sealing --both sealed--> talking
 *
 * `close` leads from every open phase to closed.
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
  goal: string;
  agreements: string[];
  disagreements: Disagreement[];
  questions: OwedAnswer[];
  claims: OwedCheck[];
  tasks: OwedTask[];
  hypotheses: OwedHypothesis[];
  synthesis: { failed: number; offeredBy: string; owedBy: string };
  deadlock: string;
  sides: Record<string, Side>;
  turn: string[];
  /** Hashes of tool results, accepted points and of artifacts' contents that counted as progress. */
  counted: string[];
  outcome?: Outcome;
};

export type Side = {
  /** The other's messages that this side has not answered. */
  unanswered: Mail[];
  unansweredEarlier: number;
  /** What it last said, shortened: claims of acceptance are checked against it. */
  said: string;
  position: string;
  confidences: number[];
  sentCount: number;
  lastAt: string;
  /** When messages were last put before this side. */
  readAt: string;
  lastDraft: { hash: string; seq: number };
  /** AGREE stands until the side objects or something new is disputed. */
  agreed: boolean;
  /** Objected since it last agreed or accepted: agreeing now is a change of position. */
  objecting: boolean;
  objectionStreak: number;
  owesSelfCheck: boolean;
  /** Checked something with a tool in this session. */
  checked: boolean;
  /** The sealed message of `competitiva`, until both are in. */
  sealed: string;
};

/** A message in few words; the file holds the rest. */
export type Mail = {
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
};

export type OwedAnswer = {
  id: string;
  by: string;
  question: string;
};

/** A claim that its author backed by a check and that the other side must run again. */
export type OwedCheck = {
  id: string;
  by: string;
  text: string;
  check: string;
};

export type OwedTask = {
  id: string;
  by: string;
  task: string;
};

/** A disputed fact that somebody must check with a tool. */
export type OwedHypothesis = {
  by: string;
  claim: string;
};

export const escalationReasons = [
  "user_decision",
  "budget_exhausted",
  "synthesis_failed",
  "self_check_failed",
  "deadlock",
  "max_rounds",
  "requested",
  "participant_failed",
] as const;
export type EscalationReason = (typeof escalationReasons)[number];

export type Outcome =
  | { kind: "closed"; reason: string; by: string; seq: number }
  | { kind: "consensus"; decision: string; by: string; seq: number }
  | {
      kind: "escalated";
      seq: number;
      by: string;
      reasons: { code: EscalationReason; text: string }[];
      goal: string;
      positions: { participant: string; position: string; confidence?: number }[];
      disagreement: string;
    };

export function initialSide(): Side {
  return {
    unanswered: [],
    unansweredEarlier: 0,
    said: "",
    position: "",
    confidences: [],
    sentCount: 0,
    lastAt: "",
    readAt: "",
    lastDraft: { hash: "", seq: 0 },
    agreed: false,
    objecting: false,
    objectionStreak: 0,
    owesSelfCheck: false,
    checked: false,
    sealed: "",
  };
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

export function withSide(state: DialogueState, name: string, change: Partial<Side>): DialogueState {
  return { ...state, sides: { ...state.sides, [name]: { ...sideOf(state, name), ...change } } };
}

/** Puts mail before a side; of very many only the newest are named, the others counted. */
export function withMail(
  state: DialogueState,
  to: string,
  mail: Omit<Mail, "storedAt">,
): DialogueState {
  const side = sideOf(state, to);
  const all = [...side.unanswered, { ...mail, storedAt: state.lastAt }];
  const unanswered = all.slice(-limits.unreadMessages);
  const unansweredEarlier = side.unansweredEarlier + all.length - unanswered.length;
  return withSide(state, to, { unanswered, unansweredEarlier });
}
