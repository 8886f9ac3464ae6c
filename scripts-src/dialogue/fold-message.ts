import { limits } from "../base/limits.ts";
import { notBefore, stampIn } from "../base/time.ts";
import { parseCheckSpec, specText } from "../protocol/check-spec.ts";
import { proposes, withMessageMarks } from "./assess.ts";
import { withChangedRuns } from "./changed-runs.ts";
import {
  factsNamed,
  isFactId,
  isFor,
  ownClaim,
  ownRecord,
  recordOfFact,
  withRecord,
} from "./claims.ts";
import type { SentFields } from "./event.ts";
import { type Check, type Message, ownerKindIn } from "./message.ts";
import { trackObligations } from "./obligations.ts";
import { disagreementsIn } from "./phrases.ts";
import { causeOf, isSamePosition, statesPosition } from "./positions.ts";
import { hashOf, holdsText, holdsWord, normalized, questionsIn } from "./prose.ts";
import {
  type Claim,
  type DialogueState,
  type EvidenceNote,
  type Objection,
  sideOf,
  withMail,
  withSide,
} from "./state.ts";

/** What one message does, step by step, but for the turn and the end that follow from it. */
export function absorb(before: DialogueState, sent: SentFields): DialogueState {
  const steps = [
    countRound,
    withMessageMarks,
    withClaims,
    withSayings,
    holdPosition,
    recordSender,
    deliver,
    mergePoints,
    trackObligations,
    settleAgreement,
    offerAfter,
  ];
  return steps.reduce((state, step) => step(state, sent), before);
}

/** A second message in one turn, which only a colleague by hand can bring: it opens no round. */
export function isAddition(
  { phase, mode, turn, sentInRound }: DialogueState,
  { message: { from } }: SentFields,
): boolean {
  const isFree = mode === "parallelo" && phase === "talking";
  if (isFree || (phase !== "talking" && phase !== "agreed")) return false;
  return !turn.includes(from) && sentInRound.includes(from);
}

function countRound(before: DialogueState, sent: SentFields): DialogueState {
  const { message, file, origin } = sent;
  const isFull = before.sentInRound.length >= before.participants.length;
  const opens = isFull && !isAddition(before, sent);
  const fresh = {
    ...{ sentInRound: [], counterProposedInRound: [], round: before.round + 1 },
    ...{ progressInRound: before.progressNext, progressNext: false },
  };
  const state = opens ? { ...before, ...fresh } : before;
  const isQuestion = message.type === "REQUEST";
  const begun = state.mode === "competitiva" ? "sealing" : "talking";
  return {
    ...state,
    ...(isQuestion ? goalIn(message, state) : {}),
    phase: state.phase === "asking" ? begun : state.phase,
    begunByHand: state.begunByHand || (isQuestion && origin === "inbox"),
    lastRound: Math.max(state.lastRound, message.round),
    lastStamp: notBefore(state.lastStamp, stampIn(file) ?? ""),
    sentInRound: [...new Set([...state.sentInRound, message.from])],
  };
}

/** What is asked, and what its author says that the user wants beside it. */
function goalIn(
  { question_or_proposal, context }: Message,
  { topic }: DialogueState,
): Pick<DialogueState, "goal" | "wish"> {
  const goal = question_or_proposal.content.slice(0, limits.itemCharacters);
  const wish = context?.user_instructions?.slice(0, limits.itemCharacters) ?? "";
  // Scripts fill the topic in.
  const isKnown = [goal, topic].some((it) => normalized(it).includes(normalized(wish)));
  return { goal, wish: isKnown ? "" : wish };
}

/** New claims, those taken back, and what the other side says of them. */
function withClaims(state: DialogueState, { message, seq, assessment }: SentFields): DialogueState {
  const { from, checks = [], withdrawn = [], claims = [], kept = [] } = message;
  const gone = new Map(withdrawn.map(({ claim, because }) => [claim, because]));
  for (const { text, withdrawn: because } of claims) {
    const own = because === undefined ? undefined : ownClaim(state, from, text);
    if (own !== undefined) gone.set(own.id, because ?? "");
  }
  const known = state.claims.map((it): Claim => {
    const check = checks.findLast(({ claim }) => claim === it.id);
    const keeping = kept.findLast(({ claim }) => claim === it.id);
    const because = keeping?.because;
    const claim = {
      ...factAfterCheck(state, it, from, check),
      ...(because === undefined ? {} : { kept: { by: from, because } }),
    };
    if (claim.by === from) return { ...claim, withdrawn: gone.get(claim.id) ?? claim.withdrawn };
    if (check === undefined) return claim;
    const { outcome: says, reason, evidence } = check;
    const told = says === "not_run" ? (reason ?? evidence) : reason;
    const outcome = { by: from, seq, says, reason: says === "holds" ? "" : (told ?? "") };
    return { ...claim, outcome };
  });
  const fresh = claims.flatMap(({ text, check, expect = "", withdrawn }, at): Claim[] => {
    if (withdrawn !== undefined) return [];
    const spec = parseCheckSpec(check);
    const claim: Claim = {
      ...{ id: `C${seq}.${at + 1}`, by: from, text, expect, withdrawn: "", records: [] },
      // Words that are no check stay as they are.
      spec: "fault" in spec ? check.trim() : specText(spec),
    };
    // Records that were made before it: free ones, and those of a sealed position.
    return [state.evidence.filter((note) => isFor(note, claim)).reduce(withRecord, claim)];
  });
  const facts = claimsOfFacts(state, message, seq);
  const next = { ...state, claims: [...known, ...fresh, ...facts].slice(-limits.claimsKept) };
  // Each AGREE looks again at the files that its sender's commands saw.
  return message.type === "AGREE" ? withChangedRuns(next, from, assessment.changed) : next;
}

/** The facts that a message disputes first as claims: who disputes one says that the other side asserts it. */
function claimsOfFacts(state: DialogueState, message: Message, seq: number): Claim[] {
  const { from, to } = message;
  return factsNamed(state, message).map(({ point, because, evidence }, index): Claim => {
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

/** A fact after what a side says of it; any other claim as it is. */
function factAfterCheck(state: DialogueState, claim: Claim, by: string, check?: Check): Claim {
  if (check === undefined || !isFactId(claim.id) || check.outcome === "not_run") return claim;
  const note = recordOfFact(state, by, claim, check.evidence);
  return note === undefined ? claim : withFactRecord(claim, note, check.outcome);
}

/** Reservations, who says that the decision is the user's, and as which model. */
function withSayings(state: DialogueState, { message, seq }: SentFields): DialogueState {
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
    ...state,
    models: model === "" ? state.models : [...others, { by, model }],
    reservations: [...state.reservations, ...texts].slice(-limits.reservationsKept),
    owner: [...state.owner, ...named, ...called].slice(-limits.listItems),
  };
}

/** The sender's position from now on, with what it gave for a change of it. */
function holdPosition(state: DialogueState, { message, seq }: SentFields): DialogueState {
  const { from: by, to, type, position = "" } = message;
  const { held, sealed } = sideOf(state, by);
  const saidHash = hashOf(normalized(message.question_or_proposal.content));
  const told = withSide(state, by, { saidHash });
  if (position === "" || !(statesPosition(message) || type === "REQUEST")) return told;
  const isFirst = held.seq === 0;
  const isChange = isFirst || !isSamePosition(held.position, position);
  const flip = { by, seq, from: held.position, to: position, ...causeOf(state, message) };
  // An answer by hand has no `position`; a participant that accepts one has read it in any case.
  const other = sideOf(state, to);
  const hasRead = other.held.seq > 0 || type === "AGREE" || (other.byHand && other.position !== "");
  const blind = (state.phase === "talking" && sealed !== "") || !hasRead;
  const kept = <Item>(items: Item[]) => items.slice(-limits.positionsKept);
  return {
    ...(isChange ? withSide(told, by, { held: { position, seq } }) : told),
    firsts: isFirst ? [...state.firsts, { by, seq, position, blind }] : state.firsts,
    flips: kept(isChange && !isFirst ? [...state.flips, flip] : state.flips),
    positions: kept([...state.positions, { by, seq, position }]),
  };
}

function recordSender(
  state: DialogueState,
  { message, draft, seq, at, assessment, origin }: SentFields,
): DialogueState {
  const { from, type, synthesis = "", discoveries, confidence, objections = [] } = message;
  const side = sideOf(state, from);
  const { content } = message.question_or_proposal;
  const said = [
    ...[content, synthesis, discoveries?.conclusions ?? ""],
    ...objections.map(({ point, because }) => `${point} ${because}`),
    ...(message.agreements_so_far ?? []),
    ...(message.disagreements_pending ?? []),
  ].join("\n");
  const confidences = confidence === undefined ? [] : [confidence];
  const counters = type === "COUNTER_PROPOSE" ? [from] : [];
  return {
    ...withSide(state, from, {
      unanswered: side.unanswered.filter(({ seq }) => seq > (message.reply_to ?? seq)),
      unansweredEarlier: 0,
      said: said.slice(0, 2 * limits.itemCharacters),
      position: message.position ?? positionAfter(state, message),
      proposal: proposes(message) ? content.slice(0, limits.itemCharacters) : "",
      byHand: origin === "inbox",
      expectsNothing: origin === "inbox" && !message.expects_reply,
      confidences: [...side.confidences, ...confidences].slice(-8),
      sentCount: side.sentCount + 1,
      ...{ lastAt: at, lastDraft: { hash: draft, seq } },
      objectionStreak: assessment.onlyObjects ? side.objectionStreak + 1 : 0,
    }),
    progressInRound: state.progressInRound || assessment.progress.length > 0,
    counted: [...state.counted, ...assessment.progress].slice(-limits.rememberedItems),
    counterProposedInRound: [...new Set([...state.counterProposedInRound, ...counters])],
  };
}

/** The sender's position as a message leaves it that names none: a question is no position. */
function positionAfter(state: DialogueState, message: Message): string {
  const { from, to, type } = message;
  const { position } = sideOf(state, from);
  const { content, type: kind } = message.question_or_proposal;
  const says = content.slice(0, limits.itemCharacters);
  // It agrees to what the other side holds, in whichever words.
  if (type === "AGREE") return sideOf(state, to).held.position || says;
  if (type === "ESCALATE") return position || says;
  // A REQUEST that asks nothing proposes something.
  const isProposal = type === "REQUEST" && kind === "proposal" && questionsIn(content).length === 0;
  return statesPosition(message) || type === "CONSENSUS" || isProposal ? says : position;
}

export function deliver(state: DialogueState, { message, seq, file }: SentFields): DialogueState {
  return withMail(state, message.to, { seq, from: message.from, type: message.type, file });
}

/** Agreements only grow; a disagreement keeps the round in which it came up. */
function mergePoints(state: DialogueState, { message }: SentFields): DialogueState {
  const { from: by, agreements_so_far: agreed = [], disagreements_pending: points = [] } = message;
  const raised = new Map(state.disagreements.map((it) => [normalized(it.point), it]));
  const fresh = agreed.filter((point) => !holdsText(state.agreements, point));
  return {
    ...state,
    agreements: [...state.agreements, ...fresh],
    disagreements: points.map((point) => ({
      ...{ since: state.round, by, ...raised.get(normalized(point)), point },
    })),
  };
}

/** AGREE stands until somebody objects, an objection until it is taken back or one side gives in. */
function settleAgreement(before: DialogueState, sent: SentFields): DialogueState {
  const { message, assessment } = sent;
  const { from, to, type, confidence, resolved = [] } = message;
  const own = sideOf(before, from).objections;
  if (assessment.objects) {
    // A check that fails disputes a claim, and what was objected to before as well.
    const found = objectionsIn(sent);
    const objections = found.length > 0 ? found : own;
    return withSide(withSide(before, to, { agreed: false }), from, { agreed: false, objections });
  }
  const settled = resolved.map(({ point }) => point);
  const objections = own.filter(({ point }) => !holdsText(settled, point));
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
  const listed = objections.map(({ point, because }) => ({ point, because }));
  const said = words.map((it) => ({
    ...{ point: it.slice(0, limits.itemCharacters).toWellFormed(), because: "" },
  }));
  return (listed.length > 0 ? listed : said).slice(-limits.pointsShown);
}

/**
 * AGREE of one side stands, with its text for the user, until somebody objects or leaves the
 * position; that of the other then closes. Neither closes alone.
 */
function offerAfter(state: DialogueState, sent: SentFields): DialogueState {
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
