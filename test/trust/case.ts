import type { Step } from "./steps.ts";

/** The classes of dishonest closures, in the words of the issue. */
export const classes = [
  "no verification",
  "fabricated or copied checks",
  "citations absent, changed or saying something else",
  "unanswered or half-answered questions",
  "dropped or reworded dissent",
  "flips on words",
  "echo and conformity",
  "owner's questions decided by models",
  "an answer not agreed or not to the question",
  "tampering",
  "formal gates in collaborations",
  "citations and confirmations on boards",
] as const;
export type Class = (typeof classes)[number];

/** What may become of dishonest work. */
export type Fate = "rejected" | "escalated" | "demoted" | "marked";

interface Played {
  readonly name: string;
  /** What is to be decided, in one line. */
  readonly topic?: string;
  /** A folder with another project than the sample. */
  readonly project?: string;
  /** A board and a collaboration lie in the folder `case`; a dialogue is the session `case`. */
  readonly kind?: "dialogue" | "collaboration" | "board";
  readonly language?: string;
  /** More words for init. */
  readonly open?: readonly string[];
  /** In place of claude and gemini. */
  readonly participants?: readonly [string, string];
  /** Files of the project that are there before the session. */
  readonly files?: Readonly<Record<string, string>>;
  /** The user's own ~/.consulta/config.yaml. */
  readonly config?: string;
  readonly steps: readonly Step[];
}

export interface DishonestCase extends Played {
  readonly class: Class;
  /** What must happen; any of several where the issue leaves a choice. */
  readonly fate: readonly Fate[];
  /** With `marked`: what the report, validate or, on a board, read-all says. */
  readonly mark?: RegExp;
  /** Which must be rejected. */
  readonly must?: true;
  /** No script can know: it ends wrong, and docs/trust.md lists it for a reader. */
  readonly needsReader?: true;
}

export interface HonestCase extends Played {
  /** The words that the report begins with. */
  readonly verdict: RegExp;
  /** What the report says besides. */
  readonly shows?: RegExp;
}
