import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { describe, it } from "node:test";
import { Collaboration, collaborationAt, type Stage } from "./folder.ts";

// What the originals were seen to do where ours once did otherwise. Their texts are the contract;
// whatever ours says behind them helps and may change.

const errorsOf = (stdout: string) => {
  const [verdict, ...lines] = stdout.trimEnd().split("\n");
  return { verdict, errors: lines.map((line) => line.replace(/^ERROR: /, "")) };
};

describe("init writes what was given", () => {
  it("keeps gates that are named twice", () => {
    const at = new Collaboration({ gates: ["Done", " Done ", "Seen"] }).init();
    assert.deepEqual(at.state["completionGates"], ["Done", "Done", "Seen"]);
  });

  it("keeps sections that are named twice, and paths with detours", () => {
    const at = new Collaboration({ schema: 1 });
    const ran = at.run("init", [
      ...at.initArgs(),
      ...["--primary-deliverable-type", "custom", "--primary-deliverable-file", "./x.md"],
      ...["--primary-deliverable-check", "A", "--primary-deliverable-check", " A "],
      ...["--deliverables-dir", "out/"],
    ]);
    assert.equal(ran.code, 0, ran.stderr);
    const { deliverables, completionGates } = at.state;
    assert.deepEqual(deliverables, {
      attachments: [],
      coAuthors: [],
      dir: "out/",
      mode: "internal",
      owner: "a",
      primary: { checklist: ["A", "A"], file: "./x.md", type: "custom" },
      supporting: [],
    });
    assert.match(JSON.stringify(completionGates), /exists: `out\/x\.md`/);
    assert(existsSync(at.path("out/x.md")));
  });
});

describe("a refusal finds what the original finds", () => {
  const refusals: [
    name: string,
    stage: Stage,
    spoil: (at: Collaboration) => void,
    event: string,
    text: string,
  ][] = [
    [
      "a readiness that is not checked",
      "frozen",
      (at) => at.write("readiness.md", "# R\n"),
      "readiness_passed",
      'readiness.md: line "- [ ] Ready to implement" must become "- [x] Ready to implement"',
    ],
    [
      "a readiness.md that is missing",
      "frozen",
      (at) => rmSync(at.path("readiness.md")),
      "readiness_passed",
      "readiness.md: is missing; write it",
    ],
    [
      "a question that was opened after the acceptances",
      "frozen",
      (at) => at.write("readiness.md", at.readiness("- [unresolved] Late.")),
      "readiness_passed",
      'readiness.md: line "- [unresolved] Late." must become "- [<resolved|',
    ],
    [
      "gates that are not checked",
      "passed",
      (at) => at.write("readiness.md", "- [x] Ready to implement\n"),
      "completed",
      'readiness.md: gate is not checked: once it is met, write the line "- [x] Codes are listed"',
    ],
    [
      "a conclusion.md that is missing",
      "passed",
      (at) => rmSync(at.path("conclusion.md")),
      "completed",
      "conclusion.md: is missing; write it",
    ],
    [
      "an acceptance out of its phase, with its open questions",
      "drafting",
      () => {},
      "decision_accepted",
      "seq 2: decision_accepted is not allowed from phase drafting; " +
        "seq 2: decision_accepted is reserved for no participant; got a; " +
        "seq 2: unresolved readiness questions must be classified before decision_accepted",
    ],
  ];
  for (const [name, stage, spoil, event, text] of refusals) {
    it(`of ${name}`, () => {
      const at = collaborationAt(stage);
      spoil(at);
      const doc = event === "completed" ? { doc: "conclusion.md" } : {};
      const { code, stdout, stderr } = at.append("a", event, doc);
      assert.deepEqual([code, stdout], [2, ""]);
      assert(stderr.includes(text), stderr);
    });
  }

  it("of a deliverable in a repository that is not named", () => {
    const at = new Collaboration({ schema: 2 }).init(
      ...["--deliverables-mode", "external", "--repo-root", ".."],
    );
    const { repoRoot: _, ...rest } = at.state;
    at.write("protocol.json", JSON.stringify(rest));
    const fields = { doc: "external:adr.md", role: "primary" };
    const { code, stderr } = at.append("a", "deliverable_drafted", fields);
    assert.equal(code, 2);
    assert(stderr.includes("repoRoot is required for external deliverables"), stderr);
  });

  it("of a participant with quotes in its name", () => {
    const { code, stderr } = collaborationAt("drafting").next("o'x");
    assert.equal(code, 2);
    assert(stderr.includes(`participant "o'x" is not listed in protocol.json`), stderr);
  });

  for (const [line, text] of [
    ["{bad", "events.jsonl line 2 is not JSON: "],
    ["[1]", "events.jsonl line 2 is not a JSON object: "],
  ] as const) {
    it(`of a log with the line ${line}`, () => {
      const at = collaborationAt("drafting");
      at.write("events.jsonl", `${at.read("events.jsonl")}${line}\n`);
      for (const { code, stderr } of [at.next("a"), at.append("b", "blocked", { "reply-to": 1 })]) {
        assert.equal(code, 2);
        assert(stderr.includes(text), stderr);
      }
    });
  }
});

describe("the validator", () => {
  const missing = [
    ...["protocol.json", "events.jsonl", "proposal.md", "review.md"],
    ...["decisions.md", "readiness.md", "conclusion.md"],
  ].map((name) => `missing ${name}`);

  it("tells of a folder that is not there as of an empty one, and makes none", () => {
    const at = new Collaboration();
    const { code, stdout } = at.validate();
    const { verdict, errors } = errorsOf(stdout);
    assert.equal(code, 2);
    assert.equal(verdict, "ACP validation failed");
    assert.match(errors[0] ?? "", /^missing protocol\.json in .*shared$/);
    assert.deepEqual(errors.slice(1), missing);
    assert.deepEqual(readdirSync(at.project.folder), []);
  });

  it("stops after the files when protocol.json is no JSON", () => {
    const at = collaborationAt("revising");
    at.write("protocol.json", "{");
    at.write("state.log", "");
    const { errors } = errorsOf(at.validate().stdout);
    assert.equal(errors.length, 2);
    assert.match(errors[0] ?? "", /^invalid protocol\.json: /);
    assert.match(errors[1] ?? "", /^state\.log is not part of the protocol/);
  });

  it("tells what the log breaks before what protocol.json says otherwise", () => {
    const at = collaborationAt("drafting");
    at.write(
      "events.jsonl",
      `${at.read("events.jsonl")}{"seq":"2","from":"b","event":"foo",` +
        '"at":"2099-01-01T00:00:00Z","summary":"s","reply_to":1}\n',
    );
    at.write("protocol.json", JSON.stringify({ ...at.state, currentPhase: "revising" }));
    assert.deepEqual(errorsOf(at.validate().stdout).errors, [
      'events.jsonl: expected seq 2, found "2"',
      'seq 2: unknown event "foo"',
      'protocol.json currentPhase is "revising", expected drafting',
    ]);
  });

  it("names no seq where initialized comes again", () => {
    const at = collaborationAt("drafting");
    const [event] = at.events();
    at.write(
      "events.jsonl",
      `${at.read("events.jsonl")}${JSON.stringify({ ...event, seq: 2, reply_to: 1 })}\n`,
    );
    assert.deepEqual(errorsOf(at.validate().stdout).errors, ["initialized must be seq 1"]);
  });

  const statements: [name: string, change: Record<string, unknown>, errors: string[]][] = [
    ["a blank objective", { objective: "  " }, []],
    ["an empty one", { objective: "" }, ["protocol.json objective must not be blank"]],
    [
      "a version that is a text",
      { protocol: "x", schemaVersion: "2" },
      ["protocol.json protocol must be 'acp'", "protocol.json schemaVersion must be 2"],
    ],
  ];
  for (const [name, change, expected] of statements) {
    it(`judges ${name} as the original does`, () => {
      const at = collaborationAt("drafting", { schema: 2 });
      at.write("protocol.json", JSON.stringify({ ...at.state, ...change }));
      const { verdict, errors } = errorsOf(at.validate().stdout);
      assert.deepEqual(errors, expected);
      assert.equal(verdict, `ACP validation ${expected.length === 0 ? "passed" : "failed"}`);
    });
  }

  it("takes a missing document for an empty one", () => {
    const at = collaborationAt("completed");
    rmSync(at.path("readiness.md"));
    assert.deepEqual(errorsOf(at.validate().stdout).errors, [
      "missing readiness.md",
      "readiness.md must check 'Ready to implement' before readiness_passed or completed",
      "completion gates must be checked before completed: Codes are listed",
    ]);
  });

  it("quotes the names of review.md", () => {
    const at = collaborationAt("revising");
    at.write("review.md", at.read("review.md").replace("- b - seq", "- o'x - seq"));
    const fault = `participant "o'x" does not match event from "b"`;
    assert.deepEqual(errorsOf(at.validate().stdout).errors, [`review.md heading seq 3: ${fault}`]);
  });
});
