import { limits } from "../base/limits.ts";
import { singleLine } from "../base/visible-text.ts";
import { unnamedPeer } from "../protocol/protocol.ts";
import type { SendAttempt } from "./attempt.ts";
import type { MessageType } from "./message.ts";
import { type DialogueState, otherThan, type Side, sideOf } from "./state.ts";
import type { Stance } from "./trust.ts";

/** Whether two sentences are one position: letter case, blanks and the last stop aside. */
export function isSamePosition(one: string, other: string): boolean {
  return plainPosition(one) === plainPosition(other);
}

function plainPosition(position: string): string {
  const text = position.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
  return text.replace(/[.!\u3002\s]+$/, "");
}

const stanceTypes: ReadonlySet<MessageType> = new Set([
  "RESPONSE",
  "EVALUATE",
  "COUNTER_PROPOSE",
  "AGREE",
]);

/** Whether a message answers the question itself: a clarification or a question back does not. */
export function takesStand({
  type,
  question_or_proposal,
}: Pick<SendAttempt["draft"], "type" | "question_or_proposal">): boolean {
  const kind = question_or_proposal.type ?? "proposal";
  return stanceTypes.has(type) && (type !== "RESPONSE" || kind === "proposal");
}

/** The message that an AGREE takes its position from; the fault when it names none that it can. */
export function acceptedBy(attempt: SendAttempt): Stance | { fault: string; accepts?: number } {
  const { state, draft, sender } = attempt;
  const other = otherThan(state, sender);
  const { offer } = state.trust;
  const theirs = sideOf(state, other);
  const { accepts: seq } = draft;
  if (theirs.byHand) return acceptedByHand(attempt, theirs);
  const wanted: Stance =
    offer?.by === other ? { position: offer.position, seq: offer.seq } : lastStance(state, other);
  if (wanted.seq === 0) {
    return {
      fault: `AGREE accepts a position, and ${peerNameFor(state, sender)} has taken none yet; send RESPONSE or EVALUATE with yours`,
    };
  }
  const what = `message ${wanted.seq} (${JSON.stringify(wanted.position)})`;
  if (seq === undefined)
    return {
      fault: `accepts is missing: AGREE names the message whose position it takes over, ${what}`,
      accepts: wanted.seq,
    };
  // Both may name the one message that they accept; the text that stands is confirmed all the same.
  if (offer?.by === other && seq === offer.accepts) return { position: offer.position, seq };
  if (offer?.by === other && seq !== offer.seq) {
    return {
      fault: `accepts is ${seq}, but ${peerNameFor(state, sender)} has agreed since: accepts: ${offer.seq} confirms its text for the user and ${what}`,
    };
  }
  const named = state.trust.positions.find((it) => it.seq === seq && it.by === other);
  if (named === undefined)
    return {
      fault: `accepts is ${seq}, which is no message with a position of ${peerNameFor(state, sender)}; expected ${wanted.seq}`,
    };
  if (!isSamePosition(named.position, wanted.position))
    return {
      fault: `accepts is ${seq}, whose position was given up since; accept ${what}, or send EVALUATE`,
    };
  return { position: wanted.position, seq };
}

/** A participant by hand states no position: its first sentence is taken for one, or ours names it. */
function acceptedByHand({ draft }: SendAttempt, { stance, position: said }: Side): Stance {
  const [sentence = ""] = singleLine(said).split(/(?<=[.!?\u3002])\s/);
  const theirs = stance.position || sentence;
  const position = (draft.position ?? theirs).slice(0, limits.positionCharacters).toWellFormed();
  return { position, seq: draft.accepts ?? stance.seq };
}

/** The newest message in which a side took the position that it holds. */
export function lastStance(state: DialogueState, name: string): Stance {
  const { stance } = sideOf(state, name);
  const last = state.trust.positions.findLast(({ by }) => by === name);
  return last === undefined ? stance : { position: stance.position, seq: last.seq };
}

/** What a message's position becomes: its own, or that of the message it accepts; "" without. */
export function positionOf(attempt: SendAttempt): string {
  const { draft } = attempt;
  if (draft.type !== "AGREE") return takesStand(draft) ? (draft.position ?? "") : "";
  const accepted = acceptedBy(attempt);
  return "fault" in accepted ? (draft.position ?? "") : accepted.position;
}

/** Until both have taken a stand, what one reads of the other names no vendor. */
export function peerNameFor(state: DialogueState, reader: string): string {
  const other = otherThan(state, reader);
  return isNamed(state) ? other : unnamedPeer;
}

/** Whether the sides know each other by name: both have taken a stand, or one works by hand. */
export function isNamed(state: DialogueState): boolean {
  if (state.outcome !== undefined) return true;
  const sides = state.participants.map((name) => sideOf(state, name));
  return sides.some(({ byHand }) => byHand) || sides.every(({ stance }) => stance.seq > 0);
}

/** `E9` and the words after it, or `judgement: ...`. */
export interface Because {
  readonly ids: readonly number[];
  readonly judgement: string;
  /** Entries that are neither. */
  readonly other: readonly string[];
}

export function readBecause(entries: readonly string[] = []): Because {
  const judgements = entries.flatMap(
    (it) => /^\s*judge?ment\s*:\s*(\S[\s\S]*)$/i.exec(it)?.[1] ?? [],
  );
  const named = entries.filter((it) => /^\s*E\d+\b/.test(it));
  const ids = named.flatMap((it) =>
    [...it.matchAll(/\bE(\d{1,15})\b/g)].map(([, seq]) => Number(seq)),
  );
  const other = entries.filter((it) => !named.includes(it) && !/^\s*judge?ment\s*:\s*\S/i.test(it));
  return { ids, judgement: judgements.join("; "), other };
}
