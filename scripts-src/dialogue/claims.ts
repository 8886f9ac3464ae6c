import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { hasWord } from "../base/visible-text.ts";
import { evidenceLimits, parseCheckSpec } from "../protocol/check-spec.ts";
import { type EvidenceRecord, expectFault, lookedFor, pathIn } from "../protocol/evidence.ts";
import { heldBy } from "../protocol/figures.ts";
import type { ClaimMade, EvidenceNeeded, SeenBefore, Submission } from "../protocol/protocol.ts";
import { type Check, type CheckedDraft, type Message, parseDraft } from "./message.ts";
import { normalized } from "./prose.ts";
import {
  type Claim,
  type ClaimRecord,
  type DialogueState,
  type EvidenceNote,
  hasEnded,
  type Judgement,
  type Lack,
  type Rule,
  type SendAttempt,
  withMark,
} from "./state.ts";

/** A claim that still counts: not taken back, and not found to fail. */
export function isValid({ withdrawn, outcome }: Claim): boolean {
  return withdrawn === "" && outcome?.says !== "fails";
}

/** The claims that are valid, equal ones once: that one of them which was seen most. */
export function validClaims({ claims }: DialogueState): Claim[] {
  const worth = (it: Claim) => (isSeen(it) ? 2 : Math.min(seenBy(it).length, 1));
  const best = new Map<string, Claim>();
  for (const claim of claims.filter(isValid)) {
    const key = JSON.stringify([claim.spec, claim.expect, normalized(claim.text)]);
    const known = best.get(key);
    if (known === undefined || worth(claim) > worth(known)) best.set(key, claim);
  }
  return claims.filter((it) => [...best.values()].includes(it));
}

/** Who has seen it: the sides whose newest record for it met what was expected. */
export function seenBy(claim: Claim): string[] {
  return claim.records.filter(({ met }) => met).map(({ by }) => by);
}

/** Seen: each side has a record of its own, from different processes, that met what was expected, on files as they are. */
export function isSeen(claim: Claim): boolean {
  if (changedIn(claim).length > 0) return false;
  const [one, other] = claim.records.filter(({ met }) => met);
  return one !== undefined && other !== undefined && one.process !== other.process;
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

/** A record as the state keeps it. */
export function noteOf(record: EvidenceRecord, seq: number, by: string, at: string): EvidenceNote {
  const { first, last, dirty: _dirty, process: made, ...rest } = record;
  const { pid, started } = made.cli ?? made;
  const process = `${pid}@${started}`;
  const spec = parseCheckSpec(rest.spec);
  const held = "fault" in spec ? "" : heldBy(spec, rest.expect ?? "", `${first}\n${last}`);
  const words = [...new Set(held.match(/[\p{L}\p{N}_$@.,/:'-]+/gu))].join(" ");
  const shown = words.slice(0, 2 * evidenceLimits.partCharacters).toWellFormed();
  return { ...rest, seq, by, at, process, underCli: made.cli !== undefined, shown };
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
export function newestOf(claim: Claim, by: string): ClaimRecord | undefined {
  return claim.records.find((it) => it.by === by);
}

/** The uncommitted files that a record's command saw, but for those that a run of the session wrote itself. */
export function filesSeen({ evidence }: DialogueState, record?: ClaimRecord): string[] {
  const all = evidence.flatMap(({ files = [] }) => files);
  const wrote = all.filter((it) => it.startsWith("wrote ")).map(pathIn);
  const { files = [] } = evidence.find(({ seq }) => seq === record?.seq) ?? {};
  return files.filter((it) => !wrote.includes(pathIn(it)));
}

/** The files of a claim's runs that were others when the side that ran them agreed. */
export function changedIn({ records }: Claim): string[] {
  return [...new Set(records.flatMap(({ met, changed = [] }) => (met ? changed : [])))];
}

/** What a command was seen to do counts no more where the files are others. */
export function changedText(files: readonly string[]): string {
  return `seen on files that have changed since: ${files.map((it) => inline(it)).join(", ")}`;
}

/** The newest record of a claim that met what was expected. */
export function lastMet({ evidence }: DialogueState, claim: Claim): EvidenceNote | undefined {
  return evidence.findLast((it) => it.met && isFor(it, claim));
}

/** The claims that a participant may check. */
export function claimsMade({ claims }: DialogueState): ClaimMade[] {
  return claims.map(({ id, by, text, spec: check, expect, withdrawn, records }) => {
    const lookedAtBy = records.map((record) => record.by);
    return { id, by, text, check, expect, withdrawn: withdrawn !== "", lookedAtBy };
  });
}

/** What the decision rests on, or would; of files that commands saw, those that both sides had alike. */
export function restsOn(state: DialogueState): SeenBefore[] {
  return state.claims.filter(isValid).flatMap((claim) => {
    const seen = lastMet(state, claim);
    const [one, other] = claim.records.filter(({ met }) => met);
    const others = filesSeen(state, other);
    const files = filesSeen(state, one).filter((it) => others.includes(it));
    return seen === undefined ? [] : [{ ...seen, claim: claim.id, files }];
  });
}

/** Enters a record: what it shows of the claims that it is for, and that it is progress. */
export function withEvidence(state: DialogueState, note: EvidenceNote): DialogueState {
  const about = state.claims.filter((claim) => isFor(note, claim));
  const settled = note.met ? about.filter(({ by }) => by !== note.by).map(({ id }) => id) : [];
  const marked = about.some((it) => isByOneProcess(it, note))
    ? withMark(state, {
        ...{ code: "one_process", by: "", seq: note.seq },
        text: "one process made the records of both sides",
      })
    : state;
  const next = {
    ...marked,
    claims: state.claims.map((it) => (about.includes(it) ? withRecord(it, note) : it)),
    evidence: [...state.evidence, note].slice(-limits.evidenceKept),
    commit: note.commit ?? state.commit,
    obligations: state.obligations.filter(({ id }) => !settled.includes(id)),
  };
  const key = progressKey(note);
  if (state.counted.includes(key)) return next;
  // Once both have spoken, what comes is progress of the round to come.
  const isOver = state.sentInRound.length >= state.participants.length;
  return {
    ...{ ...next, ...(isOver ? { progressNext: true } : { progressInRound: true }) },
    counted: [...state.counted, key].slice(-limits.rememberedItems),
  };
}

function isByOneProcess({ records }: Claim, { by, process, underCli }: EvidenceNote): boolean {
  return records.some((it) => it.by !== by && it.underCli && underCli && it.process === process);
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

/** A claim with the newest record of a side in the place of its last one. */
export function withRecord(claim: Claim, note: EvidenceNote): Claim {
  const { by, seq, met, process, underCli } = note;
  const others = claim.records.filter((it) => it.by !== by);
  return { ...claim, records: [...others, { by, seq, met, process, underCli }] };
}

/**
 * What the script reads before a message of ours is judged: the lines and searches of its own new
 * claims; and where it closes the session, those of every claim that the decision rests on.
 */
export function evidenceNeeded(
  state: DialogueState,
  { participant, origin, fields }: Submission,
): EvidenceNeeded[] {
  const { message } = fields;
  if (origin !== "script" || message === undefined || hasEnded(state)) return [];
  const draft = parseDraft(message, true);
  if (Array.isArray(draft) || !state.participants.includes(participant)) return [];
  return neededFor(state, draft, participant);
}

export function neededFor(state: DialogueState, draft: CheckedDraft, by: string): EvidenceNeeded[] {
  const { offer, claims } = state;
  const closes = draft.type === "AGREE" && offer !== undefined && offer.by !== by;
  const seen = closes ? claims.filter((it) => isValid(it) && seenBy(it).length > 0) : [];
  return [
    ...ofNewClaims(draft),
    ...seen.flatMap((claim) => {
      const sha256 = lastMet(state, claim)?.sha256;
      const needs = needed(claim.id, claim.spec, claim.expect);
      return sha256 === undefined ? needs : needs.map((it) => ({ ...it, sha256 }));
    }),
  ];
}

/** Of what was read for a message, that of its own claims, in their order. */
export function recordsBrought({ draft, evidence = [] }: SendAttempt): readonly EvidenceRecord[] {
  return evidence.slice(0, ofNewClaims(draft).length);
}

function ofNewClaims({ claims = [] }: CheckedDraft): EvidenceNeeded[] {
  return claims.flatMap(({ text, check = "", expect = "", withdrawn }, claim) =>
    withdrawn === undefined ? needed(claim, check, expect).map((it) => ({ ...it, text })) : [],
  );
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

/** The claim that a text names, by its id or its words, and that nobody took back. */
export function claimNamed({ claims }: DialogueState, text: string): Claim | undefined {
  const words = normalized(text);
  return claims.find(
    (it) => it.withdrawn === "" && (it.id === text || normalized(it.text) === words),
  );
}

/**
 * A dispute about a fact is settled by a look, not by words (seed 003). A fact that a message disputes
 * is kept as a claim `F<seq>.<number>`: who disputes and who asserts it have to look before
 * they AGREE, and the look of one is enough; or each says why it cannot, and it is an assumption.
 */
export function isFactId(id: string): boolean {
  return id.startsWith("F");
}

/** The objections to facts; what an AGREE still objects to becomes a reservation. */
export function factsDisputed({ type, objections = [] }: CheckedDraft | Message) {
  return type === "AGREE" ? [] : objections.filter(({ about }) => about === "fact");
}

/** The objections of a message that are the first to dispute a fact. */
export function factsNamed(state: DialogueState, draft: CheckedDraft | Message) {
  const points = factsDisputed(draft).map(({ point = "" }) => normalized(point));
  return factsDisputed(draft).filter(({ point = "" }, at) => {
    const isFirst = points[at] !== "" && points.indexOf(normalized(point)) === at;
    return isFirst && claimNamed(state, point) === undefined;
  });
}

/** The record that a text names, if its sender made it. */
export function ownRecord({ evidence }: DialogueState, by: string, named?: string) {
  const seq = seqOfEvidence(named);
  return evidence.find((it) => it.seq === seq && it.by === by);
}

/**
 * The record that a check of a fact names; without a name the newest that its sender made since, of nothing that
 * the other side claims.
 */
export function recordOfFact(
  { claims, evidence }: DialogueState,
  by: string,
  { id }: Claim,
  named?: string,
): EvidenceNote | undefined {
  const seq = seqOfEvidence(named);
  if (named !== undefined) return evidence.find((it) => it.seq === seq);
  const others = claims.filter((it) => it.by !== by && it.id !== id).map((it) => it.id);
  const since = Number.parseInt(id.slice(1), 10);
  return evidence.findLast(
    (it) => it.by === by && it.seq > since && !others.includes(it.claim ?? ""),
  );
}

/** The dispute that a failed check is. */
export function failText({ claim }: { claim: string }): string {
  return `claim ${claim} does not hold`;
}

/** A script makes the evidence; what is claimed and checked points at it. */
export const rulesOfClaims: Rule[] = [claimsAreThere, checksAreProved, factsAreShown];

/** What a claim cites is there: the script has read it. */
function claimsAreThere({ state, draft, sender, evidence }: Judgement): string | undefined {
  const records = (evidence ?? []).values();
  for (const [index, { text, check, expect, withdrawn }] of (draft.claims ?? []).entries()) {
    const where = `claims[${index}] ${inline(text)}`;
    if (withdrawn !== undefined) {
      if (ownClaim(state, sender, text) !== undefined) continue;
      return `${where} is withdrawn, but is no claim of yours; write its id or its words`;
    }
    const spec = parseCheckSpec(check);
    const odd = "fault" in spec ? spec.fault : expect === undefined ? expect : expectFault(expect);
    if (odd !== undefined) return `${where}: ${odd}`;
    if ("fault" in spec || spec.kind === "run" || evidence === undefined) continue;
    if (records.next().value?.met === true) continue;
    const wanted = expect === undefined ? "" : ` that hold ${inline(expect)}`;
    return `${where}: ${inline(check)} shows no such lines${wanted}; cite what is there`;
  }
  return undefined;
}

/** `holds` and `fails` point at a record of one's own; `not_run` says why. */
function checksAreProved(attempt: Judgement): Lack | string | undefined {
  const { state, sender, draft } = attempt;
  for (const check of draft.checks ?? []) {
    const claim = state.claims.find(({ id }) => id === check.claim);
    const fault = claim && checkFault(attempt, check, claim);
    if (claim === undefined || fault === undefined) continue;
    const reason = `checks of ${claim.id}: ${fault}`;
    const isNamed = !isFactId(claim.id) || check.evidence !== undefined;
    return isNamed || recordOfFact(state, sender, claim) ? reason : { reason, toCheck: [""] };
  }
  return undefined;
}

function checkFault(attempt: Judgement, check: Check, claim: Claim): string | undefined {
  const { state, sender } = attempt;
  const { outcome, evidence, reason } = check;
  const isFact = isFactId(claim.id);
  const own = newestOf(claim, sender);
  if (outcome === "not_run") {
    const told = reason ?? evidence ?? "";
    if (own !== undefined && !isFact)
      return `not_run came, but your ${evidenceId(own)} shows that it was run; say ${own.met ? "holds" : "fails"}`;
    if (hasWord(told) && !/^\s*E\d+\s*$/.test(told)) return undefined;
    return "not_run needs a reason: what kept you from running it";
  }
  if (isFact) return factFault(attempt, check, claim);
  const named = seqOfEvidence(evidence);
  const run = `run check --claim ${claim.id}`;
  const orNot = `${run}, or say not_run with a reason`;
  if (evidence !== undefined && named === undefined)
    return `evidence is ${inline(evidence)}, expected the id of a record of yours; ${orNot}`;
  const record = state.evidence.find(({ seq }) => seq === (named ?? own?.seq));
  if (record === undefined)
    return `${named === undefined ? "you have no record of it" : `E${named} is no evidence of this session`}; ${orNot}`;
  if (record.by !== sender) return `E${record.seq} is not yours; ${run}`;
  if (!isFor(record, claim))
    return `E${record.seq} is about ${inline(record.spec)}, not about ${inline(claim.spec)}; ${run}`;
  if (outcome === "holds")
    return record.met ? undefined : `holds came, but E${record.seq} shows that it fails`;
  // That the lines are there does not make them show what the claim says.
  if (!record.met || hasWord(reason ?? "")) return undefined;
  return `fails came, and E${record.seq} shows what was expected; add reason: why it does not show the claim`;
}

export const waysToLook = "check --cite FILE:LINES, --find TEXT PATH or --run -- ARGV";

/** What is wrong with the look at a fact that a side names; undefined when nothing is. */
function factFault(
  { state, sender }: Judgement,
  { outcome, evidence, reason }: Check,
  fact: Claim,
): string | undefined {
  if (outcome === "fails" && fact.by === sender)
    return `it is your own; add withdrawn: [{claim: ${fact.id}, because}]`;
  const record = recordOfFact(state, sender, fact, evidence);
  const way = `run ${waysToLook}, or say not_run with a reason`;
  if (record === undefined)
    return evidence === undefined
      ? `you have made no record since; ${way}`
      : `evidence is ${inline(evidence)}, which is no record of this session; ${way}`;
  if (record.by !== sender) return `${evidenceId(record)} is not yours; ${way}`;
  if (record.met === (outcome === "holds") || hasWord(reason ?? "")) return undefined;
  const was = record.met ? "as expected" : "not as expected";
  return `${outcome} came, and ${evidenceId(record)} was ${was}; add reason: why it shows that`;
}

/** What an objection rests on is a record; what an AGREE disputes is not agreed. */
function factsAreShown({ state, draft, sender }: Judgement): string | undefined {
  const { type, objections = [] } = draft;
  const disputed = objections.find(({ about }) => about === "fact");
  if (type === "AGREE" && disputed !== undefined)
    return `AGREE disputes a fact (${inline(disputed.point)}); send EVALUATE with that objection, or write it into reservations`;
  for (const [at, { evidence }] of objections.entries()) {
    if (evidence === undefined || seqOfEvidence(evidence) === undefined) continue;
    if (ownRecord(state, sender, evidence) === undefined)
      return `objections[${at}].evidence is ${inline(evidence)}, which is no record of yours; run ${waysToLook}`;
  }
  return undefined;
}
