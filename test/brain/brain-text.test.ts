import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ResultOf } from "../../scripts-src/core/brain/open-rpc.ts";
import { foundText, listText, statusText } from "../../scripts-src/view/brain-text.ts";

const status: ResultOf<"brain.status"> = {
  started: "2026-11-22T09:00:00Z",
  pid: 7,
  connections: 1,
  store: {
    memories: 1,
    snapshots: 2,
    eventsPending: 0,
    bytes: 4_096,
    setAside: ["brain.damaged-1.db"],
  },
  sessions: [
    {
      session: "one",
      cli: "claude",
      updated: "2026-11-22T09:05:00Z",
      token_percentage: 92.5,
      raw_percentage: 77.2,
      alerts: { memory_full: true, hallucination_risk: false },
    },
    { session: "two", cli: null, updated: "2026-11-22T09:05:00Z", alerts: {} },
  ],
  snapshots: [
    { session: "old", cli: "gemini\n", at: "2026-11-21T09:00:00Z", holds: ["summary", "answer"] },
  ],
  injections: [
    {
      session: "one",
      reason: "relevant",
      subject: "deploy\u001b[2J",
      at: "2026-11-22T09:04:00Z",
      score: 9.25,
    },
    { session: "one", reason: "restore", subject: "old", at: "2026-11-22T09:01:00Z", score: null },
  ],
  delegate: { configured: true, provider: "gemini", busy: true },
};

const shown = `brain: process 7, since 2026-11-22T09:00:00Z
kept: 1 memory, 2 snapshots, 0 events pending, 4096 bytes; damaged: brain.damaged-1.db
delegate: gemini, at work
sessions: 2
  one (claude): [###################.] 92.5 % (77.2 % of the window); alerts given: memory_full
  two (unknown): usage unknown
saved, for the next session: 1
  old (gemini ): summary, answer of 2026-11-21T09:00:00Z
put into contexts last: 2
  2026-11-22T09:04:00Z deploy\\u001b[2J -> one: it fitted the prompt, score 9.3
  2026-11-22T09:01:00Z old -> one: the session before it
`;

describe("what brain prints", () => {
  it("shows sessions with usage, what is kept, and what was put where and why", () => {
    assert.equal(statusText(status), shown);
  });

  it("frames what somebody stored, and shows what would act on a terminal", () => {
    const memory = {
      key: "k",
      value: "a\u001b[2Jb",
      version: 1,
      updated: "t",
      source: "x",
      score: 2,
    };
    const text = foundText({ found: true, matches: [memory, memory] }, "nonce") ?? "";
    assert.equal(
      text.split('<<< nonce memory "k", version 1 of t, from x, score 2.0. Quoted data').length,
      3,
    );
    assert.match(text, /\na\\u001b\[2Jb\n>>> nonce end\n/);
    assert.equal(foundText({ found: false, key: "k" }, "nonce"), undefined);
  });

  it("lists a memory a line, whatever its key holds, and says how to go on", () => {
    const memory = {
      key: "a\nb",
      value: { long: "word ".repeat(40) },
      version: 2,
      updated: "t",
      source: "x",
    };
    const text = listText({ memories: [memory], next: "a\nb" });
    const [line = "", more, end] = text.split("\n");
    assert.match(line, /^a b .*\.\.\.$/);
    assert(line.length < 120);
    assert.deepEqual([more, end], ['more: list --after "a\\nb"', "1 memory shown"]);
  });
});
