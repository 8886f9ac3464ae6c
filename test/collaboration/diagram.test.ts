import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { diagram, withDiagrams } from "../../docs/diagram.ts";
import { ConsultaError } from "../../scripts-src/base/errors.ts";
import { transitions } from "../../scripts-src/collaboration/rules/transitions.ts";

const path = new URL("../../docs/collaboration.md", import.meta.url);

describe("the diagram", () => {
  it("in docs/collaboration.md is what the code generates", () => {
    const document = readFileSync(path, "utf8");
    const hint = "docs/collaboration.md is old; run npx tsx docs/collaboration-diagram.ts";
    assert.equal(document, withDiagrams(document), hint);
  });

  for (const schema of [1, 2] as const) {
    it(`of schema ${schema} has a row for each of its transitions and no other`, () => {
      const own = transitions.filter((it) => schema === 2 || it.schema === undefined);
      const rows = diagram(schema)
        .split("\n")
        .filter((line) => line.startsWith("| ") && !line.startsWith("| in |"))
        .filter((line) => !line.startsWith("| ---"));
      const names = rows.map((row) => row.split(" | ")[1]?.split(" ")[0]);
      assert.deepEqual(
        names,
        own.map(({ event }) => event),
      );
    });
  }

  it("draws both ends of a round that the last one closes", () => {
    const lines = diagram(1).split("\n");
    assert(lines.includes("  reviewing --> reviewing: review_submitted"));
    assert(lines.includes("  reviewing --> revising: review_submitted, the last"));
    assert(lines.includes("  [*] --> drafting: initialized"));
    assert(lines.includes("  any_phase --> blocked: blocked"));
  });

  it("keeps deliverables, and conditions about them, out of schema 1", () => {
    assert.doesNotMatch(diagram(1), /deliverable|drafted|frozen/);
    assert.match(diagram(2), /\| readiness_passed \| the owner \| frozen \|/);
  });

  it("replaces only what stands between the markers", () => {
    const [one, two] = [1, 2].map(
      (schema) => `<!-- schema ${schema}: generated -->\nold\n<!-- schema ${schema}: end -->`,
    );
    const text = withDiagrams(`before\n${one}\nbetween\n${two}\nafter\n`);
    assert.doesNotMatch(text, /old/);
    for (const words of ["before\n<!-- schema 1", "\nbetween\n", "\nafter\n"]) {
      assert(text.includes(words), words);
    }
    assert.equal(withDiagrams(text), text);
  });

  it("refuses a document without its markers", () => {
    assert.throws(() => withDiagrams("nothing"), ConsultaError);
  });
});
