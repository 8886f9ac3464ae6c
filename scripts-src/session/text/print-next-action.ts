import { limits } from "../../base/limits.ts";
import type { Arguments } from "../../script/arguments.ts";
import { print } from "../../script/output.ts";
import type { NextAction } from "../next-action.ts";
import { commandsFor } from "../session-commands.ts";
import { cutLetters } from "./cut-messages.ts";
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
