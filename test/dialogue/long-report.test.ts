import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { report } from "../../scripts-src/core/dialogue/report.ts";
import { limits } from "../../scripts-src/core/limits.ts";
import { asked, dialogue } from "./given.ts";

describe("the report of a long dialogue", () => {
  it("tells how the newest messages went, and how many were before", () => {
    const { state, events } = asked();
    const [opened, message] = events;
    assert(opened && message);
    const count = limits.reportMessages + 7;
    const sent = Array.from({ length: count }, (_, index) => ({ ...message, seq: index + 2 }));
    const { sections } = report(state, [opened, ...sent], new Map(), dialogue().state);
    const [went = { lines: [] }] = sections.filter(({ heading }) => heading === "How it went");
    assert.equal(went.lines.length, limits.reportMessages + 1);
    assert.equal(went.lines[0], "- 7 before these, see the log");
    assert.match(went.lines.at(-1) ?? "", new RegExp(`^- message ${count + 1}, claude REQUEST`));
    for (const { heading, lines } of sections)
      assert(lines.length <= limits.reportMessages + 1, heading);
  });
});
