import type { JsonObject } from "../../base/json.ts";
import { visibleText } from "../../base/visible-text.ts";
import type { Files } from "../../protocol/protocol.ts";
import type { Phase, Settings } from "./settings.ts";

/** The events of schema 1 (the seed), those that schema 2 adds, and ours. */
export type EventName =
  | "initialized"
  | "proposal_submitted"
  | "review_submitted"
  | "proposal_revised"
  | "question_classified"
  | "decision_proposed"
  | "decision_accepted"
  | "readiness_passed"
  | "completed"
  | "blocked"
  | "deliverable_drafted"
  | "deliverable_revised"
  | "deliverable_frozen"
  | "unblocked";

/** A file at the moment of its freeze. */
export interface FrozenFile extends JsonObject {
  seq: number;
  path: string;
  sha256: string;
}

export interface CollaborationState extends JsonObject {
  settings: Settings;
  seq: number;
  /** "new" before `initialized`. */
  phase: Phase | "new";
  /** The proposal owner: the participant that initialized; "" before. */
  owner: string;
  /** Who is expected to act, sorted by code point, as `protocol.json` lists them. */
  waitingFor: string[];
  startedAt: string;
  /** The time of the latest event that has a valid one, as written. */
  lastAt: string;
  last: { seq: number; event: string; from: string; summary: string } | null;
  /** Seq of the event that the next one answers; a sender may give it as --reply-to. */
  proposalSeq: number;
  /** A question_classified came after the latest proposal or decision. */
  classified: boolean;
  /** Who has accepted the decision as it stands, in order. */
  accepted: string[];
  readinessPassed: boolean;
  /** Schema 2. */
  drafted: boolean;
  frozen: FrozenFile | null;
  supportingFrozen: FrozenFile[];
  /** Participants whose acceptance is older than the newest revision of the primary deliverable. */
  staleAcceptances: string[];
  /** Where `unblocked` leads back to, and why it was blocked. */
  blocked: { phase: Phase; waitingFor: string[]; by: string; seq: number; reason: string } | null;
  /** The first events that broke a rule, at most `limits.rememberedItems`, and how many there are. */
  faults: { seq: number; reason: string }[];
  faultsCount: number;
}

export function initialState(settings: Settings): CollaborationState {
  return {
    ...{ settings, seq: 0, phase: "new", owner: "", waitingFor: [], startedAt: "", lastAt: "" },
    ...{ last: null, proposalSeq: 0, classified: false, accepted: [], readinessPassed: false },
    ...{ drafted: false, frozen: null, supportingFrozen: [], staleAcceptances: [] },
    ...{ blocked: null, faults: [], faultsCount: 0 },
  };
}

/** Sorted as the original sorts names: by code point. */
export function byCodePoint(names: readonly string[]): string[] {
  return [...names].sort((one, other) => compareCodePoints(one, other));
}

function compareCodePoints(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  const at = a.findIndex((character, index) => character !== b[index]);
  if (at === -1) return a.length - b.length;
  return (a[at]?.codePointAt(0) ?? 0) - (b[at]?.codePointAt(0) ?? -1);
}

/** One participant before one state of the collaboration and its files. */
export interface ParticipantView {
  readonly state: CollaborationState;
  readonly participant: string;
  readonly files: Files;
}

/** Names as the contract's lines have them: with commas between. */
export function named(names: readonly string[]): string {
  return visibleText(names.join(", "));
}
