import { limits } from "../base/limits.ts";
import type { Judgement } from "./assess.ts";
import { isDivided, isSamePosition, openSynthesis, peerNameFor, positionOf } from "./stance.ts";
import { otherThan, sideOf } from "./state.ts";

/** It is neither position. */
export function synthesisIsOne({ state, draft, sender }: Judgement): string | undefined {
  const { synthesis } = draft;
  if (synthesis === undefined || draft.type === "AGREE") return undefined;
  // Word for word what the other side offers: it is taken over.
  if (isSamePosition(synthesis, openSynthesis(state, sender)?.position ?? "")) return undefined;
  // Of two equal positions there is nothing to make one of.
  if (!isDivided(state, sender)) return undefined;
  const other = otherThan(state, sender);
  const sides = [
    { name: sender, whose: "your own position" },
    { name: other, whose: `the position of ${peerNameFor(state, sender)}` },
  ].filter(({ name }) => sideOf(state, name).stance.seq > 0);
  const copied = sides.find(({ name }) =>
    isSamePosition(synthesis, sideOf(state, name).stance.position),
  );
  return (
    copied &&
    `synthesis is ${copied.whose} word for word, which is none; name one point of each side`
  );
}

/** AGREE offers nothing, and what is offered becomes a position. */
export function synthesisFits(attempt: Judgement): string | undefined {
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
export function isBySynthesis({ state, draft, sender }: Judgement, now: string): boolean {
  const offered = openSynthesis(state, sender);
  if (offered !== undefined && isSamePosition(now, offered.position)) return true;
  const { position, synthesis } = draft;
  if (draft.type === "AGREE" || synthesis === undefined || !isDivided(state, sender)) return false;
  const old = sideOf(state, sender).stance.position;
  return position === undefined || [old, synthesis].some((it) => isSamePosition(it, position));
}
