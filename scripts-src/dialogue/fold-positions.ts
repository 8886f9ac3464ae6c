import { limits } from "../base/limits.ts";
import { checkSpecOf, ownClaim, withRecord } from "./claims.ts";
import type { SentFields } from "./event.ts";
import { claimsOfFacts, factAfterCheck } from "./facts.ts";
import { withMessageMarks } from "./marks.ts";
import { type Message, ownerKindIn } from "./message.ts";
import { disagreementsIn } from "./phrases.ts";
import { isSamePosition, readBecause, statesPosition } from "./positions.ts";
import { hashOf, holdsWord, normalized } from "./prose.ts";
import { type Claim, type DialogueState, type Objection, sideOf, withSide } from "./state.ts";

/** What a message adds to what a dialogue rests on. */
export function foldPositions(before: DialogueState, sent: SentFields): DialogueState {
  const state = { ...withMessageMarks(before, sent), claims: claimsAfter(before, sent) };
  return holdPosition({ ...state, ...saidAfter(state, sent) }, sent);
}

/** New claims, those taken back, and what the other side says of them. */
function claimsAfter(state: DialogueState, { message, seq }: SentFields): Claim[] {
  const { from, checks = [], withdrawn = [], claims = [] } = message;
  const gone = new Map(withdrawn.map(({ claim = "", because = "" }) => [claim, because]));
  for (const { text = "", withdrawn: because } of claims) {
    const own = because === undefined ? undefined : ownClaim(state, from, text);
    if (own !== undefined) gone.set(own.id, because ?? "");
  }
  const known = state.claims.map((it): Claim => {
    const check = checks.findLast(({ claim }) => claim === it.id);
    const claim = factAfterCheck(state, it, from, check);
    if (claim.by === from) return { ...claim, withdrawn: gone.get(claim.id) ?? claim.withdrawn };
    if (check?.outcome === undefined) return claim;
    const { outcome: says, reason, evidence } = check;
    const told = says === "not_run" ? (reason ?? evidence) : reason;
    const outcome = { by: from, seq, says, reason: says === "holds" ? "" : (told ?? "") };
    return { ...claim, outcome };
  });
  const fresh = claims.flatMap(({ text = "", check = "", expect = "", withdrawn }, index) => {
    const id = `C${seq}.${index + 1}`;
    const spec = checkSpecOf(check);
    const claim = { id, by: from, text, check, expect, spec, withdrawn: "", records: [] };
    return withdrawn === undefined ? [withKnownRecords(state, claim)] : [];
  });
  const facts = claimsOfFacts(state, message, seq);
  return [...known, ...fresh, ...facts].slice(-limits.claimsKept);
}

/** Records that were made before the claim was: free ones, and those of a sealed position. */
function withKnownRecords(state: DialogueState, claim: Claim): Claim {
  return state.evidence
    .filter((note) => (note.claim ?? claim.id) === claim.id)
    .filter(({ spec, expect = "" }) => spec === claim.spec && expect === claim.expect)
    .reduce(withRecord, claim);
}

/** Reservations, who says that the decision is the user's, and as which model. */
function saidAfter(
  state: DialogueState,
  { message, seq }: SentFields,
): Pick<DialogueState, "reservations" | "models" | "owner"> {
  const { from: by, type, reservations = [], needs_user = "", meta } = message;
  const kind = ownerKindIn(message);
  const isNews = !state.owner.some((it) => it.by === by && it.kind === kind);
  const words = needs_user.slice(0, limits.summaryCharacters);
  const named = kind !== undefined && isNews ? [{ by, kind, seq, words }] : [];
  // A question that holds a word which the user keeps for itself is the user's to decide.
  const asked = `${state.topic}\n${message.question_or_proposal.content}`;
  const word = type === "REQUEST" ? state.ownerWords.find((it) => holdsWord(asked, it)) : undefined;
  const called =
    word === undefined ? [] : [{ by: "user", kind: "user's words" as const, seq, words: word }];
  const model = meta?.model?.slice(0, limits.participantCharacters).toWellFormed() ?? "";
  const others = state.models.filter((it) => it.by !== by);
  const texts = reservations.map((text) => ({ by, seq, text }));
  return {
    models: model === "" ? state.models : [...others, { by, model }],
    reservations: [...state.reservations, ...texts].slice(-limits.reservationsKept),
    owner: [...state.owner, ...named, ...called].slice(-limits.listItems),
  };
}

/** The sender's position from now on, with what it gave for a change of it. */
function holdPosition(state: DialogueState, { message, seq }: SentFields): DialogueState {
  const { from: by, position = "" } = message;
  const side = sideOf(state, by);
  const saidHash = hashOf(normalized(message.question_or_proposal.content));
  const told = withSide(state, by, { saidHash });
  if (position === "" || !(statesPosition(message) || message.type === "REQUEST")) return told;
  const { held } = side;
  const isFirst = held.seq === 0;
  const isChange = isFirst || !isSamePosition(held.position, position);
  const { ids, judgement } = readBecause(message.because);
  const evidence = ids.map((id) => `E${id}`);
  const flip = { by, seq, from: held.position, to: position, evidence, judgement };
  const isSealed = state.phase === "talking" && side.sealed !== "";
  const blind = isSealed || !hasReadAnAnswer(state, message);
  const kept = <Item>(items: Item[]) => items.slice(-limits.positionsKept);
  return {
    ...(isChange ? withSide(told, by, { held: { position, seq } }) : told),
    firsts: isFirst ? [...state.firsts, { by, seq, position, blind }] : state.firsts,
    flips: kept(isChange && !isFirst ? [...state.flips, flip] : state.flips),
    positions: kept([...state.positions, { by, seq, position, isChange }]),
  };
}

/** An answer by hand has no `position`; a participant that accepts one has read it in any case. */
function hasReadAnAnswer(state: DialogueState, { to, type }: Message): boolean {
  const { held, byHand, position } = sideOf(state, to);
  return held.seq > 0 || type === "AGREE" || (byHand && position !== "");
}

/** AGREE stands until somebody objects, an objection until it is taken back or one side gives in. */
export function settleAgreement(before: DialogueState, sent: SentFields): DialogueState {
  const { message, assessment } = sent;
  const { from, to, type, confidence, resolved = [] } = message;
  const own = sideOf(before, from).objections;
  if (assessment.objects) {
    // A check that fails disputes a claim, and what was objected to before as well.
    const found = objectionsIn(sent);
    const objections = found.length > 0 ? found : own;
    return withSide(withSide(before, to, { agreed: false }), from, { agreed: false, objections });
  }
  const settled = new Set(resolved.map(({ point = "" }) => normalized(point)));
  const objections = own.filter(({ point }) => !settled.has(normalized(point)));
  const state = assessment.accepts
    ? withSide(withSide(before, from, { objections: [] }), to, { objections: [] })
    : withSide(before, from, { objections });
  const isSure = (confidence ?? 0) >= before.rules.consensus_confidence_threshold;
  const isSaid = type === "AGREE" || (confidence !== undefined && !isSure);
  return isSaid ? withSide(state, from, { agreed: type === "AGREE" && isSure }) : state;
}

/** What a message objects to: its list, else of a letter by hand its sentences that say so, else its alternative. */
function objectionsIn({ message, origin }: SentFields): Objection[] {
  const { objections = [], disagreements_pending: pending = [], type, position } = message;
  const { content } = message.question_or_proposal;
  const sentences = origin === "inbox" ? disagreementsIn(content) : [];
  const isAlternative = type === "COUNTER_PROPOSE" && pending.length === 0;
  const words = sentences.length === 0 && isAlternative ? [position ?? content] : sentences;
  const listed = objections.map(({ point = "", because = "" }) => ({ point, because }));
  const said = words.map((it) => ({
    ...{ point: it.slice(0, limits.itemCharacters).toWellFormed(), because: "" },
  }));
  return (listed.length > 0 ? listed : said).slice(-limits.pointsShown);
}

/**
 * AGREE of one side stands, with its text for the user, until somebody objects or leaves the
 * position; that of the other then closes. Neither closes alone.
 */
export function offerAfter(state: DialogueState, sent: SentFields): DialogueState {
  const { message, assessment, origin, seq } = sent;
  const { from: by, to, type, accepts = 0, position = "" } = message;
  const { offer, ...others } = state;
  if (assessment.objects || assessment.competes === true)
    return withSide(withSide(others, to, { agreed: false }), by, { agreed: false });
  const counts = type === "AGREE" && sideOf(state, by).agreed && origin === "script";
  if (!counts || sideOf(state, to).byHand || (offer !== undefined && offer.by !== by)) return state;
  const text = message.question_or_proposal.content;
  const made = { by, seq, accepts, position, text };
  return { ...withSide(state, to, { agreed: false }), offer: made };
}
