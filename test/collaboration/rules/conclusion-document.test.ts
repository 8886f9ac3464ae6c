import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as conclusion from "../../../scripts-src/collaboration/rules/conclusion.ts";
import { textsOf } from "../../../scripts-src/collaboration/rules/faults.ts";
import type { Settings } from "../../../scripts-src/collaboration/rules/settings.ts";
import { adr, adrPath, complete, settingsFor } from "../complete-folder.ts";

const conclusionFaults = (text: string, settings: Settings) =>
  textsOf(conclusion.conclusionFaults(text, settings));

describe("conclusion.md", () => {
  const settings = settingsFor();
  const good = complete().texts.get("conclusion.md") ?? "";
  const outcome = "conclusion.md must declare exactly one final outcome";
  const blocked = "conclusion.md outcome cannot be completed while blocked";
  const placeholder = "conclusion.md must not contain unresolved placeholders before completed";
  const missing = (names: string) => `conclusion.md is missing required sections: ${names}`;
  const line = "- [proceed] agreed";

  const cases: [name: string, from: string, to: string, faults: string[]][] = [
    ["is complete", "agreed", "yes", []],
    ["has CRLF and a byte order mark", "# Conclusion", "\ufeff# Conclusion", []],
    ["declares do_not_proceed", line, "- [do_not_proceed] no", []],
    ["declares defer", line, " -[defer] later", []],
    ["has the reason in the next line", line, "- [proceed]\n\nbecause", []],
    ["declares nothing", line, "", [outcome]],
    ["declares an unknown outcome", line, "- [Proceed] x", [outcome]],
    ["has no blank after the outcome", line, "- [proceed]x", [outcome]],
    ["declares two", line, `${line}\n- [defer] x`, [outcome]],
    ["declares one twice", line, `${line}\n${line}`, [outcome]],
    ["declares blocked as well", line, `${line}\n- [blocked] x`, [outcome]],
    ["is blocked", line, "- [blocked] x", [blocked]],
    ["lacks a section", "## Rationale", "## Reasons", [missing("Rationale")]],
    ["has a heading of another level", "## Rationale", "### Rationale", [missing("Rationale")]],
    ["has a heading in lower case", "## Rationale", "## rationale", [missing("Rationale")]],
    ["has more words in a heading", "## Rationale", "## Rationale:", [missing("Rationale")]],
    ["has an indented heading", "## Rationale", " ## Rationale", [missing("Rationale")]],
    ["has blanks in a heading", "## Rationale", "##\t Rationale  ", []],
    ["says TBD", "agreed", "TBD.", [placeholder]],
    ["says todo", "agreed", "my (todo)", [placeholder]],
    ["says unresolved", "agreed", "No Unresolved issues", [placeholder]],
    ["says it in Chinese", "agreed", "\u5f85\u5b9a", [placeholder]],
    ["says it within a Chinese word", "agreed", "\u4e0d\u5f85\u5b9a", []],
    ["has the words inside of words", "agreed", "TBDs todos _TBD TBD1 \u00e9TODO unresolvedly", []],
  ];
  for (const [name, from, to, faults] of cases) {
    it(`${faults.length === 0 ? "passes" : "fails"} when it ${name}`, () => {
      assert(good.includes(from));
      const text = good.replace(from, to);
      assert.deepEqual(conclusionFaults(text, settings), faults);
      assert.deepEqual(conclusionFaults(text.replaceAll("\n", "\r\n"), settings), faults);
    });
  }

  it("names the missing sections of schema 1 in their order, then all other faults", () => {
    const names =
      "Decision Outcome, Rationale, Accepted Decisions, Implementation Approach, Assumptions, " +
      "Deferred Follow-ups, Implementation Blockers, Next Action";
    assert.deepEqual(conclusionFaults("- [blocked] TBD", settings), [
      missing(names),
      blocked,
      placeholder,
    ]);
  });

  it("wants the sections of schema 2 and the primary deliverable", () => {
    const names =
      "Decision Outcome, Rationale, Deliverable Receipt, Accepted Decisions Summary, " +
      "Readiness Result, Assumptions, Deferred Follow-ups, Implementation Blockers, Next Action";
    assert.deepEqual(conclusionFaults("", settingsFor(adr)), [
      missing(names),
      outcome,
      "conclusion.md must reference the primary deliverable",
    ]);
    const text = complete(adr).texts.get("conclusion.md");
    assert(text !== undefined);
    assert(text.includes(adrPath));
    assert.deepEqual(conclusionFaults(text, settingsFor(adr)), []);
  });
});
