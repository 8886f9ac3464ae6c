import { isFor, seqOfEvidence, withRecord } from "./claims.ts";
import type { CheckedDraft, Message } from "./message.ts";
import { normalized } from "./prose.ts";
import type { Claim, DialogueState, EvidenceNote, SendAttempt } from "./state.ts";

/**
 * A dispute about a fact is settled by a look, not by words (seed 003). A fact that a message disputes
 * is kept as a claim `F<seq>.<number>`: who disputes and who asserts it have to look before
 * they AGREE, and the look of one is enough; or each says why it cannot, and it is an assumption.
 */
export function isFactId(id: string): boolean {
  return id.startsWith("F");
}

/** The objections of a message that are the first to dispute a fact. */
export function factsNamed(
  state: DialogueState,
  draft: CheckedDraft | Message,
): NonNullable<CheckedDraft["objections"]> {
  const known = new Set<string>();
  return factsDisputed(draft).filter(({ point = "" }) => {
    const text = normalized(point);
    if (text === "" || known.has(text) || claimNamed(state, point) !== undefined) return false;
    known.add(text);
    return true;
  });
}

/** What an AGREE still objects to becomes a reservation. */
function factsDisputed({ type, objections = [] }: CheckedDraft | Message) {
  return type === "AGREE" ? [] : objections.filter(({ about }) => about === "fact");
}

/** The claim that a text names, by its id or its words, and that nobody took back. */
function claimNamed({ claims }: DialogueState, text: string): Claim | undefined {
  return claims.find(
    (it) => it.withdrawn === "" && (it.id === text || normalized(it.text) === normalized(text)),
  );
}

/** The record that a text names, if its sender made it. */
export function ownRecord({ evidence }: DialogueState, by: string, named?: string) {
  const seq = seqOfEvidence(named);
  return evidence.find((it) => it.seq === seq && it.by === by);
}

/**
 * Whether a message disputes facts and nothing else: "refuted" where a script of its sender has refuted each of
 * them, which then owe no synthesis.
 */
export function disputeOver({
  state,
  draft,
  sender,
}: SendAttempt): "facts" | "refuted" | undefined {
  const { type, objections = [], checks = [], disagreements_pending: pending = [] } = draft;
  const fails = checks.filter(({ outcome }) => outcome === "fails");
  const disputed = factsDisputed(draft);
  const isOther = type === "COUNTER_PROPOSE" || disputed.length < objections.length;
  if (isOther || disputed.length + fails.length === 0) return undefined;
  const points = [...disputed.map(({ point = "" }) => point), ...fails.map(failText)];
  const known = new Set(points.map(normalized));
  const open = [...state.disagreements.map(({ point }) => point), ...pending];
  if (!open.every((point) => known.has(normalized(point)))) return undefined;
  const isShown = disputed.every(
    ({ point = "", evidence }) =>
      ownRecord(state, sender, evidence) !== undefined ||
      claimNamed(state, point)?.records.some((it) => it.by === sender && !it.met),
  );
  const isRefuted = isShown && fails.every(({ claim = "" }) => isRefutedBy(state, sender, claim));
  return isRefuted ? "refuted" : "facts";
}

/** That lines are there and do not show it is judgement: a script refutes what it did not find. */
function isRefutedBy({ claims, evidence }: DialogueState, by: string, id: string): boolean {
  const claim = claims.find((it) => it.id === id);
  if (claim === undefined) return false;
  return isFactId(id) || evidence.findLast((it) => it.by === by && isFor(it, claim))?.met === false;
}

/** The dispute that a failed check is. */
export function failText({ claim = "" }: { claim?: string | undefined }): string {
  return `claim ${claim} does not hold`;
}

/** The facts that a message disputes first as claims: who disputes one says that the other side asserts it. */
export function claimsOfFacts(state: DialogueState, message: Message, seq: number): Claim[] {
  const { from, to } = message;
  return factsNamed(state, message).map(({ point = "", because = "", evidence }, index): Claim => {
    const claim: Claim = {
      ...{ id: `F${seq}.${index + 1}`, by: to, check: "", spec: "", text: point },
      ...{ expect: "", withdrawn: "", records: [], disputed: { by: from, because } },
    };
    const note = ownRecord(state, from, evidence);
    if (note === undefined) return claim;
    const outcome = { by: from, seq, says: "fails" as const, reason: because };
    return { ...withFactRecord(claim, note, "fails"), outcome };
  });
}

/** A fact has the check of the first look that showed it: the other side can repeat that. */
function withFactRecord(fact: Claim, note: EvidenceNote, says: "holds" | "fails"): Claim {
  const { spec, expect = "" } = note;
  const isShown = fact.spec === "" && says === "holds" && note.met;
  const known = isShown ? { ...fact, check: spec, spec, expect } : fact;
  return withRecord(known, { ...note, met: says === "holds" });
}

export type Check = NonNullable<CheckedDraft["checks"]>[number];

/** A fact after what a side says of it; any other claim as it is. */
export function factAfterCheck(
  state: DialogueState,
  claim: Claim,
  by: string,
  { outcome, evidence }: Partial<Check> = {},
): Claim {
  if (!isFactId(claim.id) || (outcome !== "holds" && outcome !== "fails")) return claim;
  const note = recordOfFact(state, by, claim, evidence);
  return note === undefined ? claim : withFactRecord(claim, note, outcome);
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
  const others = new Set(claims.filter((it) => it.by !== by).map((it) => it.id));
  const since = Number(/^F(\d+)\./.exec(id)?.[1] ?? 0);
  const isFree = (claim: string | undefined) =>
    claim === undefined || claim === id || !others.has(claim);
  return evidence.findLast((it) => it.by === by && it.seq > since && isFree(it.claim));
}

/** Whether its side takes a dispute back. */
export function isGivenUp(text: string, resolved: CheckedDraft["resolved"] = []): boolean {
  return resolved.some(({ point = "" }) => normalized(point) === normalized(text));
}

/** The ids of the facts that a message disputes; undefined where it disputes a claim with a check of its own. */
export function factsOnly(
  { claims }: DialogueState,
  { objections = [] }: Message,
): string[] | undefined {
  const points = new Set(objections.map(({ point = "" }) => normalized(point)));
  const facts = claims.filter(
    ({ id, text, withdrawn }) => isFactId(id) && withdrawn === "" && points.has(normalized(text)),
  );
  return facts.length < objections.length ? undefined : facts.map(({ id }) => id);
}
