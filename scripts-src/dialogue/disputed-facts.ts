import { isRecord, type JsonValue } from "../base/json.ts";
import { isFor, seqOfEvidence, withRecord } from "./evidence.ts";
import type { Claim, EvidenceNote, Trust } from "./evidence-state.ts";
import type { CheckedDraft, Message } from "./message.ts";
import { normalized } from "./prose.ts";
import type { SendAttempt } from "./send-attempt.ts";
import type { DialogueState } from "./state.ts";

/**
 * A dispute about a fact is settled by a look, not by words (seed 003). A fact that a message disputes
 * is kept as a claim `F<seq>.<number>`: who disputes and who asserts it have to look before
 * they AGREE, and the look of one is enough; or each says why it cannot, and it is an assumption.
 */
export interface NamedFact {
  /** The index of the objection that names it. */
  readonly at: number;
  /** The record of the sender that shows it; absent where it names none. */
  readonly record?: number;
}

/** Reads what a log holds; undefined for anything else. */
export function readFacts(value: JsonValue = []): NamedFact[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const facts = value.flatMap((it): NamedFact[] => {
    const { at, record } = isRecord(it) ? it : {};
    if (typeof at !== "number") return [];
    return [{ at, ...(typeof record === "number" ? { record } : {}) }];
  });
  return facts.length === value.length ? facts : undefined;
}

export function isFactId(id: string): boolean {
  return id.startsWith("F");
}

/** The facts that a message is the first to dispute. */
export function factsNamed(attempt: SendAttempt): NamedFact[] {
  const { state, draft } = attempt;
  const disputed = draft.type === "AGREE" ? [] : (draft.objections ?? []);
  const texts = disputed.map(({ point = "", about }) =>
    about === "fact" ? normalized(point) : "",
  );
  return disputed.flatMap(({ evidence }, at): NamedFact[] => {
    const text = texts[at] ?? "";
    if (text === "" || texts.indexOf(text) < at || claimOf(state, text) !== undefined) return [];
    const record = ownRecord(attempt, evidence);
    return [{ at, ...(record === undefined ? {} : { record }) }];
  });
}

/** The seq of the record that a text names, if its sender made it. */
export function ownRecord({ state, sender }: SendAttempt, evidence?: string): number | undefined {
  const seq = seqOfEvidence(evidence);
  return state.trust.evidence.some((it) => it.seq === seq && it.by === sender) ? seq : undefined;
}

/**
 * Whether a message disputes facts and nothing else: "refuted" where a script of its sender has refuted each of
 * them, which then owe no synthesis.
 */
export function disputeOver(attempt: SendAttempt): "facts" | "refuted" | undefined {
  const { state, draft, sender } = attempt;
  const { type, objections = [], checks = [], disagreements_pending: pending = [] } = draft;
  const fails = checks.filter(({ outcome }) => outcome === "fails");
  const disputed = factsDisputed(draft);
  const isOther = type === "COUNTER_PROPOSE" || disputed.length < objections.length;
  if (isOther || disputed.length + fails.length === 0) return undefined;
  const points = [...disputed.map(({ point = "" }) => point), ...fails.map(failText)];
  const known = new Set(points.map(normalized));
  const open = [...state.disagreements.map(({ point }) => point), ...pending];
  if (!open.every((point) => known.has(normalized(point)))) return undefined;
  const isRefuted =
    disputed.every(
      ({ point = "", evidence }) =>
        ownRecord(attempt, evidence) !== undefined ||
        claimOf(state, point)?.records.some((it) => it.by === sender && !it.met),
    ) && fails.every(({ claim = "" }) => isRefutedBy(state, sender, claim));
  return isRefuted ? "refuted" : "facts";
}

/** That lines are there and do not show it is judgement: a script refutes what it did not find. */
function isRefutedBy({ trust }: DialogueState, by: string, id: string): boolean {
  const claim = trust.claims.find((it) => it.id === id);
  if (claim === undefined) return false;
  return (
    isFactId(id) || trust.evidence.findLast((it) => it.by === by && isFor(it, claim))?.met === false
  );
}

/** The dispute that a failed check is. */
export function failText({ claim = "" }: { claim?: string | undefined }): string {
  return `claim ${claim} does not hold`;
}

/** What an AGREE still objects to becomes a reservation. */
function factsDisputed({ type, objections = [] }: CheckedDraft) {
  return type === "AGREE" ? [] : objections.filter(({ about }) => about === "fact");
}

/** The standing claim that a text names, by its id or its words. */
function claimOf({ trust }: DialogueState, text: string): Claim | undefined {
  return trust.claims.find(
    (it) => it.withdrawn === "" && (it.id === text || normalized(it.text) === normalized(text)),
  );
}

/** The named facts as claims: who disputes one says that the other side asserts it. */
export function claimsOfFacts(
  { evidence }: Trust,
  facts: readonly NamedFact[],
  { from, to, objections = [] }: Message,
  seq: number,
): Claim[] {
  return facts.map(({ at, record }, index): Claim => {
    const { point = "", because = "" } = objections[at] ?? {};
    const claim: Claim = {
      ...{ id: `F${seq}.${index + 1}`, by: to, check: "", spec: "", text: point },
      ...{ expect: "", withdrawn: "", records: [], disputed: { by: from, because } },
    };
    const note = evidence.find((it) => it.seq === record);
    if (note === undefined) return claim;
    const says = { by: from, seq, says: "fails" as const, reason: because };
    return { ...withLook(claim, note, "fails"), outcome: says };
  });
}

/** A fact has the check of the first look that showed it: the other side can repeat that. */
function withLook(fact: Claim, note: EvidenceNote, says: "holds" | "fails"): Claim {
  const { spec, expect = "" } = note;
  const isShown = fact.spec === "" && says === "holds" && note.met;
  const known = isShown ? { ...fact, check: spec, spec, expect } : fact;
  return withRecord(known, { ...note, met: says === "holds" });
}

type Check = NonNullable<CheckedDraft["checks"]>[number];

/** A fact after what a side says of it; any other claim as it is. */
export function lookedAt(
  state: DialogueState,
  claim: Claim,
  by: string,
  check: Check | undefined,
): Claim {
  const { outcome, evidence } = check ?? {};
  if (!isFactId(claim.id) || (outcome !== "holds" && outcome !== "fails")) return claim;
  const note = lookFor(state, by, claim, evidence);
  return note === undefined ? claim : withLook(claim, note, outcome);
}

/**
 * The record that a check of a fact names; without a name the newest that its sender made since, of nothing that
 * the other side claims.
 */
export function lookFor(
  { trust }: DialogueState,
  by: string,
  { id }: Claim,
  evidence?: string,
): EvidenceNote | undefined {
  const seq = seqOfEvidence(evidence);
  if (evidence !== undefined) return trust.evidence.find((it) => it.seq === seq);
  const others = new Set(trust.claims.filter((it) => it.by !== by).map((it) => it.id));
  const isFree = ({ claim }: EvidenceNote) =>
    claim === undefined || claim === id || !others.has(claim);
  return trust.evidence.findLast((it) => it.by === by && it.seq > seqOfFact(id) && isFree(it));
}

function seqOfFact(id: string): number {
  return Number(/^F(\d+)\./.exec(id)?.[1] ?? 0);
}

/** Whether its side takes a dispute back. */
export function isGivenUp(text: string, resolved: CheckedDraft["resolved"] = []): boolean {
  return resolved.some(({ point = "" }) => normalized(point) === normalized(text));
}

/** The ids of the facts that a message disputes; undefined where it disputes a claim with a check of its own. */
export function factsOnly({ claims }: Trust, { objections = [] }: Message): string[] | undefined {
  const facts = claims.filter(
    ({ id, text, withdrawn }) =>
      isFactId(id) &&
      withdrawn === "" &&
      objections.some(({ point = "" }) => normalized(point) === normalized(text)),
  );
  return facts.length < objections.length ? undefined : facts.map(({ id }) => id);
}
