import { limits } from "../base/limits.ts";
import { nameHint } from "../base/nearest-name.ts";
import { notBefore } from "../base/time.ts";
import { parseCheckSpec, specText } from "../protocol/check-spec.ts";
import { type EvidenceRecord, lookedFor, parseEvidence } from "../protocol/evidence.ts";
import {
  type ClaimMade,
  type Decision,
  type EvidenceNeeded,
  refuse,
  type SeenBefore,
  type Submission,
} from "../protocol/protocol.ts";
import { type CheckedDraft, parseDraft } from "./message.ts";
import { normalized } from "./prose.ts";
import {
  type Claim,
  type DialogueState,
  type EvidenceNote,
  hasEnded,
  type SendAttempt,
  sideOf,
  withMark,
} from "./state.ts";

/** A claim that still counts: not taken back, and not found to fail. */
export function isValid({ withdrawn, outcome }: Claim): boolean {
  return withdrawn === "" && outcome?.says !== "fails";
}

/** The claims that are valid, equal ones once: that one of them which was seen most. */
export function validClaims({ claims }: DialogueState): Claim[] {
  const best = new Map<string, Claim>();
  for (const claim of claims.filter(isValid)) {
    const key = JSON.stringify([claim.spec, claim.expect, normalized(claim.text)]);
    const known = best.get(key);
    if (known === undefined || worth(claim) > worth(known)) best.set(key, claim);
  }
  return claims.filter((it) => [...best.values()].includes(it));
}

function worth(claim: Claim): number {
  return isSeen(claim) ? 2 : Math.min(seenBy(claim).length, 1);
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

/** Who has seen a claim, in few words for all who tell of it. */
export function seenText(claim: Claim): string {
  if (isSeen(claim)) return "seen by both";
  const who = seenBy(claim);
  return who.length > 0 ? `assumed, seen by ${who.join(" and ")} only` : "assumed";
}

/** A record of this seq as messages name it. */
export function evidenceId({ seq }: { seq: number }): string {
  return `E${seq}`;
}

/** The seq of the record that a text names; undefined where it begins with none. */
export function seqOfEvidence(text: string | undefined): number | undefined {
  const seq = /^\s*E(\d{1,15})\b/.exec(text ?? "")?.[1];
  return seq === undefined ? undefined : Number(seq);
}

/** A check in the one form that records have; words that are none stay as they are. */
export function checkSpecOf(check: string): string {
  const spec = parseCheckSpec(check);
  return "fault" in spec ? check.trim() : specText(spec);
}

/** Whether a check only reads: nobody needs leave for that. */
export function isReading(check: string): boolean {
  const spec = parseCheckSpec(check);
  return !("fault" in spec) && spec.kind !== "run";
}

export function noteOf(record: EvidenceRecord, seq: number, by: string, at: string): EvidenceNote {
  const { first: _first, last: _last, dirty: _dirty, process: made, ...rest } = record;
  const { cli } = made;
  const { pid, started } = cli ?? made;
  const key = `${pid}@${started}`;
  return { ...rest, seq, by, at, process: key, underCli: cli !== undefined };
}

/** Whether `consult` looked for a participant whose CLI has no shell. */
export function isMadeByConsult(maker: string): boolean {
  return maker.includes(`@${lookedFor("")}`);
}

/** Whether a record is one of this claim's check, with the words that the claim expects. */
export function isFor(
  { claim, spec, expect = "" }: Pick<EvidenceNote, "claim" | "spec" | "expect">,
  of: Claim,
): boolean {
  return (claim ?? of.id) === of.id && spec === of.spec && expect === of.expect;
}

/** The newest record that a side has of a claim. */
export function newestFor(
  state: DialogueState,
  by: string,
  claim: Claim,
): EvidenceNote | undefined {
  return state.evidence.findLast((it) => it.by === by && isFor(it, claim));
}

/** The newest record of a claim that met what was expected. */
export function lastMet({ evidence }: DialogueState, claim: Claim): EvidenceNote | undefined {
  return evidence.findLast((it) => it.met && isFor(it, claim));
}

/** The claims that a participant may check. */
export function claimsMade({ claims }: DialogueState): ClaimMade[] {
  return claims.map(({ id, by, text, check, expect, withdrawn, records }) => {
    const lookedAtBy = records.map((record) => record.by);
    return { id, by, text, check, expect, withdrawn: withdrawn !== "", lookedAtBy };
  });
}

/** What the decision rests on, or would. */
export function restsOn(state: DialogueState): SeenBefore[] {
  return state.claims.filter(isValid).flatMap((claim) => {
    const seen = lastMet(state, claim);
    return seen === undefined ? [] : [{ ...seen, claim: claim.id }];
  });
}

/** Enters a record: what it shows of the claims that it is for, and that it is progress. */
export function withEvidence(state: DialogueState, note: EvidenceNote): DialogueState {
  const about = state.claims.filter((claim) => isFor(note, claim));
  const settled = note.met ? about.filter(({ by }) => by !== note.by).map(({ id }) => id) : [];
  const key = progressKey(note);
  const next = {
    ...state,
    claims: state.claims.map((it) => (about.includes(it) ? withRecord(it, note) : it)),
    evidence: [...state.evidence, note].slice(-limits.evidenceKept),
    commit: note.commit ?? state.commit,
    obligations: state.obligations.filter(({ id }) => !settled.includes(id)),
  };
  const marked = next.claims.reduce(withReplayMarks, next);
  if (state.counted.includes(key)) return marked;
  // Once both have spoken, what comes is progress of the round to come.
  const isOver = state.sentInRound.length >= state.participants.length;
  const progress = isOver ? { progressNext: true } : { progressInRound: true };
  return {
    ...{ ...marked, ...progress },
    counted: [...state.counted, key].slice(-limits.rememberedItems),
  };
}

/** The same outcome of the same check by the same side is known already. */
export function progressKey({
  by,
  spec,
  sha256,
  met,
}: Pick<EvidenceNote, "by" | "spec" | "sha256" | "met">): string {
  return `evidence:${by}:${met}:${sha256.slice(0, 16)}:${spec.slice(0, 160)}`;
}

export function withRecord(claim: Claim, note: EvidenceNote): Claim {
  const { by, seq, met, process, ms, underCli } = note;
  const others = claim.records.filter((it) => it.by !== by);
  return { ...claim, records: [...others, { by, seq, met, process, ms, underCli }] };
}

/** A replay that is ten times faster than the run may not have been one. */
const suspiciousFactor = 10;

function withReplayMarks(state: DialogueState, { id, by: author, records }: Claim): DialogueState {
  const own = records.find(({ by }) => by === author);
  const other = records.find(({ by }) => by !== author);
  if (own === undefined || other === undefined) return state;
  const { seq, by } = other;
  const isOne = own.underCli && other.underCli && own.process === other.process;
  const text = "one process made the records of both sides";
  const shared = isOne ? withMark(state, { code: "one_process", by: "", seq, text }) : state;
  const kind = state.evidence.find((it) => it.seq === seq)?.kind;
  if (kind !== "run" || own.ms < suspiciousFactor * Math.max(other.ms, 1)) return shared;
  const fast = `${by} replayed ${id} in ${other.ms} ms; the run took ${own.ms} ms`;
  return withMark(shared, { code: "fast_replay", by, seq, text: fast });
}

/**
 * Decides on a record that a script made for its participant: it changes no turn, and any number may
 * come while the session is open.
 */
export function decideEvidence(state: DialogueState, submission: Submission): Decision {
  const { participant: from, fields, at, id } = submission;
  const record = parseEvidence(fields["evidence"]);
  if (record === undefined || submission.origin !== "script")
    return refuse("evidence is made by check and append-event, and by nothing else");
  const fault = evidenceFault(state, from, record);
  if (fault !== undefined) return refuse(fault);
  const claim = record.claim === undefined ? "" : ` for ${record.claim}`;
  const summary = `${record.met ? "met" : "not met"}${claim}: ${record.spec}`;
  return {
    ok: true,
    event: {
      ...{ seq: state.seq + 1, from, event: "evidence", at: notBefore(state.lastAt, at) },
      summary: summary.slice(0, limits.summaryCharacters).toWellFormed(),
      ...{ id, record: JSON.parse(JSON.stringify(record)) },
    },
  };
}

/** What is wrong with a record at its place; undefined when nothing is. */
export function evidenceFault(
  state: DialogueState,
  by: string,
  record: EvidenceRecord,
): string | undefined {
  const { claim: id, spec, expect = "" } = record;
  const claim = state.claims.find((it) => it.id === id);
  if (hasEnded(state) && !cameWithTheEnd(state, by, claim))
    return `session ${state.id} has ended (${state.phase}): it takes no evidence`;
  if (state.phase === "new" || !state.participants.includes(by)) return strangerText(state, by);
  if (id === undefined || isSealedClaim(state, by, id)) return undefined;
  if (claim === undefined) {
    const known = state.claims.filter(({ withdrawn }) => withdrawn === "").map((it) => it.id);
    return `there is no claim ${id}; ${nameHint(id, known, "there are:")}`;
  }
  if (spec !== claim.spec) return `${id} is checked by ${claim.spec}, not by ${spec}`;
  if (expect === claim.expect) return undefined;
  return `${id} expects ${JSON.stringify(claim.expect)}, the record ${JSON.stringify(expect)}`;
}

export function strangerText({ id, participants }: DialogueState, participant: string): string {
  const hint = nameHint(participant, participants, "its participants are");
  return `${participant} is not in session ${id}; ${hint}`;
}

/** Of a claim in the message that ended the session: the script had read it before. */
function cameWithTheEnd({ outcome }: DialogueState, by: string, claim: Claim | undefined): boolean {
  const isOfEnd = claim?.by === by && claim.id.startsWith(`C${outcome?.seq}.`);
  return isOfEnd && claim.records.length === 0;
}

/** The claim of a position that nobody reads yet. */
function isSealedClaim(state: DialogueState, by: string, id: string): boolean {
  const { sealed, lastDraft } = sideOf(state, by);
  return sealed !== "" && id.startsWith(`C${lastDraft.seq}.`);
}

/**
 * What the script reads before a message of ours is judged: the lines and searches of its own new
 * claims; and where it closes the session, those of every claim that the decision rests on.
 */
export function evidenceNeeded(
  state: DialogueState,
  { participant, origin, fields }: Submission,
): EvidenceNeeded[] {
  if (origin !== "script" || hasEnded(state)) return [];
  const { message } = fields;
  const draft = message === undefined ? [] : parseDraft(message, true);
  if (Array.isArray(draft) || !state.participants.includes(participant)) return [];
  return neededFor(state, draft, participant);
}

export function neededFor(state: DialogueState, draft: CheckedDraft, by: string): EvidenceNeeded[] {
  const { offer } = state;
  const closes = draft.type === "AGREE" && offer !== undefined && offer.by !== by;
  return [...ofNewClaims(draft), ...(closes ? ofValidClaims(state) : [])];
}

/** Of what was read for a message, that of its own claims, in their order. */
export function recordsBrought({ draft, evidence = [] }: SendAttempt): readonly EvidenceRecord[] {
  return evidence.slice(0, ofNewClaims(draft).length);
}

function ofNewClaims({ claims = [] }: CheckedDraft): EvidenceNeeded[] {
  return claims.flatMap(({ check = "", expect, withdrawn }, claim) =>
    withdrawn === undefined ? needed(claim, check, expect ?? "") : [],
  );
}

function ofValidClaims(state: DialogueState): EvidenceNeeded[] {
  const seen = state.claims.filter((it) => isValid(it) && seenBy(it).length > 0);
  return seen.flatMap((claim) => {
    const was = lastMet(state, claim);
    return needed(claim.id, claim.check, claim.expect).map((it) =>
      was === undefined ? it : { ...it, sha256: was.sha256 },
    );
  });
}

function needed(claim: number | string, check: string, expect: string): EvidenceNeeded[] {
  const spec = parseCheckSpec(check);
  if ("fault" in spec || spec.kind === "run") return [];
  return [{ claim, spec, ...(expect === "" ? {} : { expect }) }];
}

/** A claim of a side by its id, or by its words. */
export function ownClaim(state: DialogueState, by: string, words: string): Claim | undefined {
  return state.claims.find(
    (it) => it.by === by && it.withdrawn === "" && (it.id === words || it.text === words),
  );
}
