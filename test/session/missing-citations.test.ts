import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { type Collaboration, collaborationAt } from "../collaboration/folder.ts";

/** A review under way in a project that has `src/late.js` with so many lines. */
function reviewing(lines: number): Collaboration {
  const at = collaborationAt("reviewing");
  writeSource(at, lines);
  return at;
}

function writeSource({ project }: Collaboration, lines: number): void {
  const path = join(project.folder, "src", "late.js");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "x();\n".repeat(lines));
}

function citing(at: Collaboration, place: string): string {
  return at.review().replace("proposal.md:1", place);
}

describe("what a review cites", () => {
  it("is looked up when it is submitted: the reviewer is told at once", () => {
    const at = reviewing(2);
    const review = citing(at, "src/late.js:3");
    const { code, stdout, stderr } = at.append("b", "review_submitted", { review });
    assert.equal(code, 0, "as the original says");
    assert.match(stdout + stderr, /it cites src\/late\.js:3, which is not there/);
  });

  it("is fine where it is there", () => {
    const at = reviewing(3);
    const review = citing(at, "src/late.js:2-3 and proposal.md:1");
    const { code, stdout, stderr } = at.append("b", "review_submitted", { review });
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout + stderr, /cites/);
  });

  it("is not there where a path leads out of the project", () => {
    const at = reviewing(3);
    writeFileSync(`${at.project.folder}-beside.js`, "x();\n");
    const review = citing(at, `../${at.project.folder.split("/").at(-1)}-beside.js:1`);
    assert.match(
      at.append("b", "review_submitted", { review }).stdout,
      /-beside\.js:1, which is not/,
    );
  });
});
