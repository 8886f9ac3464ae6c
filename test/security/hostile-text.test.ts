import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findEvent } from "../../scripts-src/agents/event-block.ts";
import { lastObject } from "../../scripts-src/agents/find-block.ts";
import { findMessage } from "../../scripts-src/agents/find-message.ts";
import { findReports } from "../../scripts-src/agents/report-blocks.ts";
import { repeatTest } from "../../scripts-src/core/brain/echo.ts";
import { injectedText, withoutInjected } from "../../scripts-src/core/brain/injected-text.ts";
import { plainText, wordsInNames } from "../../scripts-src/core/brain/memory-text.ts";
import { queryWords } from "../../scripts-src/core/brain/relevance.ts";
import { findSecret, withoutSecrets } from "../../scripts-src/core/brain/secrets.ts";
import { topicWords } from "../../scripts-src/core/brain/topic-words.ts";
import { userWords } from "../../scripts-src/core/brain/user-words.ts";
import { isEmptyLine } from "../../scripts-src/core/collaboration/conclusions.ts";
import {
  requiredChanges,
  sectionUnder,
} from "../../scripts-src/core/collaboration/quoted-sections.ts";
import { readinessItems } from "../../scripts-src/core/collaboration/readiness.ts";
import { reviewHeadings } from "../../scripts-src/core/collaboration/review-headings.ts";
import {
  names,
  normalized,
  statesAcceptance,
  statesAcknowledgement,
  statesDisagreement,
} from "../../scripts-src/core/dialogue/markers.ts";
import { readFinding } from "../../scripts-src/core/findings/finding-text.ts";
import {
  asLine,
  quotedLines,
  singleLine,
  visibleText,
} from "../../scripts-src/core/visible-text.ts";

/** Whatever reads texts of others, each with all of the text. */
const readers: Record<string, (text: string) => unknown> = {
  asLine,
  findEvent,
  findMessage,
  findReports,
  findSecret,
  injectedText: (text) =>
    injectedText({ what: "x", source: "y", age: "now", nonce: "ab12" }, text, 1e9),
  isEmptyLine,
  lastObject: (text) => lastObject(text, () => false),
  names: (text) => names(text, text),
  normalized,
  plainText,
  queryWords,
  quotedLines,
  readFinding,
  readinessItems,
  repeatTest: (text) => repeatTest(text)(text),
  requiredChanges: (text) => requiredChanges(text, "claude", 3),
  reviewHeadings,
  sectionUnder: (text) => sectionUnder(text, "Summary"),
  singleLine,
  statesAcceptance,
  statesAcknowledgement,
  statesDisagreement,
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
  const start = performance.now();
  await read(text);
  return performance.now() - start;
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
