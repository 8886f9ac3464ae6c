import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../scripts-src/base/limits.ts";
import { report } from "../../scripts-src/dialogue/report.ts";
import { asked, dialogue, wanting } from "./given.ts";

describe("the report of a long dialogue", () => {
  it("tells how the newest messages went, and how many were before", () => {
    const { state, events } = asked();
    const [opened, message] = events;
    assert(opened && message);
    const count = limits.reportMessages + 7;
    const sent = Array.from({ length: count }, (_, index) => ({ ...message, seq: index + 2 }));
    const made = report(state, [opened, ...sent], wanting(dialogue().state));
    const [said = { lines: [] }] = (made.appendix ?? []).filter(
      ({ heading }) => heading === "Messages",
    );
    const heads = said.lines.filter((line) => line.startsWith("- message "));
    assert.equal(heads.length, limits.reportMessages);
    assert.equal(said.lines[0], "- 7 before these, see the log");
    assert.match(heads.at(-1) ?? "", new RegExp(`^- message ${count + 1}, claude REQUEST`));
    for (const { heading, lines } of made.sections)
      assert(lines.length <= limits.reportMessages + 1, heading);
  });
});
