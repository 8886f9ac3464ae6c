import { refused } from "../base/errors.ts";
import { type JsonObject, quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { AuditRecord } from "../protocol/audit.ts";
import { boundsIn, type Mode, type Rules } from "../protocol/config.ts";
import type { EvidenceRecord } from "../protocol/evidence.ts";
import type { Files, Reached } from "../protocol/protocol.ts";
import type { Assessment, PersonSaid } from "./event.ts";

import type { CheckedDraft, MessageType, OwnerKind } from "./message.ts";
import { normalized } from "./prose.ts";

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
type Phase =
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
  /** Before it opens the user's bounds, then the session's own rules, limited by them. */
  rules: Rules;
  /** The session was begun with `--require seen`. */
  requireSeen: boolean;
  ownerWords: string[];
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
  /** Evidence came after both had spoken: it is progress of the round to come. */
  progressNext: boolean;
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
  /** What was asked, claimed or assigned, and is not settled; `obligationsOf` adds what follows from the rest. */
  obligations: Obligation[];
  /** `facts`: the ids of the disputed facts that are all it is owed over. */
  synthesis: { failed: number; offeredBy: string; owedBy: string; facts?: string[] };
  deadlock: string;
  sides: Record<string, Side>;
  turn: string[];
  /** Hashes of tool results, accepted points and of artifacts' contents that counted as progress. */
  counted: string[];
  /** Who says that the decision is the user's: a side, or the user's own words in the question. */
  owner: { by: string; kind: OwnerKind | "user's words"; seq: number; words: string }[];
  /** Records of checks, the newest. */
  evidence: EvidenceNote[];
  /** All claims, the newest, and the disputed facts. */
  claims: Claim[];
  /** The first answer of each side, for ever; `blind`: before it read the other's. */
  firsts: (Position & { by: string; blind: boolean })[];
  /** Each message that stated a position, the newest. */
  positions: (Position & { by: string })[];
  flips: Flip[];
  reservations: { by: string; seq: number; text: string }[];
  marks: Mark[];
  /** What each side last named as its model. */
  models: { by: string; model: string }[];
  /** The AGREE that stands with its text for the user, until the other side confirms it. */
  offer?: {
    by: string;
    seq: number;
    /** The message whose position it took over. */
    accepts: number;
    position: string;
    text: string;
  };
  /** The newest audit, and how many there were. */
  audit?: AuditRecord;
  audits: number;
  /** The newest commit that a record named. */
  commit: string;
  outcome?: Outcome;
  /** What the person put on record after the end. */
  person: PersonSaid;
  /** Who objected to the last closing text, and in which message: no newer one replaced it yet. */
  reopened?: { by: string; seq: number };
};

export type Side = {
  /** The other's messages that this side has not answered. */
  unanswered: UnansweredMail[];
  unansweredEarlier: number;
  /** What it last said, shortened: claims of acceptance are checked against it. */
  said: string;
  /** Hash of that, to spot the same text by both. */
  saidHash: string;
  /** What it stands for in the words of its messages, also of those by hand. */
  position: string;
  /** Its answer to the question, in the field `position`, and the message that brought it; 0: none. */
  held: Position;
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
  /** Its last message was a letter by hand: it follows the original files and runs no script. */
  byHand: boolean;
  /** That said that it expects no reply: it may have stopped listening. */
  expectsNothing: boolean;
};

export type Position = { position: string; seq: number };

/** The reason is "" where the words of the point hold it. */
export type Objection = { point: string; because: string };

/** A message in few words; the file holds the rest. */
type UnansweredMail = {
  seq: number;
  from: string;
  type: MessageType;
  file: string;
  /** Since when the recipient may read it: a sealed position was sent earlier. */
  storedAt: string;
  rung?: Reached;
  inTurn?: Reached;
};

type Disagreement = { point: string; since: number; by: string };

/** In the order in which they are told. */
export const obligationCodes = [
  ...(["answer", "synthesis", "facts", "offer", "self_check"] as const),
  ...(["task", "check", "look", "doubt", "aside"] as const),
] as const;

export type ObligationCode = (typeof obligationCodes)[number];

/** Something that a side has to do; `obligations.ts` says what it holds up, and how it is told. */
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

/** A record as far as rules need it; the log has the lines. `E9` is that of seq 9. */
export type EvidenceNote = Omit<EvidenceRecord, "first" | "last" | "dirty" | "process"> & {
  seq: number;
  by: string;
  at: string;
  /** Each word of its check and of the parts that the log has of what was seen, once. */
  shown: string;
  /** Key of the AI CLI above the script, or of the script itself: equal keys count as one process. */
  process: string;
  /** Made under an AI CLI: the mark `one_process` is set only where both records were. */
  underCli: boolean;
};

export type ClaimRecord = Pick<EvidenceNote, "by" | "seq" | "met" | "process" | "underCli"> & {
  /** Files that its run saw uncommitted, and that were others when its side last agreed. */
  changed?: string[];
};

export type Claim = {
  /** `C3.1`: the first claim of message 3; `F3.1`: a fact that message 3 disputes. */
  id: string;
  by: string;
  text: string;
  /** Its check in the one form that records have. */
  spec: string;
  expect: string;
  /** Who disputed a fact, and why. */
  disputed?: { by: string; because: string };
  /** Why its author took it back; "" while it is valid. */
  withdrawn: string;
  /** Who keeps it although the auditor does not see it shown, and why: it is an assumption then. */
  kept?: { by: string; because: string };
  /** The newest record of each side for it. */
  records: ClaimRecord[];
  /** What the other side said of it last, with the reason where it did not run it. */
  outcome?: { by: string; seq: number; says: "holds" | "fails" | "not_run"; reason: string };
};

/** A changed position: the records that are newer than the old one, or the judgement; neither after a synthesis. */
export type Flip = {
  by: string;
  seq: number;
  from: string;
  to: string;
  evidence: string[];
  judgement: string;
};

/** Something only a script can notice. One line. */
export type Mark = {
  code:
    | "identical_texts"
    | "answer_is_question"
    | "no_answer"
    | "same_answer"
    | "question_reworded"
    | "threshold_low"
    | "by_hand"
    | "one_process"
    | "same_vendor"
    | "unanswered_prose"
    | "doubt";
  by: string;
  seq: number;
  text: string;
};

export type EscalationReason =
  | "user_decision"
  | "budget_exhausted"
  | "synthesis_failed"
  | "self_check_failed"
  | "deadlock"
  | "max_rounds"
  | "requested"
  | "not_seen";

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
      agreed?: { position: string; text: string; by: string; seq: number };
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

export type Consensus = Extract<Outcome, { kind: "consensus" }>;

export type Escalation = Extract<Outcome, { kind: "escalated" }>;

/** The state before anything has happened. Its rules are the user's bounds. */
export function initialState(settings: JsonObject = {}): DialogueState {
  return {
    ...{ phase: "new", id: "", topic: "", mode: "rapida", rules: boundsIn(settings) },
    ...{ requireSeen: false, ownerWords: [], participants: [], sides: {}, turn: [] },
    ...{ startedAt: "", lastAt: "", actedAt: "", seq: 0, lastStamp: "", lastRound: 0 },
    ...{ round: 1, sentInRound: [], progressInRound: false, progressNext: false, counted: [] },
    ...{ counterProposedInRound: [], counterRounds: 0, budget: limits.progressBudget },
    ...{ goal: "", wish: "", begunByHand: false, agreements: [], disagreements: [] },
    ...{ obligations: [], synthesis: { failed: 0, offeredBy: "", owedBy: "" }, deadlock: "" },
    ...{ owner: [], evidence: [], claims: [], firsts: [], positions: [], flips: [] },
    ...{ reservations: [], marks: [], models: [], audits: 0, commit: "", person: {} },
  };
}

export function initialSide(): Side {
  return {
    ...{ unanswered: [], unansweredEarlier: 0, said: "", saidHash: "", position: "", proposal: "" },
    ...{ held: { position: "", seq: 0 }, confidences: [], sentCount: 0, lastAt: "", readAt: "" },
    ...{ lastDraft: { hash: "", seq: 0 }, agreed: false, objections: [], objectionStreak: 0 },
    ...{ owesSelfCheck: false, sealed: "", byHand: false, expectsNothing: false },
  };
}

/** All that was asked of the participants. */
export function goalOf({ goal, topic, wish }: DialogueState): string {
  return [goal || topic, ...(wish === "" ? [] : [wish])].join("\n\n");
}

export function sideOf(state: DialogueState, participant: string): Side {
  return state.sides[participant] ?? missing(state, participant);
}

export function otherThan(state: DialogueState, participant: string): string {
  return state.participants.find((name) => name !== participant) ?? missing(state, participant);
}

function missing({ id }: DialogueState, participant: string): never {
  const reason = `the log of session ${id} names ${quote(participant)}, who is not in it`;
  throw refused(`${reason}: it is damaged; run validate`);
}

export function hasEnded(state: DialogueState): boolean {
  return ["consensus", "escalated", "closed"].includes(state.phase);
}

/** What no longer stands once the person has answered: each side has its question and its budget again. */
const answeredBy: readonly EscalationReason[] = ["user_decision", "budget_exhausted"];

/** What a side asked the person, as long as an answer is all that is missing; undefined for nothing. */
export function questionForPerson({ outcome, person }: DialogueState): string | undefined {
  if (outcome?.kind !== "escalated" || person.decided !== undefined) return undefined;
  if (!outcome.reasons.every(({ code }) => answeredBy.includes(code))) return undefined;
  return outcome.reasons.find(({ code }) => code === "user_decision")?.text;
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

/** Adds a mark, each once. */
export function withMark(state: DialogueState, mark: Mark): DialogueState {
  const isKnown = state.marks.some(
    (it) => it.code === mark.code && it.by === mark.by && it.text === mark.text,
  );
  return isKnown ? state : { ...state, marks: [...state.marks, mark].slice(-limits.marksKept) };
}

/** The round that the next message belongs to. */
export function roundOfNext(state: DialogueState): number {
  return state.sentInRound.length >= state.participants.length ? state.round + 1 : state.round;
}

/** The round of the next message, or the one in which the session ended. */
export function roundToTell(state: DialogueState): number {
  return hasEnded(state) ? state.round : Math.min(roundOfNext(state), state.rules.max_rounds);
}

/** A draft with all that judging it needs. */
export interface SendAttempt {
  readonly state: DialogueState;
  readonly draft: CheckedDraft;
  readonly sender: string;
  /** From a colleague that follows the original files by hand and does not know our fields. */
  readonly foreign: boolean;
  readonly files: Files;
  /** What a script read for this draft's claims, as `evidenceNeeded` asked; absent where it is told again. */
  readonly evidence?: readonly EvidenceRecord[] | undefined;
}

/** An attempt with what it does. */
export interface Judgement extends SendAttempt {
  readonly assessment: Assessment;
}

/** What a message lacks, in words and as what gives it: forms are completed by it, rejections show it. */
export interface Lack {
  readonly reason: string;
  /** Fields, with blanks where their words are the sender's. */
  readonly add?: JsonObject;
  /** Claims that its sender has to look at before; "" for any look of its own. */
  readonly toCheck?: readonly string[];
}

/** A rule says what is wrong with an attempt and what to do, or nothing. */
export type Rule = (attempt: Judgement) => Lack | string | undefined | false;

/** How many rounds without progress are left, of how many. */
export function stallText({ budget }: DialogueState): string {
  return `${Math.max(budget, 0)} of ${limits.progressBudget}`;
}

/** What is disputed, word for word: what is pending, and the points of open objections. */
export function openPoints(state: DialogueState): string[] {
  const objections = state.participants.flatMap((name) => sideOf(state, name).objections);
  const points = [...state.disagreements, ...objections].map(({ point }) => point);
  return [...new Map(points.map((point) => [normalized(point), point])).values()];
}
