import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { Judgement } from "./assess.ts";
import { objection } from "./form-fields.ts";
import type { Lack } from "./rules-for-all.ts";
import { isDivided, isSamePosition, openSynthesis, peerNameFor, positionOf } from "./stance.ts";
import { type DialogueState, otherThan, sideOf } from "./state.ts";
import { type SideWords, takesUp } from "./synthesis-words.ts";

/** It is neither position, and takes something from each. */
export function synthesisIsOne({ state, draft, sender }: Judgement): string | undefined {
  const { synthesis } = draft;
  if (synthesis === undefined || draft.type === "AGREE") return undefined;
  // Word for word what the other side offers: it is taken over.
  if (isSamePosition(synthesis, openSynthesis(state, sender)?.position ?? "")) return undefined;
  // Of two equal positions there is nothing to make one of.
  if (!isDivided(state, sender)) return undefined;
  const other = otherThan(state, sender);
  const sides = [
    { name: sender, against: other, whose: "your own position" },
    { name: other, against: sender, whose: `the position of ${peerNameFor(state, sender)}` },
  ].filter(({ name }) => sideOf(state, name).stance.seq > 0);
  const copied = sides.find(({ name }) =>
    isSamePosition(synthesis, sideOf(state, name).stance.position),
  );
  if (copied !== undefined)
    return `synthesis is ${copied.whose} word for word, which is none; name one point of each side`;
  const missed = sides.find(({ name, against }) => {
    const other = firstOf(state, against);
    // Also what it held first: a synthesis that it offered before has words of both.
    return ![heldBy, firstOf].some((of) => takesUp(synthesis, of(state, name), other));
  });
  if (missed === undefined) return undefined;
  const { position } = sideOf(state, missed.name).stance;
  return `synthesis takes up nothing of ${missed.whose} (${inline(position)}); name one point of each side`;
}

function heldBy(state: DialogueState, name: string): SideWords {
  const { stance, said } = sideOf(state, name);
  return { position: stance.position, said };
}

/** What a side held before it took up anything: later its position has words of both. */
function firstOf(state: DialogueState, name: string): SideWords {
  const first = state.trust.firsts.find(({ by }) => by === name);
  const held = heldBy(state, name);
  return first === undefined ? held : { ...held, position: first.position };
}

/** A synthesis is taken over or objected to, and nobody offers and accepts at once. */
export function synthesisIsAnswered(attempt: Judgement): Lack | string | undefined {
  const { state, draft, sender, assessment, isStored } = attempt;
  const { synthesis, type } = draft;
  // Earlier versions took such messages.
  if (isStored) return undefined;
  if (type === "AGREE") {
    if (synthesis === undefined || isSamePosition(synthesis, positionOf(attempt))) return undefined;
    return "AGREE accepts what is there, and synthesis offers something else; leave synthesis out, or send EVALUATE with it";
  }
  const max = limits.itemCharacters;
  if (synthesis !== undefined && synthesis.length > max)
    return `synthesis has ${synthesis.length} characters, expected at most ${max}: it becomes a position; content takes the rest`;
  const offered = openSynthesis(state, sender);
  const isClear = synthesis !== undefined || assessment.objects || assessment.competes !== true;
  if (offered === undefined || isClear || (draft.reply_to ?? offered.seq) < offered.seq)
    return undefined;
  const reason =
    `message ${offered.seq} offers a synthesis (${inline(offered.position)}), and this neither takes it over nor says ` +
    `what is wrong with it: send AGREE with accepts: ${offered.seq}, or object`;
  return { reason, add: objection };
}

/**
 * A synthesis has something of both: it is cause enough for who offers it and for who takes it over. A new position
 * beside it, which is not its words, has to have a cause of its own.
 */
export function isBySynthesis({ state, draft, sender }: Judgement, now: string): boolean {
  const offered = openSynthesis(state, sender);
  if (offered !== undefined && isSamePosition(now, offered.position)) return true;
  const { position, synthesis } = draft;
  if (draft.type === "AGREE" || synthesis === undefined || !isDivided(state, sender)) return false;
  const old = sideOf(state, sender).stance.position;
  return position === undefined || [old, synthesis].some((it) => isSamePosition(it, position));
}
