import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { describe, it } from "node:test";
import { checkRefused, isOneLine } from "../dialogue/project.ts";
import { Collaboration, collaborationAt, primary, withoutWarnings } from "./folder.ts";

/**
 * The original's defects in the table of originals.md 2.8 that only scripts show, with what the original
 * does in its comment: every test fails on that. Those of the rules (9, 11, 12, 15, 17) are tested there.
 */

const three = { participants: ["a", "b", "c"] };

function names(at: Collaboration): unknown[] {
  return at.events().map(({ event }) => event);
}

/** Appends a line that somebody else wrote, without a word to protocol.json. */
function forge(at: Collaboration, fields: object): void {
  const event = { seq: at.seq + 1, from: "b", at: at.events().at(-1)?.["at"], summary: "Forged." };
  const line = { ...event, reply_to: at.seq, ...fields };
  appendFileSync(at.path("events.jsonl"), `${JSON.stringify(line)}\n`);
}

describe("defect 1: simultaneous appends", () => {
  // The original takes no lock: both get one seq, or the folder waits for one that has reviewed.
  it("of two reviewers get a seq each, and nobody is waited for in vain", async () => {
    const model = collaborationAt("reviewing", three);
    for (let round = 0; round < 2; round += 1) {
      const at = model.copy();
      const started = ["b", "c"].map((by) =>
        at.startAppend(by, "review_submitted", { review: at.review(), "reply-to": 2 }),
      );
      const ended = await Promise.all(started.map(({ done }) => done));
      assert.deepEqual(
        ended.map(({ code, stderr }) => [code, stderr]),
        ended.map(({ stderr }) => [0, stderr]),
      );
      assert.deepEqual(
        ended.map(({ stdout }) => stdout).sort(),
        [3, 4].map((seq) => `appended seq ${seq}: review_submitted\n`),
      );
      assert.deepEqual([at.state["currentPhase"], at.state["waitingFor"]], ["revising", ["a"]]);
      at.checkValid();
    }
  });
});

describe("defect 2: protocol.json is rewritten", () => {
  // The original truncates and rewrites the file in place: a reader may see half of it.
  it("by a new file in the place of the old one, never within it", () => {
    const at = collaborationAt("drafted");
    const before = statSync(at.path("protocol.json")).ino;
    at.say("a", "proposal_submitted");
    assert.notEqual(statSync(at.path("protocol.json")).ino, before);
  });
});

describe("defect 3: a crash between log and protocol.json", () => {
  const behind = () => {
    const at = collaborationAt("drafted");
    const stale = at.read("protocol.json");
    at.say("a", "proposal_submitted", { doc: "proposal.md" });
    at.write("protocol.json", stale);
    return at;
  };

  // The original's wait and next trust protocol.json: the reviewer waits for ever.
  it("does not keep the next participant waiting", () => {
    const { code, stdout } = behind().wait("b", "--timeout", "5");
    assert.equal(code, 0);
    assert.match(stdout, /^ready: b is listed in waitingFor\nphase: reviewing\n/);
  });

  it("is mended by whoever looks next", () => {
    const at = behind();
    assert.equal(at.validate().code, 2);
    assert.equal(at.guidance("b").moves[0]?.["event"], "review_submitted");
    assert.equal(at.state["currentPhase"], "reviewing");
    at.checkValid();
  });
});

describe("defect 4: a [blocking] line after an acceptance", () => {
  // The original then refuses every event, `blocked` first of all.
  it("refuses acceptances, and lets through what can help", () => {
    const at = collaborationAt("classified");
    at.say("a", "decision_accepted");
    at.write("readiness.md", at.readiness("- [blocking] The table is not written."));
    const refused = at.append("b", "decision_accepted");
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /once it is settled, line "- \[blocking\] .*" must become/);
    const proposed = at.copy();
    proposed.say("a", "decision_proposed", { doc: "decisions.md" });
    at.say("b", "blocked", { summary: "Nobody can write the table." });
    assert.equal(at.state["currentPhase"], "blocked");
  });
});

describe("defect 5: an illegal event in the log", () => {
  // The original replays it and refuses every further event, `blocked` included.
  it("is named and passed over, and the others go on", () => {
    const at = collaborationAt("reviewing");
    forge(at, { event: "completed", doc: "conclusion.md" });
    const { stdout, code } = at.validate();
    assert.equal(code, 2);
    assert.match(stdout, /^ERROR: seq 3: completed requires a prior readiness_passed event/m);
    assert(at.guidance("b").advice.some((line) => /^seq 3: .*; ignored$/.test(line)));
    at.copy().say("a", "blocked");
    at.say("b", "review_submitted", { review: at.review() });
    assert.equal(at.state["currentPhase"], "revising");
  });
});

/** Lines as the original's reader takes them. */
function splitAsPython(text: string): string[] {
  return text.trimEnd().split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);
}

describe("defect 6: characters at which Python splits lines", () => {
  // The original stores them raw and never reads its log again.
  for (const [name, character] of [
    ["U+2028", "\u2028"],
    ["U+0085", "\u0085"],
    ["a vertical tab", "\v"],
  ] as const) {
    it(`${name} in a summary is stored so that every reader sees one line`, () => {
      const at = collaborationAt("drafted");
      const before = splitAsPython(at.read("events.jsonl")).length;
      at.say("a", "proposal_submitted", { summary: `one${character}two` });
      assert.equal(splitAsPython(at.read("events.jsonl")).length, before + 1);
      assert.equal(at.events().at(-1)?.["summary"], `one${character}two`);
      assert(!at.read("events.jsonl").includes(character));
      at.checkValid();
    });

    it(`${name} in a line of somebody else is content`, () => {
      const at = collaborationAt("reviewing");
      forge(at, { event: "review_submitted", summary: `one${character}two` });
      assert(at.read("events.jsonl").includes(JSON.stringify(character).slice(1, -1)));
      assert.equal(at.guidance("a").moves[0]?.["event"], "proposal_revised");
      at.say("a", "proposal_revised");
      assert.equal(at.seq, 4);
    });
  }
});

describe("defect 7: a log without its last newline", () => {
  // The original glues the next event on.
  it("gets the next event as a line of its own", () => {
    const at = collaborationAt("drafted");
    at.write("events.jsonl", at.read("events.jsonl").trimEnd());
    assert.equal(at.guidance("a").turn, "yours");
    at.say("a", "proposal_submitted");
    assert.deepEqual(names(at), ["initialized", "proposal_submitted"]);
    assert(at.read("events.jsonl").endsWith("\n"));
    at.checkValid();
  });
});

describe("defect 8: a clock behind the log", () => {
  // The original stores the earlier time, and its validator then fails for ever.
  it("gives an event the time of the one before it", () => {
    const at = collaborationAt("reviewing");
    const ahead = "2099-01-02T03:04:05Z";
    forge(at, { event: "review_submitted", at: ahead });
    at.write("review.md", `${at.read("review.md")}\n## ${ahead} - b - seq 3\n\n${at.review()}\n`);
    at.say("a", "proposal_revised");
    assert.equal(at.events().at(-1)?.["at"], ahead);
    at.checkValid();
  });
});

describe("defect 10: whoever accepted before the decision was put again", () => {
  // The original tells them to WAIT while they are waited for: a busy loop, and the session hangs.
  it("is woken, told to accept again, and may", () => {
    const at = collaborationAt("classified");
    at.say("b", "decision_accepted");
    at.say("a", "decision_proposed", { doc: "decisions.md" });
    assert.equal(at.guidance("b").turn, "theirs");
    at.say("a", "question_classified");
    const { code, stdout } = at.wait("b", "--timeout", "5");
    assert.equal(code, 0);
    assert.match(stdout, /^next action: .* then append decision_accepted$/m);
    for (const name of ["b", "a"]) at.say(name, "decision_accepted");
    assert.equal(at.state["currentPhase"], "readiness_check");
  });
});

describe("defect 13: the validator", () => {
  // The original dies with a traceback and exit code 1, which means "valid with warnings".
  const broken: [name: string, file: string, content: string | Uint8Array, error: RegExp][] = [
    ["an array", "protocol.json", "[]", /^ERROR: invalid protocol\.json: /m],
    ["not UTF-8", "protocol.json", Uint8Array.of(0x7b, 0xff, 0x7d), /^ERROR: .*protocol\.json/m],
    ["deep", "protocol.json", `${"[".repeat(9_999)}${"]".repeat(9_999)}`, /^ERROR: .*protocol/m],
    ["not UTF-8", "events.jsonl", Uint8Array.of(0xff, 0x0a), /^ERROR: events\.jsonl line 1 /m],
    ["a list", "events.jsonl", "[]\n", /^ERROR: events\.jsonl line 1 is not a JSON object: /m],
    ["not UTF-8", "review.md", Uint8Array.of(0xc3, 0x28), /^ERROR: review\.md is not UTF-8/m],
  ];
  for (const [name, file, content, error] of broken) {
    it(`tells that ${file} is ${name}, and fails`, () => {
      const at = collaborationAt("revising");
      at.write(file, content);
      const { code, stdout, stderr } = at.validate();
      assert.deepEqual([code, withoutWarnings(stderr)], [2, ""], stdout);
      assert.match(stdout, /^ACP validation failed\n/);
      assert.match(stdout, error);
    });
  }

  for (const file of ["protocol.json", "events.jsonl", "review.md"]) {
    it(`tells that ${file} is a folder, and fails`, () => {
      const at = collaborationAt("revising");
      rmSync(at.path(file));
      mkdirSync(at.path(file));
      const { code, stdout, stderr } = at.validate();
      assert.deepEqual([code, withoutWarnings(stderr)], [2, ""], stdout);
      assert.match(stdout, new RegExp(`^ERROR: .*${file}`, "m"));
    });

    it(`tells that ${file} is missing, and fails`, () => {
      const at = collaborationAt("revising");
      rmSync(at.path(file));
      const { code, stdout, stderr } = at.validate();
      assert.deepEqual([code, withoutWarnings(stderr)], [2, ""], stdout);
      assert.match(stdout, new RegExp(`^ERROR: missing ${file}`, "m"));
    });
  }
});

describe("defect 14: init", () => {
  // The original overwrites README.md and the documents.
  it("leaves every file that lies there as it is, and says so", () => {
    const at = new Collaboration();
    for (const file of ["README.md", "proposal.md", "notes.txt"]) at.write(file, `my ${file}\n`);
    const ran = at.run("init", at.initArgs());
    assert.equal(ran.code, 0);
    for (const file of ["README.md", "proposal.md"]) {
      assert.equal(at.read(file), `my ${file}\n`);
      assert(ran.stderr.includes(`kept ${file}, which was there before\n`), ran.stderr);
    }
    assert.equal(at.read("notes.txt"), "my notes.txt\n");
    at.checkValid();
  });

  // The original appends seq 1 to a left-over log.
  it("refuses a folder with a left-over log", async () => {
    const at = collaborationAt("reviewing");
    rmSync(at.path("protocol.json"));
    await checkRefused(at.project, 2, /events\.jsonl without protocol\.json; move it away/, () =>
      at.run("init", at.initArgs()),
    );
  });

  // With the original two of three win, and the second overwrites the first.
  it("elects one winner of three at once", async () => {
    const at = new Collaboration();
    const runs = ["x", "y", "z"].map((objective) =>
      at.start("init", [...at.initArgs(), "--objective", objective]),
    );
    const ended = await Promise.all(runs.map(({ done }) => done));
    const winners = ended.filter(({ code }) => code === 0);
    assert.equal(winners.length, 1, JSON.stringify(ended));
    for (const { code, stderr } of ended.filter((ran) => ran !== winners[0])) {
      assert.equal(code, 2);
      assert.match(stderr, /already contains protocol\.json; use --resume to acknowledge it/);
      assert(isOneLine(stderr));
    }
    const winner = ["x", "y", "z"][ended.findIndex(({ code }) => code === 0)];
    assert.equal(at.state["objective"], winner);
    assert(at.read("proposal.md").includes(`\n${winner}\n`));
    assert.deepEqual(names(at), ["initialized"]);
    at.checkValid();
  });
});

describe("defect 16: blocked", () => {
  // In the original it is the end: no event leads out of it.
  it("is left by the owner, back to where it was", () => {
    const at = collaborationAt("reviewing", three);
    at.say("b", "review_submitted", { review: at.review() });
    const before = at.state;
    at.say("c", "blocked", { summary: "The wiki is down." });
    assert.deepEqual([at.state["currentPhase"], at.state["waitingFor"]], ["blocked", []]);
    const { moves, standing } = at.guidance("a");
    assert.equal(moves[0]?.["event"], "unblocked");
    assert(standing.some((line) => /blocked in reviewing by c: "The wiki is down\."/.test(line)));
    at.say("a", "unblocked", { summary: "The wiki is up again." });
    const { currentPhase, waitingFor } = at.state;
    assert.deepEqual([currentPhase, waitingFor], [before["currentPhase"], before["waitingFor"]]);
    at.say("c", "review_submitted", { review: at.review() });
    assert.equal(at.state["currentPhase"], "revising");
    at.checkValid();
  });

  it("is left in a folder that the original made only by whoever knows what that means", async () => {
    const at = collaborationAt("reviewing");
    rmSync(at.path(".consulta.json"));
    at.say("b", "blocked");
    const told = at.guidance("a");
    assert.deepEqual([told.turn, told.moves], ["ended", []]);
    await checkRefused(at.project, 2, /give --allow-extension/, () => at.append("a", "unblocked"));
    at.say("a", "unblocked", { "allow-extension": true });
    assert.equal(at.state["currentPhase"], "reviewing");
  });

  // In the original `blocked` on a completed collaboration takes its conclusion back for good.
  it("on top of completed can be taken back as well", () => {
    const at = collaborationAt("completed");
    at.say("b", "blocked");
    at.say("a", "unblocked");
    assert.equal(at.state["currentPhase"], "completed");
    at.checkValid();
  });
});

describe("defect 18: the freeze", () => {
  const role = "primary";

  // The original freezes it; the status can then not be corrected, because the hash would not match.
  it("is refused while the file says Draft or nothing", async () => {
    const at = collaborationAt("readiness", { schema: 2 });
    for (const status of ["Draft", "In Review", "frozen"]) {
      at.writeDeliverable(status);
      await checkRefused(
        at.project,
        2,
        /adr\.md: (?:its line|needs a line) .*"Status: Frozen"/,
        () => at.append("a", "deliverable_frozen", { doc: primary, role, sha256: at.hash() }),
      );
    }
  });

  // The original passes readiness over a file that is not what was frozen any more.
  it("is checked again by readiness_passed and completed", async () => {
    for (const [stage, event, doc] of [
      ["frozen", "readiness_passed", "readiness.md"],
      ["passed", "completed", "conclusion.md"],
    ] as const) {
      const at = collaborationAt(stage, { schema: 2 });
      const frozen = readFileSync(at.path(primary));
      appendFileSync(at.path(primary), "\n");
      await checkRefused(
        at.project,
        2,
        /deliverables\/adr\.md: is not what was frozen; restore it: seq 9 froze it/,
        () => at.append("a", event, { doc }),
      );
      assert.match(at.guidance("a").obligations.join("\n"), /is not what was frozen; restore it/);
      at.write(primary, frozen);
      at.say("a", event, { doc });
    }
  });
});

describe("defect 19: the deliverable", () => {
  const revised = { doc: primary, role: "primary" };

  // The original follows links.
  it("is not looked for behind a link", async () => {
    const at = collaborationAt("readiness", { schema: 2 });
    at.writeDeliverable("Frozen");
    const sha256 = at.hash();
    renameSync(at.path("deliverables"), `${at.project.folder}/elsewhere`);
    symlinkSync(`${at.project.folder}/elsewhere`, at.path("deliverables"));
    await checkRefused(at.project, 2, /is a link/, () =>
      at.append("a", "deliverable_frozen", { ...revised, sha256 }),
    );
  });
});

describe("defect 20: readiness.md", () => {
  // The original's scripts pass and complete what its validator calls invalid.
  it("and all else validates before it is passed or completed", async () => {
    for (const [stage, event, fields] of [
      ["readiness", "readiness_passed", {}],
      ["passed", "completed", { doc: "conclusion.md" }],
    ] as const) {
      const at = collaborationAt(stage);
      at.write("state.log", "");
      at.write("review.md", "# Review\n");
      const text = /^error: the folder does not validate: "state\.log is not part .*, and 1 more /;
      await checkRefused(at.project, 2, text, () => at.append("a", event, fields));
      const told = /^required: the folder does not validate: "state\.log is not part/m;
      assert.match(at.next("a").stdout, told);
      assert.doesNotMatch(at.next("b").stdout, told);
      at.copy().say("b", "blocked");
      rmSync(at.path("state.log"));
      at.write("review.md", `## x - b - seq 3\n\n${at.review()}`);
      // What follows from the log is written anew by the event itself.
      at.write("protocol.json", JSON.stringify({ ...at.state, currentPhase: "revising" }));
      at.say("a", event, fields);
      at.checkValid();
    }
  });
});

describe("defect 21: the headings of reviews", () => {
  // With the original each reviewer guesses the seq that its event will get: two at once guess one.
  it("are written by us, with the seq that the event really got", async () => {
    const at = collaborationAt("reviewing", three);
    const started = ["b", "c"].map((by) =>
      at.startAppend(by, "review_submitted", { review: at.review(`Says ${by}.`), "reply-to": 2 }),
    );
    await Promise.all(started.map(({ done }) => done));
    for (const { seq, from, at: time } of at.events().slice(2)) {
      const [, review = ""] = at.read("review.md").split(`\n## ${time} - ${from} - seq ${seq}\n`);
      assert.match(review, new RegExp(`^\\nContext:\\n(?:.*\\n)*?- Says ${from}\\.`));
    }
    at.checkValid();
  });
});
