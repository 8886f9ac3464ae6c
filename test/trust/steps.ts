import type { JsonObject, JsonValue } from "../../scripts-src/base/json.ts";

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

/** A participant's message. */
export function say(
  by: string,
  name: string,
  type: string,
  content: string,
  fields: JsonObject = {},
): Step {
  const given = isProposal(fields["question_or_proposal"]) ? fields["question_or_proposal"] : {};
  const { question_or_proposal: _, ...others } = fields;
  const message = {
    type,
    question_or_proposal: { content, ...given },
    ...confidenceFor(type),
    ...others,
  };
  return { act: "say", by, name, message };
}

function isProposal(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const confidences: Record<string, number> = {
  RESPONSE: 0.7,
  EVALUATE: 0.7,
  COUNTER_PROPOSE: 0.7,
  AGREE: 0.9,
};

function confidenceFor(type: string): JsonObject {
  const confidence = confidences[type];
  return confidence === undefined ? {} : { confidence };
}

/** The question: claude asks, the message is named q. */
export function ask(content: string, fields: JsonObject = {}): Step {
  return say("claude", "q", "REQUEST", content, fields);
}

export function questions(...specific: string[]): JsonObject {
  return { question_or_proposal: { specific_questions: specific } };
}

/** A message that takes a stand. */
export function stand(
  by: string,
  name: string,
  position: string,
  content: string,
  fields: JsonObject = {},
): Step {
  const type = name === "r" ? "RESPONSE" : "EVALUATE";
  return say(by, name, type, content, { position, ...fields });
}

/** The peer's first stand: gemini answers, the message is named r. */
export function answer(position: string, content: string, fields: JsonObject = {}): Step {
  return stand("gemini", "r", position, content, fields);
}

/** An AGREE: the first carries the text for the user, the second confirms it. */
export function agree(
  by: string,
  name: string,
  accepts: string,
  text: string,
  fields: JsonObject = {},
): Step {
  return say(by, name, "AGREE", text, { accepts: `{${accepts}}`, ...fields });
}

export function claims(...list: [text: string, check: string, expect?: string][]): JsonObject {
  return {
    claims: list.map(([text, check, expect]) => ({
      text,
      check,
      ...(expect === undefined ? {} : { expect }),
    })),
  };
}

export function holds(...ids: string[]): JsonObject {
  return { checks: ids.map((claim) => ({ claim, outcome: "holds" })) };
}

/** A claim that its reader could not check: an assumption. */
export function assumed(id: string, reason: string): JsonObject {
  return { checks: [{ claim: id, outcome: "not_run", reason }] };
}

function script(name: string, args: string[], input?: string): Step {
  return { act: "script", script: name, args, ...(input === undefined ? {} : { input }) };
}

/** A script in the project's folder, with all of its words. */
export function run(name: string, ...args: string[]): Step {
  return script(name, args);
}

export function runWith(input: string, name: string, ...args: string[]): Step {
  return script(name, args, input);
}

/** A script of the case's session by one participant. */
function own(name: string, by: string, ...args: string[]): Step {
  return script(name, ["--session", "case", "--participant", by, ...args]);
}

/** The other side's replay of a claim. */
export function check(by: string, claim: string, name = "checked"): Step {
  return { ...own("check", by, "--claim", claim), name };
}

/** An observation of one's own. */
export function cite(by: string, name: string, lines: string): Step {
  return { ...own("check", by, "--cite", lines), name };
}

export function find(by: string, name: string, text: string, path: string): Step {
  return { ...own("check", by, "--find", text, path), name };
}

export function command(by: string, name: string, ...argv: string[]): Step {
  return { ...own("check", by, "--run", "--", ...argv), name };
}

/** What only the person does. */
export function person(name: "decide" | "verdict", words: string): Step {
  return script(name, ["--session", "case", words]);
}

export function rejected<S extends Step>(step: S, reason: RegExp): S {
  return { ...step, rejects: reason };
}

/** As a model runs a script: below a process of its CLI, the same for all steps of a case. */
export function inCli<S extends Step>(step: S, cli = "CLAUDECODE"): S {
  return { ...step, env: { [cli]: "1" } };
}

/** The simplest whole ending: claude accepts r with a text, gemini confirms it. */
export function closeOn(text: string, fields: JsonObject = {}): Step[] {
  return [
    agree("claude", "a", "r", text, fields),
    agree("gemini", "b", "a", "I accept this text as it is."),
  ];
}
