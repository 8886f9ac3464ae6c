import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { checkRefused, isOneLine } from "../dialogue/project.ts";
import { Collaboration, collaborationAt, type Fields, primary, type Stage } from "./folder.ts";

const mebibyte = 1_048_576;

/** Refused in one line, with exit code 2, and the folder is byte for byte what it was. */
async function refused(
  at: Collaboration,
  reason: RegExp,
  by: string,
  event: string,
  fields?: Fields,
): Promise<string> {
  let said = "";
  await checkRefused(at.project, 2, reason, () => {
    const ran = at.append(by, event, fields);
    said = ran.stderr;
    return ran;
  });
  return said;
}

describe("append-event refuses, naming what would be accepted,", () => {
  type Row = [
    what: string,
    stage: Stage,
    by: string,
    event: string,
    fields: Fields,
    reason: RegExp,
  ];
  const may = (events: string) => new RegExp(`; you may append now: ${events}; run next-action\n$`);
  const again = (event: string, events: string) =>
    new RegExp(`; then append ${event} again${may(events).source}`);
  const rows: [...Row, allowed?: RegExp][] = [
    [
      ...(["an unknown participant", "reviewing", "mallory", "blocked", {}] as const),
      /^error: participant "mallory" is not listed in protocol\.json; its participants are a, b\n$/,
    ],
    [
      ...(["an unknown event", "reviewing", "b", "reviewed", {}] as const),
      /^error: unknown event "reviewed"; /,
      may("review_submitted, blocked"),
    ],
    [
      ...([
        "an event of schema 2 in schema 1",
        "readiness",
        "a",
        "deliverable_frozen",
        {},
      ] as const),
      /^error: unknown event "deliverable_frozen"; /,
      may("readiness_passed, blocked"),
    ],
    [
      ...(["an event out of turn", "reviewing", "a", "review_submitted", {}] as const),
      /seq 3: review_submitted is reserved for b; got a; waiting for b; /,
      may("blocked"),
    ],
    [
      ...(["an event of the owner by another", "drafting", "b", "proposal_submitted", {}] as const),
      /seq 2: proposal_submitted is reserved for a; got b; waiting for a; /,
      may("blocked"),
    ],
    [
      ...(["an event out of phase", "drafting", "a", "proposal_revised", {}] as const),
      /seq 2: proposal_revised is not allowed from phase drafting; /,
      may("proposal_submitted, blocked"),
    ],
    [
      ...(["a second initialized", "drafting", "a", "initialized", {}] as const),
      /error: initialized must be seq 1; /,
      may("proposal_submitted, blocked"),
    ],
    [
      ...(["a review twice", "revising", "b", "review_submitted", {}] as const),
      /seq 4: review_submitted is not allowed from phase revising; .*; waiting for a; /,
      may("blocked"),
    ],
    [
      ...(["acceptance before classification", "revised", "a", "decision_accepted", {}] as const),
      /decision_accepted requires question_classified after the latest proposal or decision/,
      may(
        "decision_proposed, question_classified, blocked|question_classified, decision_proposed, blocked",
      ),
    ],
    [
      ...(["completion before readiness", "readiness", "a", "completed", {}] as const),
      /completed requires a prior readiness_passed event/,
    ],
    [
      ...([
        "completion without the conclusion",
        "passed",
        "a",
        "completed",
        { doc: "review.md" },
      ] as const),
      /completed must reference conclusion\.md/,
    ],
    [
      ...(["an event after the end", "completed", "a", "proposal_revised", {}] as const),
      /proposal_revised is not allowed from phase completed/,
      may("blocked"),
    ],
    [
      ...(["no reply_to", "reviewing", "b", "blocked", { "reply-to": undefined }] as const),
      /reply_to is required after initialized: give --reply-to 2, or the event that you answer/,
    ],
    [
      ...(["a reply_to to the future", "reviewing", "b", "blocked", { "reply-to": 9 }] as const),
      /reply_to must point to an existing event: it is 9; give 1 to 2; /,
    ],
    [
      ...(["a reply_to to itself", "reviewing", "b", "blocked", { "reply-to": 3 }] as const),
      /reply_to must point to an existing event: it is 3; give 1 to 2; /,
    ],
    [
      ...(["a reply_to of 0", "reviewing", "b", "blocked", { "reply-to": 0 }] as const),
      /reply_to must point to an existing event: it is 0; give 1 to 2; /,
    ],
    ...["../notes.md", "/etc/passwd", "a/../../b.md", "..", "~/x.md", "C:\\x.md", "a\nb"].map(
      (doc): [...Row, RegExp] => [
        ...([`doc ${JSON.stringify(doc)}`, "reviewing", "b", "blocked", { doc }] as const),
        /leads out of the folder or is no plain path: give it relative to the collaboration folder/,
        again("blocked", "review_submitted"),
      ],
    ),
    [
      ...([
        "a doc that is absent",
        "reviewing",
        "b",
        "review_submitted",
        { doc: "mine.md" },
      ] as const),
      /doc "mine\.md" is no file in the collaboration folder: write it, or leave --doc out; /,
      again("review_submitted", "blocked"),
    ],
    [
      ...([
        "a summary of 4001 characters",
        "drafting",
        "a",
        "blocked",
        { summary: "x".repeat(4_001) },
      ] as const),
      /summary has 4001 characters, at most 4000 are allowed: say it in one short sentence/,
    ],
    [
      ...(["the summary of the draft", "drafting", "a", "blocked", { summary: "..." }] as const),
      /summary is not filled in: say it in one short sentence/,
    ],
    [
      ...(["a role on another event", "drafting", "a", "blocked", { role: "primary" }] as const),
      /role belongs to deliverable events, not to "blocked": leave it out/,
    ],
  ];
  for (const [what, stage, by, event, fields, reason, allowed] of rows) {
    it(what, async () => {
      const at = collaborationAt(stage);
      const said = await refused(at, reason, by, event, fields);
      if (allowed !== undefined) assert.match(said, allowed);
    });
  }

  const primaryRole = { doc: primary, role: "primary" };
  const hash = "0".repeat(64);
  const deliverables: [what: string, fields: Fields, reason: RegExp][] = [
    ["no role", { doc: primary }, /deliverable events require role/],
    ["no doc", { role: "primary" }, /deliverable events require doc/],
    ["another doc", { ...primaryRole, doc: "proposal.md" }, /doc must reference the primary/],
    [
      "an undeclared supporting doc",
      { doc: "x.md", role: "supporting", sha256: hash },
      /doc must reference a declared supporting deliverable/,
    ],
    ["no hash", primaryRole, /deliverable_frozen requires sha256/],
    ["half a hash", { ...primaryRole, sha256: "abc" }, /deliverable_frozen requires sha256/],
    ["another hash", { ...primaryRole, sha256: hash }, /sha256 does not match current file/],
  ];
  for (const [what, fields, reason] of deliverables) {
    it(`a freeze with ${what}`, async () => {
      const at = collaborationAt("readiness", { schema: 2 });
      const said = await refused(at, reason, "a", "deliverable_frozen", fields);
      assert.match(said, again("deliverable_frozen", "blocked"));
    });
  }

  it("schema 2: readiness before the freeze, a proposal before the draft, a second freeze", async () => {
    const at = collaborationAt("readiness", { schema: 2 });
    await refused(
      at,
      /readiness_passed requires primary deliverable_frozen/,
      "a",
      "readiness_passed",
    );
    const fresh = collaborationAt("drafting", { schema: 2 });
    const reason = /proposal_submitted requires prior primary deliverable_drafted/;
    await refused(fresh, reason, "a", "proposal_submitted");
    const frozen = collaborationAt("frozen", { schema: 2 });
    const again = { ...primaryRole, sha256: frozen.hash() };
    await refused(
      frozen,
      /primary deliverable can be frozen only once/,
      "a",
      "deliverable_frozen",
      again,
    );
  });
});

describe("a review that", () => {
  const rows: [what: string, review: string, reason: RegExp][] = [
    ["is empty", "", /the review lacks "Context:", "Position:", "Concerns:"/],
    [
      "lacks a section",
      "Context:\nPosition:\nConcerns:\nQuestions:\n",
      /lacks "Required Changes:"/,
    ],
    [
      "forges a heading",
      "Context:\nPosition:\nConcerns:\nRequired Changes:\nQuestions:\n## x - a - seq 1\n",
      /reads as the heading of a review: take it out/,
    ],
  ];
  for (const [what, review, reason] of rows) {
    it(`${what} is refused`, async () => {
      await refused(collaborationAt("reviewing"), reason, "b", "review_submitted", { review });
    });
  }

  it("does not name the deliverable is refused in schema 2", async () => {
    const at = collaborationAt("reviewing", { schema: 2 });
    const review = at.review().replaceAll(primary, "the file");
    await refused(at, /the review lacks "deliverables\/adr\.md"/, "b", "review_submitted", {
      review,
    });
  });

  it("belongs to another event is refused", async () => {
    const at = collaborationAt("reviewing");
    const reason = /a review belongs to review_submitted, not to blocked: leave --review out/;
    await refused(at, reason, "b", "blocked", { review: at.review() });
  });

  it("cannot be read is refused", async () => {
    const at = collaborationAt("reviewing");
    const bad: [content: Uint8Array | undefined, reason: RegExp][] = [
      [undefined, /cannot read review\.txt: there is no such file/],
      [Uint8Array.of(0xff), /review\.txt is not UTF-8 text; save it as UTF-8/],
      [Buffer.alloc(mebibyte + 1, "x"), /review\.txt has 1048577 bytes, the limit is 1048576/],
    ];
    const args = [...at.appendArgs("b", "review_submitted"), "--review", "review.txt"];
    for (const [content, reason] of bad) {
      if (content !== undefined) writeFileSync(`${at.project.folder}/review.txt`, content);
      await checkRefused(at.project, 2, reason, () => at.run("append-event", args));
    }
  });
});

/** Puts something in the place of a document. */
const spoilers: [what: string, spoil: (at: Collaboration, file: string) => void, reason: RegExp][] =
  [
    ["is missing", (at, file) => rmSync(at.path(file)), /(\S+): is missing; write it/],
    [
      "is not UTF-8",
      (at, file) => at.write(file, Uint8Array.of(0x2d, 0xc3, 0x28)),
      /(\S+) is not UTF-8 text: save it as UTF-8/,
    ],
    [
      "is a byte longer than 1 MiB",
      (at, file) => at.write(file, "x".repeat(mebibyte + 1)),
      /(\S+) has 1048577 bytes; the limit is 1048576: make it shorter/,
    ],
    [
      "is a folder",
      (at, file) => {
        rmSync(at.path(file));
        mkdirSync(at.path(file));
      },
      /(\S+) is not a regular file/,
    ],
    [
      "is a link",
      (at, file) => {
        rmSync(at.path(file));
        symlinkSync("/etc/passwd", at.path(file));
      },
      /(\S+) is a link/,
    ],
  ];

describe("a document that is needed and", () => {
  const needed = [
    ["readiness.md", "classified", "decision_accepted"],
    ["readiness.md", "readiness", "readiness_passed"],
    ["conclusion.md", "passed", "completed"],
  ] as const;
  for (const [what, spoil, reason] of spoilers) {
    it(`${what} is named, and nothing is appended`, async () => {
      for (const [file, stage, event] of needed) {
        const at = collaborationAt(stage);
        spoil(at, file);
        const named = new RegExp(reason.source.replace("(\\S+)", file.replace(".", "\\.")));
        await refused(at, named, "a", event, { doc: "conclusion.md" });
      }
    });
  }

  it("is empty is judged by what it lacks", async () => {
    const readiness = collaborationAt("readiness");
    readiness.write("readiness.md", "");
    const reason = /line "- \[ \] Ready to implement" must become/;
    await refused(readiness, reason, "a", "readiness_passed");
    const conclusion = collaborationAt("passed");
    conclusion.write("conclusion.md", "");
    const lacks =
      /conclusion\.md: the section "## Decision Outcome" is missing; .*; conclusion\.md: exactly one line must/;
    await refused(conclusion, lacks, "a", "completed", { doc: "conclusion.md" });
    const deliverable = collaborationAt("readiness", { schema: 2 });
    deliverable.write(primary, "");
    const fields = { doc: primary, role: "primary", sha256: deliverable.hash() };
    await refused(deliverable, /needs a line "Status: Frozen"/, "a", "deliverable_frozen", fields);
  });

  it("says what is not allowed is named with the gate or the words", async () => {
    const at = collaborationAt("passed");
    const conclusion = at.read("conclusion.md");
    const texts: [text: string, reason: RegExp][] = [
      [`${conclusion}\nTBD\n`, /write what is true in place of TBD/],
      [`${conclusion}\n\u5f85\u5b9a\n`, /write what is true in place of TBD/],
      [
        `${conclusion}\n- [defer] Or not.\n`,
        /exactly one line must be "- \[<proceed\|do_not_proceed\|defer>\] <why>"; 2 came/,
      ],
      [
        conclusion.replace("[proceed]", "[blocked]"),
        /line "- \[blocked\] Everybody agrees\." must become "- \[<proceed\|do_not_proceed\|defer>\] <why>"/,
      ],
    ];
    for (const [text, reason] of texts) {
      at.write("conclusion.md", text);
      await refused(at, reason, "a", "completed", { doc: "conclusion.md" });
    }
    at.write("conclusion.md", conclusion);
    at.write(
      "readiness.md",
      at.readiness().replace("[x] Codes are listed", "[ ] Codes are listed"),
    );
    const gate =
      /gate is not checked: once it is met, line "- \[ \] Codes are listed" must become "- \[x\] Codes are listed"/;
    await refused(at, gate, "a", "completed", { doc: "conclusion.md" });
  });

  it("is not needed stops nobody", () => {
    const files = ["readiness.md", "conclusion.md", "decisions.md"];
    for (const [shift] of files.entries()) {
      const at = collaborationAt("reviewing");
      for (const [index, file] of files.entries()) {
        spoilers[(index + 2 * shift) % spoilers.length]?.[1](at, file);
      }
      assert.equal(at.guidance("b").moves[0]?.["event"], "review_submitted");
      at.say("b", "review_submitted", { review: at.review() });
      assert.equal(at.append("a", "blocked").code, 0);
    }
  });
});

describe("a review.md that cannot be written to", () => {
  for (const [what, spoil] of spoilers.slice(1)) {
    if (what.includes("longer")) continue;
    it(`because it ${what} refuses the review before it is in the log`, async () => {
      const at = collaborationAt("reviewing");
      spoil(at, "review.md");
      await refused(at, /review\.md/, "b", "review_submitted", { review: at.review() });
      assert.equal(at.seq, 2);
    });
  }
});

describe("init refuses, in one line and without a trace,", () => {
  const good = (...words: string[]) => ["--objective", "x", "--completion", "g", ...words];
  const two = ["--participant", "a", "--participant", "b"];
  const adr = ["--primary-deliverable-type", "adr"];
  const rows: [what: string, args: string[], reason: RegExp][] = [
    [
      "a blank objective",
      ["--objective", " \t", "--completion", "g", ...two],
      /^error: --objective must not be blank\n$/,
    ],
    [
      "blank participants",
      good("--participant", " ", "--participant", ""),
      /at least one non-blank --participant is required/,
    ],
    [
      "blank gates",
      ["--objective", "x", "--completion", " ", ...two],
      /at least one non-blank --completion is required/,
    ],
    [
      "everything blank, with every reason",
      ["--objective", "", "--completion", "", "--participant", ""],
      /--objective .*; at least one .*--participant.*; at least one .*--completion/,
    ],
    [
      "the same participant twice in schema 2",
      good("--participant", "a", "--participant", " a ", ...adr),
      /at least two non-blank --participant values are required/,
    ],
    [
      "65 participants",
      good(...Array.from({ length: 65 }, (_, index) => ["--participant", `p${index}`]).flat()),
      /65 participants were named, at most 64 can take part; split the group/,
    ],
    ...["state.log", "discussion.md", "opinions.md"].map((name): [string, string[], RegExp] => [
      `a gate that names ${name}`,
      ["--objective", "x", "--completion", `See ${name} first`, ...two],
      new RegExp(`completion gate must not reference obsolete file ${name.replace(".", "\\.")}`),
    ]),
    [
      "a gate of two lines",
      ["--objective", "x", "--completion", "a\nb", ...two],
      /must be one line/,
    ],
    [
      "an unknown type of deliverable",
      good(...two, "--primary-deliverable-type", "novel"),
      /primary deliverable type is invalid: "novel"; choose one of adr, custom/,
    ],
    [
      "a custom deliverable without sections",
      good(...two, "--primary-deliverable-type", "custom", "--primary-deliverable-file", "x.md"),
      /custom deliverables require at least one --primary-deliverable-check/,
    ],
    ...["../x.md", "/x.md", "a/../x.md"].map((file): [string, string[], RegExp] => [
      `a deliverable at ${file}`,
      good(...two, ...adr, "--primary-deliverable-file", file),
      /primary deliverable file must be relative and must not contain \.\./,
    ]),
    [
      "a deliverable that is no Markdown",
      good(...two, ...adr, "--primary-deliverable-file", "x.txt"),
      /primary deliverable file must end with \.md/,
    ],
    [
      "options of schema 2 alone",
      good(...two, "--repo-root", ".."),
      /needs --primary-deliverable-t/,
    ],
    [
      "a dialogue and a collaboration",
      good(...two, "--topic", "x"),
      /got --topic and --objective, expected one of them/,
    ],
  ];
  for (const [what, args, reason] of rows) {
    it(what, () => {
      const at = new Collaboration();
      return checkRefused(at.project, 2, reason, () => at.run("init", args));
    });
  }

  it("a folder that has one, unless --resume acknowledges it", async () => {
    const at = collaborationAt("reviewing");
    const reason = /^error: collaboration folder already contains protocol\.json; use --resume/;
    await checkRefused(at.project, 2, reason, () => at.run("init", at.initArgs()));
    const before = at.project.listing();
    const { code, stdout } = at.run("init", [...at.initArgs(), "--resume"]);
    assert.deepEqual([code, stdout], [0, `Collaboration folder already exists: ${at.folder}\n`]);
    assert.deepEqual(at.project.listing(), before);
  });

  it("a folder that is a file", async () => {
    const at = new Collaboration();
    writeFileSync(at.folder, "mine");
    await checkRefused(at.project, 2, /shared is not a folder/, () =>
      at.run("init", at.initArgs()),
    );
  });

  it("but takes duplicate participants in schema 1 for one", () => {
    const at = new Collaboration({ participants: ["a", " b ", "a", "b"] }).init();
    assert.deepEqual(at.state["participants"], [{ id: "a" }, { id: "b" }]);
  });
});

describe("gates with the characters of regular expressions", () => {
  it("are met by their own text and by no other", () => {
    const gates = ["Costs .* (a|b)? [x] \\d+ $5 ^^ {2}", "- [x] Ready", "a+"];
    const at = collaborationAt("passed", { gates });
    const doc = { doc: "conclusion.md" };
    const readiness = at.read("readiness.md");
    for (const [gate, near] of [
      [gates[0] ?? "", "Costs more (a)? [x] 7 $5 ^^ {2}"],
      [gates[2] ?? "", "aa"],
    ] as const) {
      at.write(
        "readiness.md",
        readiness.replace(`- [x] ${gate}\n`, () => `- [x] ${near}\n`),
      );
      const { code, stderr } = at.append("a", "completed", doc);
      assert.equal(code, 2);
      assert(stderr.includes(`write the line ${JSON.stringify(`- [x] ${gate}`)}`), stderr);
    }
    at.write("readiness.md", readiness);
    at.say("a", "completed", doc);
    at.checkValid();
  });
});

describe("a protocol.json that", () => {
  const rows: [what: string, text: string | Uint8Array, reason: RegExp, named?: RegExp][] = [
    ["is empty", "", /invalid protocol\.json: it is empty, expected an object/],
    ["is blank", " \n", /invalid protocol\.json: it is empty, expected an object/],
    ["is an array", "[]", /invalid protocol\.json: it is \[\], expected an object/],
    ["is torn", '{"participants": [{"id', /invalid protocol\.json: /],
    ["is not UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), /protocol\.json is not UTF-8/],
    [
      "is of a newer schema",
      '{"schemaVersion":3,"participants":["a","b"]}',
      /protocol\.json schemaVersion must be 2: it is 3 .* update Consulta if a newer one wrote it/,
      /^ERROR: .*schemaVersion must be 2/m,
    ],
    [
      "says schema 1, which has no such key",
      '{"schemaVersion":1,"participants":["a","b"]}',
      /protocol\.json schemaVersion must be 2: it is 1 /,
      /^ERROR: .*schemaVersion must be 2/m,
    ],
    ["has nobody in it", '{"participants":[]}', /participants must not be empty/],
    [
      "has a number for a participant",
      '{"participants":["a",7]}',
      /participants\[1\] is 7/,
      /^ERROR: .*participants/m,
    ],
  ];
  for (const [what, text, reason, named = /^ERROR: .*protocol\.json/m] of rows) {
    it(`${what} is refused by every script`, async () => {
      const at = collaborationAt("reviewing");
      at.write("protocol.json", text);
      await refused(at, reason, "b", "blocked");
      for (const script of ["next-action", "wait-for-turn"]) {
        const args = [
          "--participant",
          "b",
          ...(script === "wait-for-turn" ? ["--timeout", "2"] : []),
        ];
        await checkRefused(at.project, 2, reason, () => at.run(script, args));
      }
      const { code, stdout } = at.validate();
      assert.equal(code, 2);
      assert.match(stdout, /^ACP validation failed\n/);
      assert.match(stdout, named);
    });
  }

  it("contradicts the log is told by validate and corrected by whoever looks next", () => {
    const at = collaborationAt("reviewing");
    const text = at.read("protocol.json");
    const wrong = text
      .replace('"reviewing"', '"completed"')
      .replace('"proposalOwner": "a"', '"proposalOwner": "b"')
      .replace(/"waitingFor": \[[^\]]*\]/, '"waitingFor": []');
    at.write("protocol.json", wrong);
    const { code, stdout } = at.validate();
    assert.equal(code, 2);
    assert.equal(
      stdout,
      [
        "ACP validation failed",
        'ERROR: protocol.json currentPhase is "completed", expected reviewing',
        'ERROR: protocol.json proposalOwner is "b", expected "a"',
        'ERROR: protocol.json waitingFor is [], expected ["b"]\n',
      ].join("\n"),
    );
    assert.match(at.next("b").stdout, /^phase: reviewing\nproposal owner: a\nwaiting for: b\n/);
    assert.equal(at.read("protocol.json"), text);
    at.checkValid();
  });

  // The contract: exit 1 when protocol.json names no phase.
  it("names no phase gets guidance from the log, a warning and exit code 1", () => {
    const at = collaborationAt("reviewing");
    at.write("protocol.json", at.read("protocol.json").replace('"reviewing"', '"dreaming"'));
    const { code, stdout, stderr } = at.next("b");
    assert.equal(code, 1);
    assert.match(stdout, /^phase: reviewing\n/);
    assert(isOneLine(stderr), stderr);
    assert.match(stderr, /^warning: .*currentPhase must be one of \[/);
  });
});

describe("a folder that", () => {
  const scripts: [script: string, args: string[]][] = [
    ["append-event", ["--participant", "a", "--event", "blocked", "--summary", "x"]],
    ["next-action", ["--participant", "a"]],
    ["wait-for-turn", ["--participant", "a"]],
    ["report", []],
    ["status", []],
  ];

  it("is not there is named by every script", async () => {
    const at = new Collaboration();
    for (const [script, args] of scripts) {
      await checkRefused(
        at.project,
        2,
        /missing protocol\.json in .*shared: there is no such/,
        () => at.run(script, args),
      );
    }
  });

  it("is empty is named by every script", async () => {
    const at = new Collaboration();
    mkdirSync(at.folder);
    for (const [script, args] of scripts) {
      await checkRefused(at.project, 2, /missing protocol\.json in .*shared; run init there/, () =>
        at.run(script, args),
      );
    }
  });

  it("is shared with somebody who is not in it gives nothing to him", async () => {
    const at = collaborationAt("reviewing");
    const reason =
      /participant "mallory" is not listed in protocol\.json; its participants are a, b/;
    await checkRefused(at.project, 2, reason, () => at.next("mallory"));
    await checkRefused(at.project, 2, reason, () => at.wait("mallory"));
  });
});
