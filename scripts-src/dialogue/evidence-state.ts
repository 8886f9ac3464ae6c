import { limits } from "../base/limits.ts";
import type { OwnerKind } from "./message.ts";
import { normalized } from "./prose.ts";

/**
 * What a dialogue keeps beside the rest of its state: what was seen, who held what
 * when, and what only a script can notice. Plain JSON of bounded size.
 */
export type Trust = {
  /** The session was begun with `--require seen`. */
  requireSeen: boolean;
  ownerWords: string[];
  /** Who says that the decision is the user's: a side, or the user's own words in the question. */
  owner: OwnerCall[];
  /** Records of checks, the newest. */
  evidence: EvidenceNote[];
  /** All claims, the newest; `claims` of the state are those that somebody has to check. */
  claims: Claim[];
  /** The first answer of each side, for ever. */
  firsts: First[];
  /** Each message that took a stand, the newest; `isChange` where it is not what its sender held. */
  positions: (Stance & { by: string; isChange: boolean })[];
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
    hash: string;
  };
  /** Evidence came after both had spoken: it is progress of the round to come. */
  progressNext: boolean;
  /** The newest commit that a record named. */
  commit: string;
};

export type OwnerCall = {
  by: string;
  kind: OwnerKind | "user's words";
  seq: number;
  words: string;
};

export type Stance = { position: string; seq: number };

export type First = Stance & { by: string /** Before it read the other's. */; blind: boolean };

/** A record as far as rules need it; the log has the lines. `E9` is that of seq 9. */
export type EvidenceNote = {
  seq: number;
  by: string;
  at: string;
  claim?: string;
  kind: "lines" | "search" | "run";
  spec: string;
  expect?: string;
  met: boolean;
  exit?: number;
  ms: number;
  sha256: string;
  commit?: string;
  network?: "off" | "on";
  /** Key of the AI CLI above the script, or of the script itself: equal keys count as one process. */
  process: string;
  /** Made under an AI CLI: the mark `one_process` is set only where both records were. */
  underCli: boolean;
};

export type Claim = {
  /** `C3.1`: the first claim of message 3; `F3.1`: a fact that message 3 disputes. */
  id: string;
  by: string;
  text: string;
  check: string;
  /** The check in the one form that records have. */
  spec: string;
  expect: string;
  /** Who disputed a fact, and why. */
  disputed?: { by: string; because: string };
  /** Why its author took it back; "" while it stands. */
  withdrawn: string;
  /** The newest record of each side for it. */
  records: {
    by: string;
    seq: number;
    met: boolean;
    process: string;
    ms: number;
    underCli: boolean;
  }[];
  /** What the other side said of it last, with the reason where it did not run it. */
  outcome?: { by: string; seq: number; says: "holds" | "fails" | "not_run"; reason: string };
};

export type Flip = {
  by: string;
  /** The message. */
  seq: number;
  from: string;
  to: string;
  /** Ids of records that are newer than the old position. */
  evidence: string[];
  /** "" where evidence carries it, or a synthesis. */
  judgement: string;
};

export const markCodes = [
  "identical_texts",
  "answer_is_question",
  "no_answer",
  "same_answer",
  "question_reworded",
  "threshold_low",
  "by_hand",
  "one_process",
  "same_vendor",
  "fast_replay",
  "unanswered_prose",
  "expects_nothing",
] as const;
export type MarkCode = (typeof markCodes)[number];

/** Something only a script can notice. One line. */
export type Mark = { code: MarkCode; by: string; seq: number; text: string };

export function noTrust(): Trust {
  return {
    requireSeen: false,
    ownerWords: [],
    owner: [],
    evidence: [],
    claims: [],
    firsts: [],
    positions: [],
    flips: [],
    reservations: [],
    marks: [],
    models: [],
    progressNext: false,
    commit: "",
  };
}

/** Adds a mark, each once. */
export function withMark(trust: Trust, mark: Mark): Trust {
  const isKnown = trust.marks.some(
    (it) => it.code === mark.code && it.by === mark.by && it.text === mark.text,
  );
  return isKnown ? trust : { ...trust, marks: [...trust.marks, mark].slice(-limits.marksKept) };
}

/** A claim that still stands: not taken back, and not found to fail. */
export function standsOf({ withdrawn, outcome }: Claim): boolean {
  return withdrawn === "" && outcome?.says !== "fails";
}

/** The claims that still stand, equal ones once: that one of them which was seen most. */
export function standingClaims({ claims }: Trust): Claim[] {
  const standing = claims.filter(standsOf);
  return standing.filter((claim, at) => {
    const equal = standing.filter((it) => isEqualClaim(it, claim));
    const seen = equal.find(isSeen) ?? equal.find((it) => seenBy(it).length > 0) ?? equal[0];
    return standing.indexOf(seen ?? claim) === at;
  });
}

function isEqualClaim(one: Claim, other: Claim): boolean {
  const isSameLook = one.spec === other.spec && one.expect === other.expect;
  return isSameLook && normalized(one.text) === normalized(other.text);
}

/** Who has seen it: the sides whose newest record for it met what was expected. */
export function seenBy(claim: Claim): string[] {
  return claim.records.filter(({ met }) => met).map(({ by }) => by);
}

/** Seen: each side has a record of its own, from different processes, that met what was expected. */
export function isSeen(claim: Claim): boolean {
  const [one, other] = claim.records.filter(({ met }) => met);
  return one !== undefined && other !== undefined && one.process !== other.process;
}
