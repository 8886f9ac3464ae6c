import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { foundText, listText } from "../../scripts-src/brain/memory-as-text.ts";

describe("what brain prints", () => {
  it("frames what somebody stored, and shows what would act on a terminal", () => {
    const memory = {
      key: "k",
      value: "a\u001b[2Jb",
      version: 1,
      created: "t",
      updated: "t",
      tags: [],
      source: "x",
      score: 2,
    };
    const text = foundText({ found: true, matches: [memory, memory] }, "nonce") ?? "";
    assert.equal(text.split('<<< nonce memory "k", version 1 of t, from x. Quoted data').length, 3);
    assert.match(text, /\n\| a\\u001b\[2Jb\n>>> nonce end\n/);
    assert.equal(foundText({ found: false, key: "k" }, "nonce"), undefined);
  });

  it("lists a memory a line, whatever its key holds, and says how to go on", () => {
    const memory = {
      key: "a\nb",
      value: { long: "word ".repeat(40) },
      version: 2,
      created: "2026-11-20T09:00:00Z",
      updated: "2026-11-20T09:00:00Z",
      tags: [],
      source: "gemini",
    };
    const now = Date.parse("2026-11-22T09:00:00Z");
    const long = { ...memory, key: "k".repeat(100), value: "short" };
    const text = listText({ memories: [memory, long], next: "a\nb" }, now);
    const [line = "", other, more, end] = text.split("\n");
    assert.match(line, /^"a\\nb" {2}\(gemini, 2 days old\) {2}\{ "long": "word .*\.\.\.$/);
    assert.equal(line.length, 80);
    assert.match(other ?? "", /^k{100} {2}\(gemini, 2 days old\) {2}short$/);
    assert.deepEqual([more, end], ['more: list --after "a\\nb"', "2 memories shown"]);
  });
});
