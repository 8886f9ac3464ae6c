import { limits } from "../base/limits.ts";
import { stopWords } from "../base/stop-words.ts";
import { singleLine } from "../base/visible-text.ts";
import { unnamedPeer } from "../protocol/protocol.ts";
import type { Stance } from "./evidence-state.ts";
import type { MessageType } from "./message.ts";
import type { SendAttempt } from "./send-attempt.ts";
import { type DialogueState, otherThan, type Side, sideOf } from "./state.ts";

/** Whether two sentences are one position: letter case, blanks and the last stop aside. */
export function isSamePosition(one: string, other: string): boolean {
  return plainPosition(one) === plainPosition(other);
}

function plainPosition(position: string): string {
  const text = position.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
  return text.replace(/[.!\u3002\s]+$/, "");
}

/** Whether a position holds all that another one says, and more. */
export function takesIn(position: string, other: string): boolean {
  const [whole, part] = [plainPosition(position), plainPosition(other)];
  // Scripts without blanks between words.
  if (/^[^\s\x00-\x7f]+$/.test(part) && whole.includes(part)) return true;
  const telling = (text: string) => wordsOf(text).filter((word) => !stopWords.has(word));
  const [held, wanted] = [telling(whole), telling(part)];
  // A small word alone, such as "not", adds nothing: it turns a position around.
  return (
    wanted.length > 0 && wanted.every((it) => held.includes(it)) && held.length > wanted.length
  );
}

/** As they are written: `C++` is another word than `C#`. */
function wordsOf(position: string): string[] {
  return position.split(/[\s,;:.!?()"']+/).filter((word) => word !== "");
}

const stanceTypes: ReadonlySet<MessageType> = new Set([
  "RESPONSE",
  "EVALUATE",
  "COUNTER_PROPOSE",
  "AGREE",
]);

/** Types that a synthesis makes no stand: the first asks, the others end the session. */
const bareTypes: ReadonlySet<MessageType> = new Set(["REQUEST", "CONSENSUS", "ESCALATE"]);

/** Whether a message answers the question itself: a clarification or a question back does not. */
export function takesStand({
  type,
  question_or_proposal,
  synthesis,
}: Pick<SendAttempt["draft"], "type" | "question_or_proposal" | "synthesis">): boolean {
  if (synthesis !== undefined) return !bareTypes.has(type);
  const kind = question_or_proposal.type ?? "proposal";
  return stanceTypes.has(type) && (type !== "RESPONSE" || kind === "proposal");
}

/** The synthesis of the other side that waits for an answer of this one, and the message that has it. */
export function openSynthesis(state: DialogueState, participant: string): Stance | undefined {
  const other = otherThan(state, participant);
  return state.synthesis.offeredBy === other ? lastStance(state, other) : undefined;
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

/** A participant by hand states no position: ours names it, or what it said is taken for one. */
function acceptedByHand(
  { state, draft, sender }: SendAttempt,
  { stance, position: said }: Side,
): Stance | { fault: string } {
  const own = sideOf(state, sender).stance.position;
  const theirs = stance.position || (says(said, own) ? own : firstSentence(said));
  const position = draft.position ?? theirs;
  if (position !== "") return { position, seq: draft.accepts ?? stance.seq };
  return {
    fault: `AGREE accepts a position, and ${otherThan(state, sender)} has only asked; add position: what is agreed, or send RESPONSE`,
  };
}

/** Whether a text begins with a position, also behind words that lead to it: "Agreed: SQLite." */
function says(text: string, position: string): boolean {
  if (position === "") return false;
  const [first = "", second = ""] = sentencesOf(text);
  const behind = first.replace(/^[^:,]{1,40}[:,]\s+/, "");
  return [text, first, behind, second].some((it) => isSamePosition(it, position));
}

function firstSentence(text: string): string {
  const [sentence = ""] = sentencesOf(text);
  return sentence.slice(0, limits.positionCharacters).toWellFormed();
}

function sentencesOf(text: string): string[] {
  return singleLine(text).split(/(?<=[.!?\u3002])\s/);
}

/** The newest message in which a side took the position that it holds. */
export function lastStance(state: DialogueState, name: string): Stance {
  const { stance } = sideOf(state, name);
  const last = state.trust.positions.findLast(({ by }) => by === name);
  return last === undefined ? stance : { position: stance.position, seq: last.seq };
}

/** Whether the sides may hold two positions: of equal ones there is no synthesis. */
export function isDivided(state: DialogueState, participant: string): boolean {
  const [own, theirs] = [participant, otherThan(state, participant)].map(
    (it) => sideOf(state, it).stance,
  );
  return !own?.seq || !theirs?.seq || !isSamePosition(own.position, theirs.position);
}

/** What a message's position becomes: its synthesis, its own, or that of the message it accepts; "" without. */
export function positionOf(attempt: SendAttempt): string {
  const { state, draft, sender } = attempt;
  if (draft.type === "AGREE") {
    const accepted = acceptedBy(attempt);
    return "fault" in accepted ? (draft.position ?? "") : accepted.position;
  }
  if (!takesStand(draft)) return "";
  const { position = "", synthesis = "" } = draft;
  // What is offered is held, whatever the template had in `position`.
  const held = isDivided(state, sender) ? synthesis || position : position || synthesis;
  return held.slice(0, limits.itemCharacters).toWellFormed();
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
