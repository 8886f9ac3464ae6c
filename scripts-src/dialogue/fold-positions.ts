import { limits } from "../base/limits.ts";
import { claimsOfFacts, lookedAt } from "./disputed-facts.ts";
import type { SentFields } from "./event.ts";
import { checkSpecOf, withRecord } from "./evidence.ts";
import { type Claim, isSeen, type Trust } from "./evidence-state.ts";
import { judgedMarks } from "./marks.ts";
import { type Message, ownerKindIn } from "./message.ts";
import { hashOf, holdsWord, normalized } from "./prose.ts";
import { ownClaim } from "./rules-of-evidence.ts";
import { isSamePosition, readBecause, takesStand } from "./stance.ts";
import { type DialogueState, otherThan, sideOf, withSide } from "./state.ts";

/** What a message adds to what a dialogue rests on. */
export function foldPositions(state: DialogueState, sent: SentFields): DialogueState {
  const told = { ...state, trust: { ...judgedMarks(state, sent), ...claimsAfter(state, sent) } };
  const kept = { ...told, trust: { ...told.trust, ...saidAfter(told, sent) } };
  return holdPosition(kept, sent);
}

/** New claims, those taken back, and what the other side says of them. */
function claimsAfter(
  state: DialogueState,
  { message, seq, assessment }: SentFields,
): Pick<Trust, "claims"> {
  const { from, checks = [], withdrawn = [], claims = [] } = message;
  const gone = new Map(withdrawn.map(({ claim = "", because = "" }) => [claim, because]));
  for (const { text = "", withdrawn: because } of claims) {
    const own = because === undefined ? undefined : ownClaim(state, from, text);
    if (own !== undefined) gone.set(own.id, because ?? "");
  }
  const said = new Map(checks.map((it) => [it.claim, it]));
  const known = state.trust.claims.map((it): Claim => {
    const check = said.get(it.id);
    const claim = lookedAt(state, it, from, check);
    if (claim.by === from) return { ...claim, withdrawn: gone.get(claim.id) ?? claim.withdrawn };
    if (check?.outcome === undefined) return claim;
    const told = check.outcome === "not_run" ? (check.reason ?? check.evidence) : check.reason;
    const reason = check.outcome === "holds" ? "" : (told ?? "");
    const outcome = { by: from, seq, says: check.outcome, reason };
    return { ...claim, outcome };
  });
  const fresh = claims.flatMap(({ text = "", check = "", expect = "", withdrawn: gone }, index) =>
    gone === undefined
      ? [knownRecords(state, newClaim(`C${seq}.${index + 1}`, from, { text, check, expect }))]
      : [],
  );
  const facts = claimsOfFacts(state.trust, assessment.facts ?? [], message, seq);
  return { claims: [...known, ...fresh, ...facts].slice(-limits.claimsKept) };
}

function newClaim(id: string, by: string, told: Pick<Claim, "text" | "check" | "expect">): Claim {
  return { id, by, ...told, spec: checkSpecOf(told.check), withdrawn: "", records: [] };
}

/** Records that were made before the claim was: free ones, and those of a sealed position. */
function knownRecords(state: DialogueState, claim: Claim): Claim {
  return state.trust.evidence
    .filter((note) => (note.claim ?? claim.id) === claim.id)
    .filter(({ spec, expect = "" }) => spec === claim.spec && expect === claim.expect)
    .reduce(withRecord, claim);
}

/** A question that holds a word which the user keeps for itself is the user's to decide. */
function calledByUser(
  { topic, trust }: DialogueState,
  { message, seq }: SentFields,
): Trust["owner"] {
  if (message.type !== "REQUEST") return [];
  const asked = `${topic}\n${message.question_or_proposal.content}`;
  const words = trust.ownerWords.find((word) => holdsWord(asked, word));
  return words === undefined ? [] : [{ by: "user", kind: "user's words", seq, words }];
}

/** Reservations, who says that the decision is the user's, and as which model. */
function saidAfter(state: DialogueState, sent: SentFields): Partial<Trust> {
  const { trust } = state;
  const { message, seq } = sent;
  const { from: by, reservations = [], needs_user = "" } = message;
  const kind = ownerKindIn(message);
  const texts = reservations.map((text) => ({ by, seq, text }));
  const isKnown = trust.owner.some((it) => it.by === by && it.kind === kind);
  const named =
    kind === undefined || isKnown
      ? []
      : [{ by, kind, seq, words: needs_user.slice(0, limits.summaryCharacters) }];
  const model = message.meta?.model?.slice(0, limits.participantCharacters).toWellFormed() ?? "";
  const others = trust.models.filter((it) => it.by !== by);
  return {
    ...(model === "" ? {} : { models: [...others, { by, model }] }),
    reservations: [...trust.reservations, ...texts].slice(-limits.reservationsKept),
    owner: [...trust.owner, ...named, ...calledByUser(state, sent)].slice(-limits.listItems),
  };
}

/** The sender's position from now on, with what it gave for a change of it. */
function holdPosition(state: DialogueState, { message, seq }: SentFields): DialogueState {
  const { from: by, position = "" } = message;
  const side = sideOf(state, by);
  const saidHash = hashOf(normalized(message.question_or_proposal.content));
  const told = withSide(state, by, { saidHash });
  const stands = takesStand(message) || message.type === "REQUEST";
  if (position === "" || !stands) return told;
  const { trust } = told;
  const old = side.stance;
  const isFirst = old.seq === 0;
  const isChange = isFirst || !isSamePosition(old.position, position);
  const { ids, judgement } = readBecause(message.because);
  const evidence = ids.map((id) => `E${id}`);
  const flips =
    isChange && !isFirst
      ? [...trust.flips, { by, seq, from: old.position, to: position, evidence, judgement }]
      : trust.flips;
  const blind =
    !hasReadAnAnswer(state, message) || (state.phase === "talking" && side.sealed !== "");
  const firsts = isFirst ? [...trust.firsts, { by, seq, position, blind }] : trust.firsts;
  const positions = [...trust.positions, { by, seq, position, isChange }];
  return {
    ...withSide(told, by, { stance: isChange ? { position, seq } : old }),
    trust: {
      ...trust,
      firsts,
      flips: flips.slice(-limits.positionsKept),
      positions: positions.slice(-limits.positionsKept),
    },
  };
}

/** An answer by hand has no `position`; a participant that accepts one has read it in any case. */
function hasReadAnAnswer(state: DialogueState, { from, type }: Message): boolean {
  const { stance, byHand, position } = sideOf(state, otherThan(state, from));
  const answered = byHand && position !== "";
  return stance.seq > 0 || type === "AGREE" || answered;
}

/**
 * AGREE of one side stands, with its text for the user, until somebody objects or leaves the
 * position; that of the other then closes. Neither closes alone.
 */
export function offerAfter(state: DialogueState, sent: SentFields): DialogueState {
  const { message, assessment, origin, seq } = sent;
  const { offer } = state.trust;
  if (assessment.objects || assessment.competes === true) {
    const { offer: _void, ...trust } = state.trust;
    const others = withSide(state, message.to, { agreed: false });
    return { ...withSide(others, message.from, { agreed: false }), trust };
  }
  const counts = message.type === "AGREE" && sideOf(state, message.from).agreed;
  if (!counts || origin !== "script" || sideOf(state, message.to).byHand) return state;
  if (offer !== undefined && offer.by !== message.from) return state;
  const text = message.question_or_proposal.content;
  const position = message.position ?? "";
  const accepts = message.accepts ?? 0;
  const made = { by: message.from, seq, accepts, position, text, hash: hashOf(text) };
  const peer = withSide(state, message.to, { agreed: false });
  return { ...peer, trust: { ...state.trust, offer: made } };
}

/** Both accepted one position, and nothing is open: what ends the session; undefined until then. */
export function agreedOutcome(state: DialogueState): DialogueState | undefined {
  const { offer } = state.trust;
  if (offer === undefined || state.phase !== "talking") return undefined;
  const { by, seq, position, text, hash } = offer;
  const confirmer = otherThan(state, by);
  const { lastDraft } = sideOf(state, confirmer);
  const agreed = { position, text, hash, by: confirmer, seq: lastDraft.seq };
  const decision = `${position}\n\n${text}`;
  const { reopened: _, ...closed } = state;
  return {
    ...closed,
    phase: "consensus",
    turn: [],
    outcome: { kind: "consensus", decision, by, seq, confirmed: "agreed", open: [], agreed },
  };
}

/** Why a session that wants every claim seen is not at its end; "" when it is. */
export function unseenText({ trust }: DialogueState): string {
  const unseen = trust.claims.filter(
    (it) => it.withdrawn === "" && it.outcome?.says !== "fails" && !isSeen(it),
  );
  if (!trust.requireSeen || (unseen.length === 0 && trust.claims.length > 0)) return "";
  return unseen.length === 0
    ? "nothing was claimed, and the session was begun with --require seen"
    : `not seen by both sides: ${unseen.map(({ id }) => id).join(", ")} (--require seen)`;
}
