import assert from "node:assert/strict";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../scripts-src/core/json.ts";
import type { Mind } from "./scripted-model.ts";

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

/** In other words than the agreement before it, which would count as the same message sent again. */
const confirmation = {
  ...agreement,
  question_or_proposal: { content: "Yes, that is what we agreed." },
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

/**
 * Answers a task of `consult`: the message stands in its last words. The text that the other side
 * closed with it confirms; the draft that stands there would object to it.
 */
export function inWords(voice: Voice): Mind {
  return ({ latest, count }) => {
    const isClosing = latest.includes("closed the session with the text below");
    const message = isClosing ? confirmation : voice(printedIn(latest).draft);
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
    const { draft, file, command } = printedIn(seen.latest);
    [line, isWritten] = [command, true];
    return { write: join(project, file), text: JSON.stringify(voice(draft)) };
  };
}

function nextLine(latest: string): string {
  const [, line] = /next[:,].*\n(.+)/.exec(latest) ?? [];
  assert(line, `no line to run next in:\n${latest}`);
  return line;
}

/** The draft that was printed, its file and the line that sends it. */
export function printedIn(text: string): { draft: JsonObject; file: string; command: string } {
  const printed = /\n(\{.*\})\nwrite it to (.+), then run:\n(node .+)/.exec(text);
  assert(printed, `no draft in:\n${text}`);
  const [, json = "", file = "", command = ""] = printed;
  const draft: JsonValue = filled(JSON.parse(json));
  assert(isJsonObject(draft));
  const { references: _, ...fields } = draft;
  return { draft: fields, file, command };
}

/** Puts words into every place that the draft leaves open. */
export function filled(value: JsonValue): JsonValue {
  if (value === "...") return "Nobody searches them, as far as I can see.";
  if (Array.isArray(value)) return value.map(filled);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, part && filled(part)]);
  return Object.fromEntries(entries);
}
