import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import type { Arguments } from "../../script/arguments.ts";
import { print } from "../../script/output.ts";
import type { DeliveredMessage, NextAction } from "../next-action.ts";
import { commandsFor } from "../session-commands.ts";
import { prepareDrafts } from "./draft-files.ts";
import { nextActionText } from "./next-action-text.ts";

/**
 * Prints what `next-action` found, as text for a model or as JSON for a program; false when nobody
 * reads it. `isWoken`: a hook wakes the participant.
 */
export function printNextAction(args: Arguments, next: NextAction, isWoken: boolean): boolean {
  const commands = commandsFor(args, next.place, next.participant, next.standing);
  if (args.has("json")) {
    const { standing, guidance, colleagues, sent, documentsIn } = next;
    // The others lie in errors/, each with its reason beside it.
    const rejected = next.rejected.slice(0, limits.rejectedTold);
    const letters = cutLetters(next.letters);
    const { wait, report } = commands;
    const lines = {
      // A program hands its draft over on standard input and leaves no file.
      moves: guidance.moves.map((move) => commands.run(move, "-")),
      wait,
      report,
    };
    const found = { standing, guidance, letters, rejected, colleagues, sent, documentsIn };
    const earlier = next.earlier.map(({ place, ...it }) => ({
      session: place.id,
      ...it,
      report: commands.reportOf(place),
    }));
    const known = earlier.length > 0 ? { earlier } : {};
    const waiting = next.waiting === undefined ? {} : { waiting: next.waiting };
    const opened = next.opened.length > 0 ? { opened: next.opened } : {};
    const stray = next.isStray ? { begunHere: false } : {};
    const said = next.words.map(({ seq, at, event, text, isOwn: own }) => ({
      ...{ seq, at, event },
      text,
      own,
    }));
    const words = said.length > 0 ? { user: said } : {};
    const shown = { ...found, isWoken, ...stray, ...words, ...waiting, ...opened, ...known };
    return print(`${JSON.stringify({ ...shown, commands: lines })}\n`);
  }
  prepareDrafts(next);
  return print(nextActionText(next, { ...commands, isWoken }, frameNonce()));
}

/** Drawn after the quoted text was written, so that the text cannot hold it. */
export function frameNonce(): string {
  return Math.random().toString(36).slice(2, 10).padEnd(8, "0");
}

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
