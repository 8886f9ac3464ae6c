import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import type { DeliveredMessage } from "../next-action.ts";

/** A letter as a program is given it: `cut` when the whole message is only in the file at `path`. */
export interface CutLetter extends DeliveredMessage {
  readonly cut?: true;
}

/** Letters for a program, within the bound that their quotations have together. */
export function cutLetters(letters: readonly DeliveredMessage[]): CutLetter[] {
  let left: number = limits.quotesCharacters;
  return letters.map((letter, index) => {
    const length = JSON.stringify(letter.message).length;
    const kept = (letters.length - index - 1) * limits.leastQuoteCharacters;
    const most = Math.max(limits.leastQuoteCharacters, left - kept);
    left -= Math.min(length, most);
    if (length <= most) return letter;
    return { ...letter, message: cutValue(letter.message, { left: most }), cut: true };
  });
}

/** The beginning of a value: strings are cut, and what finds no room is left out. */
function cutValue(value: JsonValue, room: { left: number }): JsonValue {
  if (typeof value === "string") {
    const shown = value.slice(0, Math.min(room.left, limits.quoteCharacters)).toWellFormed();
    room.left -= shown.length + 2;
    return shown.length < value.length ? `${shown}...` : shown;
  }
  if (Array.isArray(value)) {
    return value.flatMap((item) => (room.left > 0 ? [cutValue(item, room)] : []));
  }
  room.left -= 8;
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).flatMap(([name, part]) => {
    if (room.left <= 0 || part === undefined) return [];
    room.left -= name.length + 4;
    return [[name, cutValue(part, room)] as const];
  });
  return Object.fromEntries(kept);
}
