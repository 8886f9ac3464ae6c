import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { hasWord, singleLine } from "../base/visible-text.ts";
import { stopWords } from "../base/words.ts";
import { unnamedPeer } from "../protocol/protocol.ts";
import { evidenceId } from "./claims.ts";
import { blank, type CheckedDraft, type Message } from "./message.ts";
import { normalized } from "./prose.ts";
import {
  type DialogueState,
  type EvidenceNote,
  type Judgement,
  type Lack,
  otherThan,
  type Position,
  type Rule,
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

/** Whether a message answers the question itself: a clarification or a question back does not. */
export function statesPosition({
  type,
  question_or_proposal,
  synthesis,
}: Pick<CheckedDraft, "type" | "question_or_proposal" | "synthesis">): boolean {
  if (synthesis !== undefined) return !["REQUEST", "CONSENSUS", "ESCALATE"].includes(type);
  if (type === "RESPONSE") return (question_or_proposal.type ?? "proposal") === "proposal";
  return ["EVALUATE", "COUNTER_PROPOSE", "AGREE"].includes(type);
}

/** The synthesis of the other side that waits for an answer of this one, and the message that has it. */
export function openSynthesis(state: DialogueState, participant: string): Position | undefined {
  const other = otherThan(state, participant);
  return state.synthesis.offeredBy === other ? lastPosition(state, other) : undefined;
}

interface NotAccepted {
  readonly fault: string;
  readonly accepts?: number | undefined;
}

/** The message that an AGREE takes its position from; the fault when it names none that it can. */
function acceptedBy(attempt: SendAttempt): Position | NotAccepted {
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
): Position | NotAccepted {
  const own = sideOf(state, sender).held.position;
  const [first = "", second = ""] = singleLine(said).split(/(?<=[.!?\u3002])\s/);
  // Also behind words that lead to it: "Agreed: SQLite."
  const parts = [said, first, first.replace(/^[^:,]{1,40}[:,]\s+/, ""), second];
  const isOwn = own !== "" && parts.some((it) => isSamePosition(it, own));
  const stated = isOwn ? own : first.slice(0, limits.positionCharacters).toWellFormed();
  const position = draft.position ?? (held.position || stated);
  if (position !== "") return { position, seq: draft.accepts ?? held.seq };
  const way = "add position: what is agreed, or send RESPONSE";
  const other = otherThan(state, sender);
  return { fault: `AGREE accepts a position, and ${other} has only asked; ${way}` };
}

/** What a side holds, and the newest message in which it said so. */
export function lastPosition(state: DialogueState, name: string): Position {
  const { held } = sideOf(state, name);
  const last = state.positions.findLast(({ by }) => by === name);
  return { ...held, seq: last?.seq ?? held.seq };
}

/** Whether the sides may hold two positions: of equal ones there is no synthesis. */
function isDivided(state: DialogueState): boolean {
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
  const sides = state.participants.map((name) => sideOf(state, name));
  const isOver = state.outcome !== undefined || sides.some(({ byHand }) => byHand);
  return isOver || sides.every(({ held }) => held.seq > 0);
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

/** What a change rests on: records of what is disputed or told; any other that it names is told as judgement. */
export function causeOf(state: DialogueState, message: Message) {
  const { ids, judgement } = readBecause(message.because);
  const named = state.evidence.filter(({ seq }) => ids.includes(seq));
  const strays = named.filter((note) => !isOfMatter(state, message, note));
  const told = strays.map((it) => `${evidenceId(it)} (${it.spec}), of which nothing here speaks`);
  const kept = ids.filter((id) => !strays.some(({ seq }) => seq === id)).map((id) => `E${id}`);
  return { evidence: kept, judgement: [judgement, ...told].filter((it) => it !== "").join("; ") };
}

/** A claim rests on it, its message says something that it shows, or the dispute names a file or words that it looked at. */
function isOfMatter(state: DialogueState, message: Message, note: EvidenceNote): boolean {
  const { claims, disagreements, obligations } = state;
  const isOfClaim = claims.some(({ records }) => records.some(({ seq }) => seq === note.seq));
  if (note.claim !== undefined || isOfClaim) return true;
  const { position = "", because = [], question_or_proposal: proposal } = message;
  const own = normalized([proposal.content, position, ...because].join(" ")).split(" ");
  const shown = normalized(note.shown).split(" ");
  if (own.some((it) => it.length > 3 && shown.includes(it))) return true;
  const said = Object.values(state.sides).map((it) => it.said);
  const matter = JSON.stringify([message, claims, disagreements, obligations, said]);
  const places = note.spec.match(/[\w@+-]+\.[a-z]\w*|(?<=^find ")[^"]+/gu) ?? [];
  return places.some((it) => matter.includes(it));
}

/** Positions are compared, not words, and both accept the same one. */
export const rulesOfPositions: Rule[] = [
  positionGiven,
  acceptsAPosition,
  changeHasACause,
  synthesisIsOne,
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
  // Its own position is what the template had in this field.
  const known = [accepted.position, sideOf(state, sender).held.position];
  if (position === undefined || known.some((it) => isSamePosition(it, position))) return undefined;
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

/** It is neither position, and AGREE offers none: what is offered becomes a position. */
function synthesisIsOne(attempt: Judgement): string | undefined {
  const { state, draft, sender } = attempt;
  const { synthesis, type } = draft;
  if (synthesis === undefined) return undefined;
  if (type === "AGREE")
    return isSamePosition(synthesis, positionOf(attempt))
      ? undefined
      : "AGREE accepts what is there, and synthesis offers something else; leave synthesis out, or send EVALUATE with it";
  const max = limits.itemCharacters;
  if (synthesis.length > max)
    return `synthesis has ${synthesis.length} characters, expected at most ${max}: it becomes a position; content takes the rest`;
  // Of two equal positions there is nothing to make one of; what the other side offers may be taken over.
  const isOffered = isSamePosition(synthesis, openSynthesis(state, sender)?.position ?? "");
  if (isOffered || !isDivided(state)) return undefined;
  const copied = state.participants.find((name) => {
    const { held } = sideOf(state, name);
    return held.seq > 0 && isSamePosition(synthesis, held.position);
  });
  if (copied === undefined) return undefined;
  const whose =
    copied === sender ? "your own position" : `the position of ${peerNameFor(state, sender)}`;
  return `synthesis is ${whose} word for word, which is none; name one point of each side`;
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
