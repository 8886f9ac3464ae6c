import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { Collaboration, collaborationAt, type Stage } from "./folder.ts";
import { OriginalWriter } from "./original-writer.ts";

/** A broken rule of the seed that the originals accept. */
interface Breach {
  readonly name: string;
  readonly stage: Stage;
  readonly spoil: (at: Collaboration) => void;
  /** What is told of it. */
  readonly told: RegExp;
  /** Who is told by `next-action`, and who is not. */
  readonly fixer: string;
  readonly other?: string;
  readonly schema?: 1 | 2;
}

const proposal = "# Proposal\n\nOne table.\n";

const breaches: Breach[] = [
  {
    name: "a proposal that is still its template",
    stage: "reviewing",
    spoil: () => undefined,
    told: /proposal\.md is still its template/,
    fixer: "a",
    other: "b",
  },
  {
    name: "one of the original's, which is all TBD",
    stage: "reviewing",
    spoil: (at) =>
      at.write(
        "proposal.md",
        "# Proposal\n\n## Purpose\n\nAgree on the sync API\n\n## Questions\n\n- TBD\n",
      ),
    told: /proposal\.md is still its template/,
    fixer: "a",
    other: "b",
  },
  {
    name: "decisions that are still their template",
    stage: "readiness",
    spoil: (at) => at.write("decisions.md", "# Decisions\n\n## Accepted Decisions\n\n- TBD.\n"),
    told: /decisions\.md is still its template/,
    fixer: "a",
    other: "b",
  },
  {
    name: "question_classified with an open question left",
    stage: "classified",
    spoil: (at) => at.write("readiness.md", at.readiness("- [unresolved] Which port?")),
    told: /readiness\.md has unresolved questions after question_classified/,
    fixer: "a",
  },
  {
    name: "a review that lacks a section",
    stage: "revising",
    spoil: (at) =>
      at.write("review.md", at.read("review.md").replaceAll(/^Concerns:$/gm, "Worries:")),
    told: /review\.md: the review of seq 3 lacks Concerns:/,
    fixer: "b",
    other: "a",
  },
  {
    name: "a proposal that its owner edits while it is reviewed",
    stage: "reviewing",
    spoil: (at) => at.write("proposal.md", proposal),
    told: /proposal\.md was edited after seq 2, while others review it: restore it/,
    fixer: "a",
    other: "b",
  },
  {
    name: "a review that cites nothing",
    stage: "revising",
    spoil: (at) => at.write("review.md", at.read("review.md").replace("proposal.md:1 to", "it to")),
    told: /the review of seq 3 cites nothing: no FILE:LINE/,
    fixer: "b",
    other: "a",
  },
  {
    name: "a proposal that was changed after it was accepted",
    stage: "readiness",
    spoil: (at) => at.write("proposal.md", proposal),
    told: /proposal\.md was changed after it was accepted by a \(seq 6\), b \(seq 7\): restore it/,
    fixer: "a",
    other: "b",
  },
  {
    name: "decisions that were changed after one side accepted them",
    stage: "readiness",
    spoil: (at) => at.write("decisions.md", "# Decisions\n\n- Another one.\n"),
    told: /decisions\.md was changed after it was accepted by a \(seq 6\), b \(seq 7\)/,
    fixer: "a",
  },
  {
    name: "a required change that no classified line answers",
    stage: "classified",
    spoil: (at) => {
      at.write(
        "review.md",
        at.read("review.md").replace("Required Changes:\n- None.", "Required Changes:\n- Name it."),
      );
      at.write("readiness.md", `${at.readiness("- [resolved] R3.1")}\nR3.1 is fine.\n`);
    },
    told: /readiness\.md does not answer R3\.1, which "b" requires: "Name it\."; write a line/,
    fixer: "a",
    other: "b",
  },
  {
    name: "an earlier line of the log that was rewritten",
    stage: "revising",
    spoil: (at) => {
      const log = at.read("events.jsonl");
      at.write("events.jsonl", log.replace('"summary":"Done."', '"summary":"None."'));
    },
    told: /events\.jsonl was rewritten at seq 2: it says otherwise than when it was first read here/,
    fixer: "b",
  },
];

describe("a rule of the seed that the originals do not check", () => {
  for (const { name, stage, spoil, told, fixer, other } of breaches) {
    it(`is told: ${name}`, () => {
      const at = collaborationAt(stage);
      spoil(at);
      const { code, stdout, stderr } = at.validate();
      assert.deepEqual([code, stdout], [0, "ACP validation passed\n"], "as the original says");
      assert.match(stderr, new RegExp(`^WARNING: ${told.source}`, "m"));
      assert.match(at.next(fixer).stdout, new RegExp(`^Not kept: ${told.source}`, "m"));
      if (other !== undefined) assert.doesNotMatch(at.next(other).stdout, told);
      const { stdout: report } = at.run("report");
      assert.match(report, new RegExp(`## Rules not kept\\n\\n(?:- .*\\n)*- .*${told.source}`));
    });
  }

  it("is told: a heading that does not match its event, in the validator's words", () => {
    const at = collaborationAt("revising");
    at.write("review.md", at.read("review.md").replace(/seq 3$/m, "seq 2"));
    const fault = /seq 3: review_submitted requires matching review\.md heading/;
    const { code, stdout, stderr } = at.validate();
    assert.equal(code, 2);
    assert.match(stdout, fault);
    assert.doesNotMatch(stderr, fault, "told once");
    assert.match(at.next("b").stdout, new RegExp(`^Not kept: ${fault.source}`, "m"));
  });

  it("is told: readiness passed over a folder that does not validate", () => {
    const at = collaborationAt("passed");
    at.write("state.log", "");
    const told =
      /seq 8: readiness_passed over a folder that does not validate \("state\.log is not/;
    assert.match(at.validate().stderr, told);
    assert.match(at.run("report").stdout, told);
  });

  it("stays told when the review is over, and not of what the owner edits then", () => {
    const at = collaborationAt("reviewing");
    at.write("proposal.md", proposal);
    at.say("b", "review_submitted", { review: at.review() });
    const told = /WARNING: proposal\.md was edited between seq 2 and seq 3, while others reviewed/;
    assert.match(at.validate().stderr, told);
    const fair = collaborationAt("revising");
    fair.write("proposal.md", proposal);
    fair.say("a", "proposal_revised");
    assert.doesNotMatch(fair.validate().stderr, /edited/);
  });

  it("is told of what the original's participants do, from when one of ours has looked", async () => {
    const at = collaborationAt("drafting");
    const owner = new OriginalWriter(at, "a");
    await owner.append("proposal_submitted", { doc: "proposal.md" });
    at.next("b");
    at.write("proposal.md", proposal);
    assert.match(at.validate().stderr, /proposal\.md was edited after seq 2/);
  });

  it("is a warning like any other where the session is ours, by its name", () => {
    const { project } = collaborationAt("drafting");
    const open = ["--session", "ours", "--objective", "O", "--completion", "G"];
    assert.equal(
      project.run("init", [...open, "--participant", "a", "--participant", "b"]).code,
      0,
    );
    const by = ["--session", "ours", "--participant", "a"];
    const submitted = ["--event", "proposal_submitted", "--summary", "S", "--reply-to", "1"];
    assert.equal(project.run("append-event", [...by, ...submitted]).code, 0);
    const { code, stdout } = project.run("validate", ["--session", "ours"]);
    assert.equal(code, 1);
    assert.match(stdout, /^WARNING: ours: proposal\.md is still its template$/m);
  });
});

describe("a review", () => {
  const withChange = (at: Collaboration) =>
    at
      .review()
      .replace(
        "Required Changes:\n- None.",
        "Required Changes:\n- Name the port.\n  Any.\n- Log it.",
      )
      .replace("Questions:\n- None.", "Questions:\n- Why?");

  it("gets an id for each point, which its owner is told to answer and then has answered", () => {
    const at = collaborationAt("reviewing");
    at.say("b", "review_submitted", { review: withChange(at) });
    const review = at.read("review.md");
    for (const line of ["- R3.1: Name the port.", "- R3.2: Log it.", "- Q3.1: Why?"]) {
      assert(review.includes(`${line}\n`), line);
    }
    const ahead =
      /^Before question_classified: readiness\.md does not answer R3\.2, which "b" requires: "Log it\."/m;
    assert.match(at.next("a").stdout, ahead);
    assert.doesNotMatch(at.next("b").stdout, /R3\.2/);
    assert.doesNotMatch(at.validate().stderr, /R3\./, "before its time only the owner is told");
    at.say("a", "proposal_revised");
    at.writeDocuments();
    const answers = ["R3.1: 8080", "R3.2 and Q3.1: it is logged"].map((it) => `- [resolved] ${it}`);
    at.write("readiness.md", at.readiness(...answers));
    at.say("a", "question_classified");
    assert.doesNotMatch(at.next("a").stdout, /[RQ]3\./);
    assert.doesNotMatch(at.validate().stderr, /[RQ]3\./);
  });

  it("that says what another one says is told, whatever its case and blanks", () => {
    const at = collaborationAt("reviewing", { participants: ["a", "b", "c"] });
    at.say("b", "review_submitted", { review: withChange(at) });
    at.say("c", "review_submitted", { review: withChange(at).replace("Name the", "NAME  the") });
    const told = /the review of seq 4 says word for word what that of seq 3 says/;
    assert.match(at.validate().stderr, told);
    assert.match(at.next("c").stdout, told);
    assert.doesNotMatch(at.next("b").stdout, told);
  });
});

describe("a note of what was first seen", () => {
  it("that somebody else wrote puts no words into a line of ours", () => {
    const at = collaborationAt("revising");
    const line = (seq: number, event: string, hash: string) =>
      JSON.stringify({ seq, event, print: "x", docs: { EVIL: hash, "proposal.md": hash } });
    const notes = [line(2, "proposal_submitted", "1"), line(3, "review_submitted", "2"), "EVIL"];
    at.write(".first-seen.jsonl", `${notes.join("\n")}\n`);
    for (const { stdout, stderr } of [at.validate(), at.next("a"), at.run("report")]) {
      assert.match(stdout + stderr, /proposal\.md was edited between seq 2 and seq 3/);
      assert.doesNotMatch(stdout + stderr, /EVIL/);
    }
  });

  it("that cannot be written stops nobody", () => {
    const at = collaborationAt("reviewing");
    rmSync(at.path(".first-seen.jsonl"));
    mkdirSync(at.path(".first-seen.jsonl"));
    at.say("b", "review_submitted", { review: at.review() });
    assert.equal(at.next("a").code, 0);
    at.checkValid();
  });
});

describe("a folder that was begun with --strict", () => {
  let model: Collaboration;
  before(() => {
    model = new Collaboration().init("--strict");
  });
  const strictAt = (stage: Stage) => {
    const at = model.copy();
    const steps: [Stage, () => void][] = [
      [
        "reviewing",
        () => {
          at.write("proposal.md", proposal);
          at.say("a", "proposal_submitted", { doc: "proposal.md" });
        },
      ],
      ["revising", () => at.say("b", "review_submitted", { review: at.review() })],
      ["revised", () => at.say("a", "proposal_revised")],
      [
        "readiness",
        () => {
          at.writeDocuments();
          at.say("a", "question_classified");
          for (const name of ["a", "b"]) at.say(name, "decision_accepted");
        },
      ],
      ["passed", () => at.say("a", "readiness_passed")],
      ["completed", () => at.say("a", "completed", { doc: "conclusion.md" })],
    ];
    for (const [name, step] of steps) {
      if (stage === "drafting") break;
      step();
      if (name === stage) break;
    }
    return at;
  };

  const rejected: [
    name: string,
    stage: Stage,
    spoil: (at: Collaboration) => void,
    by: string,
    event: string,
    told: RegExp,
  ][] = [
    ["a template", "drafting", () => undefined, "a", "proposal_submitted", /is still its template/],
    [
      "a review without its text",
      "reviewing",
      () => undefined,
      "b",
      "review_submitted",
      /requires matching review\.md heading/,
    ],
    [
      "a review that cites nothing",
      "reviewing",
      (at) =>
        at.write(
          "review.md",
          `# Review\n\n## 2026-01-01T00:00:00Z - b - seq 3\n\n${at.review().replace("proposal.md:1", "it")}`,
        ),
      "b",
      "review_submitted",
      /the review of seq 3 cites nothing/,
    ],
    [
      "decisions that were changed after they were accepted",
      "readiness",
      (at) => at.write("decisions.md", "# Decisions\n\n- Another one.\n"),
      "a",
      "readiness_passed",
      /decisions\.md was changed after it was accepted by a \(seq 6\), b \(seq 7\)/,
    ],
    [
      "a required change without an answer",
      "revised",
      (at) => {
        at.writeDocuments();
        const text = at.read("review.md");
        at.write("review.md", text.replace("Questions:\n- None.", "Questions:\n- Why?"));
      },
      "a",
      "question_classified",
      /does not answer Q3\.1/,
    ],
    [
      "a log whose line was rewritten",
      "revising",
      (at) => {
        const path = at.path("events.jsonl");
        writeFileSync(path, readFileSync(path, "utf8").replace('"Done."', '"None."'));
      },
      "a",
      "proposal_revised",
      /events\.jsonl was rewritten at seq 2/,
    ],
  ];
  for (const [name, stage, spoil, by, event, told] of rejected) {
    it(`rejects ${name}, and takes blocked`, () => {
      const at = strictAt(stage);
      const { seq } = at;
      spoil(at);
      const { code, stdout, stderr } = at.append(by, event);
      assert.deepEqual([code, stdout, at.seq], [2, "", seq], stderr);
      assert.match(stderr, /^error: this folder was begun with --strict: .*or append blocked$/m);
      assert.match(stderr, told);
      at.say(by, "blocked");
    });
  }

  it("rejects a review of what was edited meanwhile, until it is restored", () => {
    const at = strictAt("reviewing");
    at.write("proposal.md", `${proposal}More.\n`);
    const { code, stderr } = at.append("b", "review_submitted", { review: at.review() });
    assert.equal(code, 2);
    assert.match(stderr, /proposal\.md was edited after seq 2, while others review it: restore it/);
    assert.doesNotMatch(at.read("review.md"), /^## .* - b - seq 3$/m);
    at.write("proposal.md", proposal);
    at.say("b", "review_submitted", { review: at.review() });
  });

  it("comes to its end where all is kept, without a warning", () => {
    const at = strictAt("completed");
    assert.deepEqual([at.state["strict"], at.state["currentPhase"]], [true, "completed"]);
    const { code, stdout, stderr } = at.validate();
    assert.deepEqual([code, stdout, stderr], [0, "ACP validation passed\n", ""]);
    assert.doesNotMatch(at.run("report").stdout, /Rules not kept/);
  });

  it("takes a review whose text comes with it, and warns with exit 1 of what breaks later", () => {
    const at = strictAt("revising");
    at.write("proposal.md", `# Proposal\n\n- TBD\n`);
    const { code, stdout } = at.validate();
    assert.equal(code, 1);
    assert.match(stdout, /^WARNING: proposal\.md is still its template$/m);
  });
});
