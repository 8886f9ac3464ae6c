import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lastObject } from "../../scripts-src/base/last-object.ts";
import { sectionUnder } from "../../scripts-src/base/markdown.ts";
import { findSecret, withoutSecrets } from "../../scripts-src/base/secrets.ts";
import {
  asLine,
  quotedLines,
  singleLine,
  visibleText,
} from "../../scripts-src/base/visible-text.ts";
import { wordsInNames } from "../../scripts-src/base/words.ts";
import { userWords } from "../../scripts-src/brain/rules/hook-report.ts";
import { injectedText, withoutInjected } from "../../scripts-src/brain/rules/injected-text.ts";
import { searchWords } from "../../scripts-src/brain/rules/search-words.ts";
import { isEmptyLine, readinessItems } from "../../scripts-src/collaboration/rules/readiness.ts";
import { requiredChanges, reviewHeadings } from "../../scripts-src/collaboration/rules/reviews.ts";
import { messageIn, reportsIn } from "../../scripts-src/consult/answer-blocks.ts";
import { states } from "../../scripts-src/dialogue/phrases.ts";
import { names, normalized } from "../../scripts-src/dialogue/prose.ts";
import { readFinding } from "../../scripts-src/findings/rules/finding-text.ts";
import { topicWords } from "../../scripts-src/session/past/earlier-decisions.ts";
import { cpuMs } from "../cpu-time.ts";

/** Whatever reads texts of others, each with all of the text. */
const readers: Record<string, (text: string) => unknown> = {
  asLine,
  findSecret,
  injectedText: (text) =>
    injectedText({ what: "x", source: "y", age: "now", nonce: "ab12" }, text, 1e9),
  isEmptyLine,
  lastObject: (text) => lastObject(text, () => false),
  messageIn,
  names: (text) => names(text, text),
  normalized,
  quotedLines,
  readFinding,
  readinessItems,
  reportsIn,
  requiredChanges: (text) => requiredChanges(text, "claude", 3),
  reviewHeadings,
  searchWords: (text) => searchWords(text, "any"),
  sectionUnder: (text) => sectionUnder(text, "Summary"),
  singleLine,
  disagreement: (text) => states("disagreement", text),
  acknowledgement: (text) => states("acknowledgement", text),
  acceptance: (text) => states("acceptance", text),
  addition: (text) => states("addition", text),
  topicWords,
  userWords,
  visibleText,
  withoutInjected,
  withoutSecrets,
  wordsInNames,
};

/** What begins a pattern, what is repeated where it may go on for ever, and what then denies it. */
const shapes: [before: string, repeated: string, after: string][] = [
  ["", " ", "!"],
  ["<", " ", "!"],
  ["[", " ", "!"],
  ["- ", "\t", "x"],
  ["", "\n", "!"],
  ["# ", " ", "x"],
  ["", "`", "!"],
  ["- ", "`a` ", "!"],
  ["", "**", "!"],
  ["", "- ", "!"],
  ["", "a/", "!"],
  ["", "a.", "!"],
  ["", "src/a.ts:1, ", "!"],
  ["", "<", ""],
  ["", "[brain ab12: ", ""],
  ["", "<system-reminder>", ""],
  ["", '{"a":', ""],
  ['{"a": "', '\\"', ""],
  ["{", '"a\\', ""],
  ["", "eyJ-", "!"],
  ["", "eyJaaaaaaaa.", "!"],
  ["", "a://b:", ""],
  ["", "token=", ""],
  ["", "-----BEGIN PRIVATE KEY-----\n", ""],
  ["", "the point about ", ""],
  ["", "aB", "!"],
  ["", "\u200b", "a"],
  ["", "\u200d\ufe0f", "a"],
];

/** A pattern that begins anew at each place needs a thousand times as long for this as one that does not. */
const characters = 98_304;
const mostMs = 400;

async function tookMs(read: (text: string) => unknown, text: string): Promise<number> {
  const start = cpuMs();
  await read(text);
  return cpuMs() - start;
}

describe("time grows with the text, and not faster, whatever a peer writes, in", () => {
  for (const [name, read] of Object.entries(readers)) {
    it(name, async () => {
      for (const [before, repeated, after] of shapes) {
        const text = `${before}${repeated.repeat(characters / repeated.length)}${after}`;
        let took = await tookMs(read, text);
        // Once more when the machine was busy.
        if (took > mostMs) took = await tookMs(read, text);
        assert.ok(took < mostMs, `${took} ms for ${JSON.stringify([before, repeated, after])}`);
      }
    });
  }
});
