import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { hasWord } from "../base/visible-text.ts";
import type { Judgement, Lack, Rule } from "./assess.ts";
import { blank } from "./blanks.ts";
import { evidenceId } from "./claims.ts";
import {
  acceptedBy,
  isDivided,
  isSamePosition,
  lastPosition,
  openSynthesis,
  peerNameFor,
  positionOf,
  readBecause,
  statesPosition,
} from "./positions.ts";
import { type DialogueState, type EvidenceNote, sideOf } from "./state.ts";

/** Positions are compared, not words, and both accept the same one. */
export const rulesOfPositions: Rule[] = [
  positionGiven,
  acceptsAPosition,
  changeHasACause,
  synthesisIsOne,
  synthesisFits,
];

function positionGiven({ state, draft, sender }: Judgement): Lack | string | undefined {
  const { type, position, synthesis } = draft;
  const max = limits.positionCharacters;
  if (position === undefined) {
    if (type === "AGREE" || !statesPosition(draft) || synthesis !== undefined) return undefined;
    const what = `needs your answer to the question in one sentence (at most ${max} characters)`;
    const add = { position: sideOf(state, sender).held.position || blank.position };
    return { reason: `position is missing; ${type} ${what}`, add };
  }
  if (!hasWord(position))
    return `position is ${inline(position)}; write your answer to the question in one sentence`;
  // A synthesis, which is as long as its author wants, is copied as it is.
  const held = state.participants.map((name) => sideOf(state, name).held.position);
  const isKnown = [...held, synthesis ?? ""].some((it) => isSamePosition(it, position));
  if (position.length <= max || isKnown) return undefined;
  return `position has ${position.length} characters, expected one sentence of at most ${max} characters; content takes the rest`;
}

function acceptsAPosition(attempt: Judgement): Lack | string | undefined {
  const { state, draft, sender } = attempt;
  const { type, accepts, position } = draft;
  if (type !== "AGREE")
    return accepts === undefined
      ? undefined
      : `accepts belongs to AGREE, ${type} came; send AGREE, or leave it out`;
  const accepted = acceptedBy(attempt);
  if ("fault" in accepted) {
    const { fault: reason, accepts } = accepted;
    return accepts === undefined ? reason : { reason, add: { accepts } };
  }
  if (position === undefined) return undefined;
  // Its own position is what the template had in this field.
  const own = sideOf(state, sender).held.position;
  if ([accepted.position, own].some((it) => isSamePosition(it, position))) return undefined;
  return (
    `AGREE takes over the position of message ${accepted.seq}, ${inline(accepted.position)}, but position is ` +
    `${inline(position)}; leave it out, or send EVALUATE with yours`
  );
}

/** A participant whose position changes says by which evidence, or that it is judgement. */
function changeHasACause(attempt: Judgement): Lack | string | undefined {
  const { state, draft, sender } = attempt;
  const { ids, judgement, other } = readBecause(draft.because);
  const [odd] = other;
  const old = sideOf(state, sender).held;
  const now = positionOf(attempt);
  const isChange = old.seq > 0 && now !== "" && !isSamePosition(now, old.position);
  const how = `because: "judgement: ...", or the ids of evidence newer than message ${old.seq}`;
  if (odd !== undefined && isChange) return `because is ${inline(odd)}; expected ${how}`;
  const unknown = ids.find((id) => !state.evidence.some(({ seq }) => seq === id));
  if (unknown !== undefined)
    return `because names E${unknown}, which is no evidence of this session`;
  if (!isChange || judgement !== "") return undefined;
  if (ids.length === 0 && isBySynthesis(attempt, now)) return undefined;
  const news = state.evidence.filter((note) => isNews(state, sender, note));
  if (news.some(({ seq }) => ids.includes(seq))) return undefined;
  const [first] = ids;
  if (first !== undefined)
    return `because names E${first}, which shows nothing that you had not seen when you wrote message ${old.seq}; expected ${how}`;
  const reason = `your position changed (message ${old.seq} said ${inline(old.position)}); expected ${how}`;
  const own = news.findLast(({ by }) => by === sender);
  return { reason, add: { because: own === undefined ? blank.judgement : [evidenceId(own)] } };
}

/** Whether a record shows what a side had not looked at when it last stood by its position. */
function isNews(state: DialogueState, sender: string, note: EvidenceNote): boolean {
  const { seq } = lastPosition(state, sender);
  const { evidence, claims } = state;
  // Lines and searches of a claim are read when it is sent, and stored after it.
  const cameWithClaim = (it: EvidenceNote) =>
    it.kind !== "run" &&
    claims.some(({ id, by }) => id === it.claim && by === sender) &&
    evidence.find(({ by, claim }) => by === sender && claim === it.claim) === it;
  const isKnown = (it: EvidenceNote) => it.seq < seq || (it.by === sender && cameWithClaim(it));
  const isSameLook = (it: EvidenceNote) =>
    it.spec === note.spec &&
    it.met === note.met &&
    (it.kind === "run" || it.sha256 === note.sha256);
  if (isKnown(note)) return false;
  return !evidence.some((it) => it.by === sender && isKnown(it) && isSameLook(it));
}

/** It is neither position. */
function synthesisIsOne({ state, draft, sender }: Judgement): string | undefined {
  const { synthesis } = draft;
  // Of two equal positions there is nothing to make one of.
  if (synthesis === undefined || draft.type === "AGREE" || !isDivided(state)) return undefined;
  // Word for word what the other side offers: it is taken over.
  if (isSamePosition(synthesis, openSynthesis(state, sender)?.position ?? "")) return undefined;
  const copied = state.participants.find((name) => {
    const { held } = sideOf(state, name);
    return held.seq > 0 && isSamePosition(synthesis, held.position);
  });
  if (copied === undefined) return undefined;
  const whose =
    copied === sender ? "your own position" : `the position of ${peerNameFor(state, sender)}`;
  return `synthesis is ${whose} word for word, which is none; name one point of each side`;
}

/** AGREE offers nothing, and what is offered becomes a position. */
function synthesisFits(attempt: Judgement): string | undefined {
  const { synthesis, type } = attempt.draft;
  if (synthesis === undefined) return undefined;
  if (type === "AGREE")
    return isSamePosition(synthesis, positionOf(attempt))
      ? undefined
      : "AGREE accepts what is there, and synthesis offers something else; leave synthesis out, or send EVALUATE with it";
  const max = limits.itemCharacters;
  if (synthesis.length <= max) return undefined;
  return `synthesis has ${synthesis.length} characters, expected at most ${max}: it becomes a position; content takes the rest`;
}

/**
 * A synthesis has something of both: it is cause enough for who offers it and for who takes it over. A new position
 * beside it, which is not its words, has to have a cause of its own.
 */
function isBySynthesis({ state, draft, sender }: Judgement, now: string): boolean {
  const offered = openSynthesis(state, sender);
  if (offered !== undefined && isSamePosition(now, offered.position)) return true;
  const { position, synthesis } = draft;
  if (draft.type === "AGREE" || synthesis === undefined || !isDivided(state)) return false;
  const old = sideOf(state, sender).held.position;
  return position === undefined || [old, synthesis].some((it) => isSamePosition(it, position));
}
