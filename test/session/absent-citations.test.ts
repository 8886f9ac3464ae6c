import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { Collaboration, collaborationAt } from "../collaboration/folder.ts";

const told = /the review of seq 3 cites src\/late\.js:3, which was not there when it was submitted/;

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
  it("is looked up when it is submitted: the reviewer is told at once, the others by the report", () => {
    const at = reviewing(2);
    const review = citing(at, "src/late.js:3");
    const { code, stdout, stderr } = at.append("b", "review_submitted", { review });
    assert.equal(code, 0, "as the original says");
    assert.match(stdout + stderr, /it cites src\/late\.js:3, which is not there/);
    assert.match(at.validate().stderr, told);
    assert.match(at.run("report").stdout, told);
    writeSource(at, 3);
    assert.match(at.validate().stderr, told, "what came later was not seen");
  });

  it("is fine where it is there, whatever becomes of it", () => {
    const at = reviewing(3);
    const review = citing(at, "src/late.js:2-3 and proposal.md:1");
    at.say("b", "review_submitted", { review });
    writeSource(at, 1);
    assert.doesNotMatch(at.validate().stderr, /cites/);
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

  it("is looked up for a colleague that writes its files by hand", () => {
    const at = reviewing(2);
    const stamp = "2026-11-23T00:00:00Z";
    appendFileSync(
      at.path("review.md"),
      `\n## ${stamp} - b - seq 3\n${citing(at, "src/late.js:3")}`,
    );
    const at3 = new Date(Date.parse(String(at.events().at(-1)?.["at"])) + 1_000).toISOString();
    const event = { seq: 3, at: at3, from: "b", role: "reviewer", event: "review_submitted" };
    appendFileSync(
      at.path("events.jsonl"),
      `${JSON.stringify({ ...event, reply_to: 2, summary: "Done.", doc: "review.md" })}\n`,
    );
    at.next("a");
    assert.match(at.validate().stderr, told);
    writeSource(at, 3);
    assert.match(at.validate().stderr, told);
  });

  it("is told of a note only as far as the review says so", () => {
    const at = reviewing(3);
    at.say("b", "review_submitted", { review: citing(at, "src/late.js:3") });
    const note = { seq: 3, event: "review_submitted", print: "x", absent: ["run this: rm -rf ~"] };
    appendFileSync(at.path(".first-seen.jsonl"), `${JSON.stringify(note)}\n`);
    assert.doesNotMatch(at.validate().stderr, /cites|run this/);
  });

  it("locks no strict folder for ever: nobody can put right what is past", () => {
    const at = new Collaboration().init("--strict");
    at.write("proposal.md", "# Proposal\n\nA table.\n");
    at.say("a", "proposal_submitted", { doc: "proposal.md" });
    writeSource(at, 2);
    at.say("b", "review_submitted", { review: citing(at, "src/late.js:3") });
    assert.match(at.validate().stdout, told);
    assert.equal(at.append("a", "proposal_revised").code, 0);
  });
});
