import { limits } from "../base/limits.ts";
import { stopWords } from "../base/stop-words.ts";
import { singleLine } from "../base/visible-text.ts";
import { unnamedPeer } from "../protocol/protocol.ts";
import type { CheckedDraft, MessageType } from "./message.ts";
import {
  type DialogueState,
  otherThan,
  type Position,
  type SendAttempt,
  type Side,
  sideOf,
} from "./state.ts";

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
  // As they are written, `C++` is another word than `C#`. A small word alone, such as "not", adds nothing.
  const [held = [], wanted = []] = [whole, part].map((text) =>
    text.split(/[\s,;:.!?()"']+/).filter((word) => word !== "" && !stopWords.has(word)),
  );
  const isHeld = wanted.length > 0 && wanted.every((it) => held.includes(it));
  return isHeld && held.length > wanted.length;
}

const positionTypes: readonly MessageType[] = ["RESPONSE", "EVALUATE", "COUNTER_PROPOSE", "AGREE"];

/** Whether a message answers the question itself: a clarification or a question back does not. */
export function statesPosition({
  type,
  question_or_proposal,
  synthesis,
}: Pick<CheckedDraft, "type" | "question_or_proposal" | "synthesis">): boolean {
  if (synthesis !== undefined) return !["REQUEST", "CONSENSUS", "ESCALATE"].includes(type);
  const kind = question_or_proposal.type ?? "proposal";
  return positionTypes.includes(type) && (type !== "RESPONSE" || kind === "proposal");
}

/** The synthesis of the other side that waits for an answer of this one, and the message that has it. */
export function openSynthesis(state: DialogueState, participant: string): Position | undefined {
  const other = otherThan(state, participant);
  return state.synthesis.offeredBy === other ? lastPosition(state, other) : undefined;
}

/** The message that an AGREE takes its position from; the fault when it names none that it can. */
export function acceptedBy(
  attempt: SendAttempt,
): Position | { fault: string; accepts?: number | undefined } {
  const { state, draft, sender } = attempt;
  const other = otherThan(state, sender);
  const theirs = sideOf(state, other);
  if (theirs.byHand) return acceptedByHand(attempt, theirs);
  const offer = state.offer?.by === other ? state.offer : undefined;
  const { position, seq } = offer ?? lastPosition(state, other);
  const peer = peerNameFor(state, sender);
  if (seq === 0) {
    const way = "send RESPONSE or EVALUATE with yours";
    return { fault: `AGREE accepts a position, and ${peer} has taken none yet; ${way}` };
  }
  const what = `message ${seq} (${JSON.stringify(position)})`;
  const { accepts } = draft;
  if (accepts === undefined) {
    const fault = "accepts is missing: AGREE names the message whose position it takes over";
    return { fault: `${fault}, ${what}`, accepts: seq };
  }
  const isNamed = state.positions.some(
    (it) => it.by === other && it.seq === accepts && isSamePosition(it.position, position),
  );
  // Both may name the one message that they accept; the text that stands is confirmed all the same.
  if (offer ? [seq, offer.accepts].includes(accepts) : isNamed) return { position, seq: accepts };
  return {
    fault: `accepts is ${accepts}, but ${peer} stands by ${what}: accept that, or send EVALUATE`,
  };
}

/** A participant by hand states no position: ours names it, or what it said is taken for one. */
function acceptedByHand(
  { state, draft, sender }: SendAttempt,
  { held, position: said }: Side,
): Position | { fault: string } {
  const own = sideOf(state, sender).held.position;
  const theirs = held.position || (says(said, own) ? own : firstSentence(said));
  const position = draft.position ?? theirs;
  if (position !== "") return { position, seq: draft.accepts ?? held.seq };
  const way = "add position: what is agreed, or send RESPONSE";
  const other = otherThan(state, sender);
  return { fault: `AGREE accepts a position, and ${other} has only asked; ${way}` };
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

/** What a side holds, and the newest message in which it said so. */
export function lastPosition(state: DialogueState, name: string): Position {
  const { held } = sideOf(state, name);
  const last = state.positions.findLast(({ by }) => by === name);
  return { ...held, seq: last?.seq ?? held.seq };
}

/** Whether the sides may hold two positions: of equal ones there is no synthesis. */
export function isDivided(state: DialogueState): boolean {
  const [one, other] = state.participants.map((name) => sideOf(state, name).held);
  return !one?.seq || !other?.seq || !isSamePosition(one.position, other.position);
}

/** What a message's position becomes: its synthesis, its own, or that of the message it accepts; "" without. */
export function positionOf(attempt: SendAttempt): string {
  const { state, draft } = attempt;
  const { position = "", synthesis = "" } = draft;
  if (draft.type === "AGREE") {
    const accepted = acceptedBy(attempt);
    return "fault" in accepted ? position : accepted.position;
  }
  if (!statesPosition(draft)) return "";
  // What is offered is held, whatever the template had in `position`.
  const held = isDivided(state) ? synthesis || position : position || synthesis;
  return held.slice(0, limits.itemCharacters).toWellFormed();
}

/** Until both have taken a position, what one reads of the other names no vendor. */
export function peerNameFor(state: DialogueState, reader: string): string {
  return isNamed(state) ? otherThan(state, reader) : unnamedPeer;
}

/** Whether the sides know each other by name: both have taken a position, or one works by hand. */
export function isNamed(state: DialogueState): boolean {
  if (state.outcome !== undefined) return true;
  const sides = state.participants.map((name) => sideOf(state, name));
  return sides.some(({ byHand }) => byHand) || sides.every(({ held }) => held.seq > 0);
}

/** `because`: ids of records, `E9` with words after it; `judgement: ...`; and what is neither. */
export function readBecause(entries: readonly string[] = []) {
  const judgement = /^\s*judge?ment\s*:\s*(\S[\s\S]*)$/i;
  const named = entries.filter((it) => /^\s*E\d+\b/.test(it));
  return {
    ids: named.flatMap((it) => [...it.matchAll(/\bE(\d{1,15})\b/g)].map(([, id]) => Number(id))),
    judgement: entries.flatMap((it) => judgement.exec(it)?.[1] ?? []).join("; "),
    other: entries.filter((it) => !named.includes(it) && !judgement.test(it)),
  };
}
