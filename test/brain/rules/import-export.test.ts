import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonValue } from "../../../scripts-src/base/json.ts";
import { exportLines, importLines } from "../../../scripts-src/brain/rules/import-export.ts";
import { brainLimits } from "../../../scripts-src/brain/rules/limits.ts";
import { hasCode } from "../../log/check-event-log.ts";
import { draft, fill, time } from "../check-brain-store.ts";
import { InMemoryStore } from "../in-memory-store.ts";

describe("export and import of memories", () => {
  const values: JsonValue[] = [
    "text\nwith lines\u2028and \u0000 and \ud800",
    "\u0000".repeat(brainLimits.memoryValueBytes),
    null,
    JSON.parse('{"__proto__": [1.5]}'),
    JSON.parse("[".repeat(24) + "]".repeat(24)),
  ];

  it("brings every memory over as it is, in order, and does nothing the second time", () => {
    const from = new InMemoryStore();
    fill(from, brainLimits.memoriesListed + 5);
    const more = { tags: ["x"], session: "auth-review" };
    for (const [index, value] of values.entries()) {
      from.store(draft(`__proto__/${index}`, "before"), time(1));
      from.store(draft(`__proto__/${index}`, value, more), time(2));
    }
    const lines = [...exportLines(from)];
    assert.equal(lines.length, brainLimits.memoriesListed + 5 + values.length);
    for (const line of lines) assert(!/[\n\r]/.test(line));
    const to = new InMemoryStore();
    const added = lines.length;
    assert.deepEqual(importLines(to, lines), { added, replaced: 0, kept: 0 });
    assert.deepEqual([...exportLines(to)], lines);
    assert.deepEqual(importLines(to, [...lines, "", "  "]), { added: 0, replaced: 0, kept: added });
  });

  const good = {
    key: "a",
    value: 1,
    source: "person",
    version: 1,
    created: time(0),
    updated: time(0),
  };
  const bad: [name: string, line: string, reason: RegExp][] = [
    ["what is no JSON", "{", /^line 2 is not JSON/],
    ["a list", "[]", /line 2 is no memory: it is \[\], expected an object/],
    ["a missing field", JSON.stringify({ ...good, source: undefined }), /source is missing/],
    ["an unknown field", JSON.stringify({ ...good, tag: [] }), /tag is not a field.*tags/],
    ["a wrong time", JSON.stringify({ ...good, updated: "now" }), /updated is "now"/],
    ["version 0", JSON.stringify({ ...good, version: 0 }), /version is 0/],
    ["a key twice", `{"key":"a",${JSON.stringify(good).slice(1)}`, /the key "key" twice/],
    ["a large value", JSON.stringify({ ...good, value: "x".repeat(65_537) }), /65537 bytes/],
    ["a huge line", JSON.stringify({ ...good, value: "x".repeat(2 ** 21) }), /more than 1048576/],
    ["deep nesting", "[".repeat(200_000) + "]".repeat(200_000), /nested deeper/],
  ];
  for (const [name, line, reason] of bad) {
    it(`refuses ${name} and names the line`, () => {
      const lines = [JSON.stringify(good), line];
      assert.throws(() => importLines(new InMemoryStore(), lines), hasCode("REFUSED", reason));
    });
  }
});
