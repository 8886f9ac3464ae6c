import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../../scripts-src/core/json.ts";
import type { Mind, Seen } from "./scripted-model.ts";

/** What a side says in a turn: the draft that next-action printed, filled in. */
export type Voice = (draft: JsonObject) => JsonObject;

/**
 * A dialogue of six messages: the colleague answers and asks back, the asker answers, both agree,
 * and whom next-action names writes the consensus.
 */
export function makeVoices() {
  return { claude: asker, gemini: makeAnswerer() };
}

const asker: Voice = (draft) => {
  if ("answers" in draft) return { ...draft, type: "RESPONSE", confidence: 0.7 };
  return isOpeningOrEnd(draft) ? draft : { ...draft, ...agreement };
};

function makeAnswerer(): Voice {
  let asked = false;
  return (draft) => {
    if (isOpeningOrEnd(draft)) return draft;
    if (asked) return { ...draft, ...agreement };
    asked = true;
    const content = "Files, if nobody needs to search them.";
    const question = { content, specific_questions: ["Does anybody search the sessions?"] };
    return { ...draft, type: "RESPONSE", confidence: 0.6, question_or_proposal: question };
  };
}

const agreement = {
  type: "AGREE",
  confidence: 0.95,
  question_or_proposal: { content: "Files, behind one module." },
};

/** Hands the question back to the user instead of an answer. */
export const escalating: Voice = (draft) => ({
  ...draft,
  type: "ESCALATE",
  question_or_proposal: { content: "Only the user knows the budget." },
  needs_user: "May this cost money?",
});

function isOpeningOrEnd({ type }: JsonObject): boolean {
  return type === "REQUEST" || type === "CONSENSUS";
}

/** Answers a task of `consult`: the message stands in its last words. */
export function inWords(voice: Voice): Mind {
  return ({ latest, count }) => {
    const { draft } = printedIn(latest);
    return {
      say: `I looked, turn ${count}.\n\n\`\`\`json\n${JSON.stringify(voice(draft), undefined, 2)}\n\`\`\``,
    };
  };
}

/** Types `first`, then only what the scripts print, to the report; its last words are the report. */
export function inCommands(first: string, voice: Voice): Mind {
  let line = first;
  return (seen) => {
    if (line.includes("report.cjs")) return { say: seen.latest };
    if (seen.count > 0) line = nextLine(seen, line, voice);
    return { run: line };
  };
}

/** A command that printed no other one is run again, such as a wait whose time was up. */
function nextLine({ latest }: Seen, line: string, voice: Voice): string {
  if (!/session \S+: YOUR TURN/.test(latest)) return /next:.*\n(.+)/.exec(latest)?.[1] ?? line;
  const { command, draft } = printedIn(latest);
  return `${command}\n${JSON.stringify(voice(draft))}\nMESSAGE`;
}

function printedIn(text: string): { command: string; draft: JsonObject } {
  const printed = /(node .*append-event.* <<'MESSAGE')\n(.*)\nMESSAGE/.exec(text);
  assert(printed, `no draft in:\n${text}`);
  const draft: JsonValue = filled(JSON.parse(printed[2] ?? ""));
  assert(isJsonObject(draft));
  const { references: _, ...fields } = draft;
  return { command: printed[1] ?? "", draft: fields };
}

/** Puts words into every place that the draft leaves open. */
function filled(value: JsonValue): JsonValue {
  if (value === "...") return "Nobody searches them, as far as I can see.";
  if (Array.isArray(value)) return value.map(filled);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, part && filled(part)]);
  return Object.fromEntries(entries);
}
