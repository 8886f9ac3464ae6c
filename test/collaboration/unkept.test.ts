import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Collaboration, collaborationAt, type Stage } from "./folder.ts";

/** Replaces words of a document. */
const edit = (name: string, from: string | RegExp, to: string) => (at: Collaboration) =>
  at.write(name, at.read(name).replace(from, to));
const originals = "# Proposal\n\n## Purpose\n\nAgree on the sync API\n\n## Questions\n\n- TBD\n";

/** Broken rules of the seed that the originals accept, and what is told of each. */
const breaches: [name: string, stage: Stage, spoil: (at: Collaboration) => void, told: string][] = [
  [
    "a proposal that is still its template",
    "reviewing",
    () => undefined,
    "proposal\\.md is still its template",
  ],
  [
    "one of the original's, which is all TBD",
    "reviewing",
    (at) => at.write("proposal.md", originals),
    "proposal\\.md is still its template",
  ],
  [
    "decisions that are still their template",
    "readiness",
    (at) => at.write("decisions.md", "# Decisions\n\n## Accepted Decisions\n\n- TBD.\n"),
    "decisions\\.md is still its template",
  ],
  [
    "question_classified with an open question left",
    "classified",
    (at) => at.write("readiness.md", at.readiness("- [unresolved] Which port?")),
    "readiness\\.md has unresolved questions after question_classified",
  ],
  [
    "a review that lacks a section",
    "revising",
    edit("review.md", /^Concerns:$/gm, "Worries:"),
    "review\\.md: the review of seq 3 lacks Concerns:",
  ],
  [
    "a review that cites nothing",
    "revising",
    edit("review.md", "proposal.md:1 to", "it to"),
    "the review of seq 3 cites nothing: no FILE:LINE",
  ],
  [
    "a required change that no classified line answers",
    "classified",
    (at) => {
      edit("review.md", "Required Changes:\n- None.", "Required Changes:\n- Name it.")(at);
      at.write("readiness.md", `${at.readiness("- [resolved] R3.1")}\nR3.1 is fine.\n`);
    },
    'readiness\\.md does not answer R3\\.1, which "b" requires: "Name it\\."; write a line',
  ],
];

describe("a rule of the seed that the originals do not check", () => {
  for (const [name, stage, spoil, told] of breaches) {
    it(`is told: ${name}`, () => {
      const at = collaborationAt(stage);
      spoil(at);
      const { code, stdout, stderr } = at.validate();
      assert.deepEqual([code, stdout], [0, "ACP validation passed\n"], "as the original says");
      assert.match(stderr, new RegExp(`^WARNING: ${told}`, "m"));
      const { stdout: report } = at.run("report");
      assert.match(report, new RegExp(`## Rules not kept\\n\\n(?:- .*\\n)*- .*${told}`));
    });
  }

  it("is told: readiness passed over a folder that does not validate", () => {
    const at = collaborationAt("passed");
    at.write("state.log", "");
    const told =
      /seq 8: readiness_passed over a folder that does not validate \("state\.log is not/;
    assert.match(at.validate().stderr, told);
    assert.match(at.run("report").stdout, told);
  });

  it("is a warning like any other where the session is ours, by its name", () => {
    const { project } = collaborationAt("drafting");
    const run = (script: string, line: string) =>
      project.run(script, ["--session", "ours", ...line.split(" ")]);
    const opened = run("init", "--objective O --completion G --participant a --participant b");
    assert.equal(opened.code, 0);
    const submitted = "--event proposal_submitted --summary S --reply-to 1";
    assert.equal(run("append-event", `--participant a ${submitted}`).code, 0);
    const { code, stdout } = project.run("validate", ["--session", "ours"]);
    assert.equal(code, 1);
    assert.match(stdout, /^WARNING: ours: proposal\.md is still its template$/m);
  });
});

describe("a review", () => {
  const withChange = (at: Collaboration) =>
    at
      .review()
      .replace("Changes:\n- None.", "Changes:\n- Name the port.\n  Any.\n- Log it.")
      .replace("Questions:\n- None.", "Questions:\n- Why?");

  it("gets an id for each point, which is told until the owner has answered it", () => {
    const at = collaborationAt("reviewing");
    at.say("b", "review_submitted", { review: withChange(at) });
    const review = at.read("review.md");
    for (const line of ["- R3.1: Name the port.", "- R3.2: Log it.", "- Q3.1: Why?"]) {
      assert(review.includes(`${line}\n`), line);
    }
    assert.doesNotMatch(at.validate().stderr, /R3\./, "before its time nobody is told");
    at.say("a", "proposal_revised");
    at.writeDocuments();
    const open = at.copy();
    open.say("a", "question_classified");
    const all = /readiness\.md does not answer R3\.2, which "b" requires: "Log it\."/;
    assert.match(open.validate().stderr, all);
    const answers = ["R3.1: 8080", "R3.2 and Q3.1: it is logged"].map((it) => `- [resolved] ${it}`);
    at.write("readiness.md", at.readiness(...answers));
    at.say("a", "question_classified");
    assert.doesNotMatch(at.validate().stderr, /[RQ]3\./);
  });

  it("that says what another one says is told, whatever its case and blanks", () => {
    const at = collaborationAt("reviewing", { participants: ["a", "b", "c"] });
    at.say("b", "review_submitted", { review: withChange(at) });
    at.say("c", "review_submitted", { review: withChange(at).replace("Name the", "NAME  the") });
    const told = /the review of seq 4 says word for word what that of seq 3 says/;
    assert.match(at.validate().stderr, told);
  });
});

describe("the proposal", () => {
  it("is kept as it was at each time that it was handed in", () => {
    const at = collaborationAt("revising");
    const first = at.read("proposal.md");
    at.write("proposal.md", "# Proposal\n\nOne table.\n");
    at.say("a", "proposal_revised");
    const kept = [2, 4].map((seq) => at.read(`.versions/${seq}-proposal.md`));
    assert.deepEqual(kept, [first, at.read("proposal.md")]);
  });
});
