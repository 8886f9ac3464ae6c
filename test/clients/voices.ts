import assert from "node:assert/strict";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../scripts-src/base/json.ts";
import type { Mind } from "./scripted-model.ts";

/** What a side says in a turn: the draft that next-action printed, filled in. */
export type Voice = (draft: JsonObject, accepts: number | undefined) => JsonObject;

/** What the answerer says, and asks back, before it agrees. */
const doubts = [
  ["Files, if nobody needs to search them.", "Does anybody search the sessions?"],
  ["Files, if one process writes them.", "Does more than one process write the sessions?"],
  ["Files, if they stay small.", "Does a session outgrow what one reads at once?"],
] as const;

/**
 * A dialogue of five messages: the colleague answers and asks back, the asker answers, and both
 * agree, of whom the second closes. Each further question makes it two messages longer, and where
 * both answer first unseen it has one message more.
 */
export function makeVoices(questions: 1 | 2 | 3 = 1) {
  return { claude: asker, gemini: makeAnswerer(questions) };
}

const asker: Voice = (draft, accepts) => {
  if (isOpening(draft)) return draft;
  if ("answers" in draft || accepts === undefined)
    return { ...draft, type: "RESPONSE", confidence: 0.7 };
  return agreement(draft, accepts);
};

function makeAnswerer(questions: number): Voice {
  const left = doubts.slice(0, questions);
  return (draft, accepts) => {
    if (isOpening(draft)) return draft;
    const doubt = left.shift();
    if (doubt === undefined) return agreement(draft, accepts);
    const [content, question] = doubt;
    const question_or_proposal = { content, specific_questions: [question] };
    return { ...draft, type: "RESPONSE", confidence: 0.6, question_or_proposal };
  };
}

/** Accepts the other side's position, so it has none of its own. */
export function agreement(draft: JsonObject, accepts?: number): JsonObject {
  assert(accepts, `nothing to accept with ${JSON.stringify(draft)}`);
  const { position: _, synthesis: __, objections: ___, acknowledged: ____, ...owed } = draft;
  const question_or_proposal = { content: "Files, behind one module." };
  return { ...owed, type: "AGREE", accepts, confidence: 0.95, question_or_proposal };
}

/** Hands the question back to the user instead of an answer. */
export const escalating: Voice = (draft) => ({
  ...draft,
  type: "ESCALATE",
  question_or_proposal: { content: "Only the user knows the budget." },
  needs_user: "May this cost money?",
});

function isOpening({ type }: JsonObject): boolean {
  return type === "REQUEST";
}

/** Answers a task of `consult`: the message stands in its last words. */
export function inWords(voice: Voice): Mind {
  return ({ latest, count }) => {
    const { draft, accepts } = printedIn(latest);
    const message = voice(draft, accepts);
    return {
      say: `I looked, turn ${count}.\n\n\`\`\`json\n${JSON.stringify(message, undefined, 2)}\n\`\`\``,
    };
  };
}

/**
 * Types `first`, then only what the scripts print, to the report; its last words are the report. A
 * draft is written with the client's own tool to the file that is named, below `project`.
 */
export function inCommands(first: string, voice: Voice, project: string): Mind {
  let line = first;
  let isWritten = false;
  return (seen) => {
    if (line.includes("report.cjs")) return { say: seen.latest };
    if (isWritten || seen.count === 0) {
      isWritten = false;
      return { run: line };
    }
    if (!/session \S+: YOUR TURN/.test(seen.latest)) {
      line = nextLine(seen.latest);
      return { run: line };
    }
    const { draft, file, command, accepts } = printedIn(seen.latest);
    [line, isWritten] = [command, true];
    return { write: join(project, file), text: JSON.stringify(voice(draft, accepts)) };
  };
}

function nextLine(latest: string): string {
  const [, line] = /next[:,].*\n(.+)/.exec(latest) ?? [];
  assert(line, `no line to run next in:\n${latest}`);
  return line;
}

interface Printed {
  readonly draft: JsonObject;
  readonly file: string;
  readonly command: string;
  readonly accepts: number | undefined;
}

/** The form that was printed, its file and the line that sends it, and what AGREE would accept. */
export function printedIn(text: string): Printed {
  const forms =
    /\n((?:(?:next|or): .*\n\{.*\}\n)+)write it to (.+), then run:\n((?:cd .+ && )?node .+)/;
  const printed = forms.exec(`\n${text}`);
  assert(printed, `no form in:\n${text}`);
  const [, lines = "", file = "", command = ""] = printed;
  const inputs = (lines.match(/^\{.*\}$/gm) ?? []).map((line): JsonValue => JSON.parse(line));
  return { ...draftOf(inputs), file, command };
}

/** The form that is no AGREE, filled in, and what AGREE would accept. */
export function draftOf(inputs: readonly JsonValue[]): Pick<Printed, "draft" | "accepts"> {
  const forms = inputs.map(filled).filter(isJsonObject);
  const agree = forms.find(({ type }) => type === "AGREE");
  const draft = forms.find((form) => form !== agree) ?? agree;
  assert(draft, "no form");
  const accepts = agree?.["accepts"];
  return { draft, accepts: typeof accepts === "number" ? accepts : undefined };
}

/** Puts words into every place that a form leaves open. */
function filled(value: JsonValue): JsonValue {
  if (value === "<0..1>") return 0.5;
  if (typeof value === "string")
    return value.replace(/<[^<>]+>/g, "Nobody searches them, as far as I can see.");
  if (Array.isArray(value)) return value.map(filled);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, part && filled(part)]);
  return Object.fromEntries(entries);
}
