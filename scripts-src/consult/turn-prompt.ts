import { literalPrompt } from "../base/quote.ts";
import { asLine } from "../base/visible-text.ts";

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
