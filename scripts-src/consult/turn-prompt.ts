import { literalPrompt } from "../base/quote-text.ts";
import { asLine } from "../base/visible-text.ts";
import { readerAnywhere } from "../script/command-line.ts";
import type { NextAction } from "../session/next-action.ts";
import { commandsAt, sessionAt } from "../session/session-commands.ts";
import { prepareDrafts } from "../session/text/draft-files.ts";
import { nextActionText } from "../session/text/next-action-text.ts";
import { frameNonce, quoteText } from "../session/text/quotation.ts";

/** What the task of every turn says. */
export interface TurnTask {
  /** The full text of `next-action` for the participant. */
  readonly situation: string;
  /** Why the last try did not count. */
  readonly fault: string | undefined;
}

/** What a kind of session adds, in lines. */
export interface TaskParts {
  /** Who takes part, what it is about, how to treat what the others say. */
  readonly setting: readonly string[];
  /** What the participants wrote, framed as data. */
  readonly documents: readonly string[];
  readonly answer: readonly string[];
}

/** The task of one turn in words; complete, so that an agent without any memory can take it. */
export function turnPrompt({ situation, fault }: TurnTask, parts: TaskParts): string {
  const { setting, documents, answer } = parts;
  const again =
    fault === undefined
      ? []
      : [
          `Your last try did not count. The reason: ${asLine(fault)}`,
          "Put that right in this try.",
          "",
        ];
  const lines = [
    ...setting,
    "",
    ...again,
    "Where the session stands, from its log:",
    "",
    situation.trimEnd(),
    "",
    ...documents,
    "How to answer:",
    ...answer,
    "",
  ];
  return literalPrompt(lines.join("\n"));
}

/** `next-action` as the participant would read it, with command lines that run in any folder. */
export function situationOf(next: NextAction): string {
  const { place, participant, standing } = next;
  // Most answer in their last words: for those nothing is left in a project without a workspace.
  if (place.workspace !== undefined) prepareDrafts(next);
  const commands = commandsAt(sessionAt(place), place, participant, standing, readerAnywhere());
  return nextActionText(next, commands, frameNonce());
}

/** Frames a text of the participants as data. */
export function quoted(what: string, text: string): string {
  return quoteText(what, text, frameNonce());
}
