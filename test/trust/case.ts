import type { JsonObject } from "../../scripts-src/base/json.ts";

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

/** What a careful reader says of one claim: that it is shown, or what it is instead, and why. */
export type ClaimTruth = "shows" | readonly [says: "does_not_show" | "cannot_tell", why: string];

/** What a careful reader finds in a case that looks closed. */
export interface Truth {
  /** Of each claim, in the order in which they are made. */
  readonly claims?: readonly ClaimTruth[];
  /** Sentences of the decision that nothing supports. */
  readonly unsupported?: readonly string[];
  readonly contradicts?: { readonly position: string; readonly text: string };
  /** Words of an AGREE that still object. */
  readonly dissent?: readonly string[];
  readonly owner?: { readonly kind: string; readonly why: string };
}

/** The scripted auditors: one that judges by the truth, one that sees all shown, and two that no rule lets through. */
export const auditorKinds = ["good", "yes", "garbage", "liar"] as const;
export type AuditorKind = (typeof auditorKinds)[number];

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
  /** Without it all claims are shown, and nothing is wrong with the decision. */
  readonly truth?: Truth;
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

/**
 * The words of a case: what each side does, in order. A step may have a name; later steps say `{name}`
 * for the seq of its event, `C{name}.1` for its first claim, `Q{name}.1` for its first question and
 * `E{name}` for its evidence.
 */
export type Step = (
  | { readonly act: "say"; readonly by: string; readonly message: JsonObject }
  | {
      readonly act: "script";
      readonly script: string;
      readonly args: readonly string[];
      readonly input?: string;
    }
  | { readonly act: "write"; readonly path: string; readonly text: string }
  | { readonly act: "change"; readonly path: string; readonly from: string; readonly to: string }
  | { readonly act: "append"; readonly path: string; readonly text: string }
  | { readonly act: "link"; readonly path: string; readonly target: string }
  | { readonly act: "pipe"; readonly path: string }
  | { readonly act: "git"; readonly args: readonly string[] }
  | { readonly act: "letter"; readonly type: string; readonly fields: JsonObject }
) & {
  readonly name?: string;
  /** The script must reject this step, or may where the case's outcome is another, for this reason. */
  readonly rejects?: RegExp;
  /** Exit codes that are no rejection; 0 and 1 unless given. */
  readonly codes?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
};

/** A script in the project's folder, with all of its words. */
export function run(script: string, ...args: string[]): Step {
  return { act: "script", script, args };
}

export function runWith(input: string, script: string, ...args: string[]): Step {
  return { act: "script", script, args, input };
}

export function rejected<S extends Step>(step: S, reason: RegExp): S {
  return { ...step, rejects: reason };
}
