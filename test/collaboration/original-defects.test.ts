import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, it } from "node:test";
import { checkRefused } from "../dialogue/project.ts";
import { Collaboration, collaborationAt, primary, withoutWarnings } from "./folder.ts";

/**
 * The original's defects in the table of originals.md 2.8 that only scripts show, with what the original
 * does in its comment: every test fails on that. Those of the rules (4, 8 to 12, 15 to 18) are tested there,
 * those of writers at the same time (1, 14, 21) in races.ts.
 */

/** Appends a line that somebody else wrote, without a word to protocol.json. */
function forge(at: Collaboration, fields: object): void {
  const event = { seq: at.seq + 1, from: "b", at: at.events().at(-1)?.["at"], summary: "Forged." };
  const line = { ...event, reply_to: at.seq, ...fields };
  appendFileSync(at.path("events.jsonl"), `${JSON.stringify(line)}\n`);
}

describe("defects 2 and 3: protocol.json", () => {
  // The original truncates and rewrites the file in place: a reader may see half of it.
  it("is replaced by a new file, never written within", () => {
    const at = collaborationAt("drafted");
    const before = statSync(at.path("protocol.json")).ino;
    at.say("a", "proposal_submitted");
    assert.notEqual(statSync(at.path("protocol.json")).ino, before);
  });

  // The original's wait and next trust protocol.json: after a crash before it the reviewer waits for ever.
  it("that is behind the log keeps nobody waiting, and is mended by whoever looks next", () => {
    const at = collaborationAt("drafted");
    const stale = at.read("protocol.json");
    at.say("a", "proposal_submitted", { doc: "proposal.md" });
    at.write("protocol.json", stale);
    assert.equal(at.validate().code, 2);
    const { code, stdout } = at.wait("b", "--timeout", "5");
    assert.equal(code, 0);
    assert.match(stdout, /^ready: b is listed in waitingFor\nphase: reviewing\n/);
    assert.equal(at.state["currentPhase"], "reviewing");
    at.checkValid();
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
  for (const [name, character] of Object.entries({ "U+2028": "\u2028", "U+0085": "\u0085" })) {
    it(`${name} in a summary is stored so that every reader sees one line`, () => {
      const at = collaborationAt("drafted");
      at.say("a", "proposal_submitted", { summary: `one${character}two` });
      assert.equal(splitAsPython(at.read("events.jsonl")).length, 2);
      assert.equal(at.events().at(-1)?.["summary"], `one${character}two`);
      at.checkValid();
    });

    it(`${name} in a line of somebody else is content`, () => {
      const at = collaborationAt("reviewing");
      forge(at, { event: "review_submitted", summary: `one${character}two` });
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
    at.say("a", "proposal_submitted");
    assert.deepEqual(
      at.events().map(({ event }) => event),
      ["initialized", "proposal_submitted"],
    );
    assert(at.read("events.jsonl").endsWith("\n"));
    at.checkValid();
  });
});

describe("defect 13: the validator", () => {
  // The original dies with a traceback and exit code 1, which means "valid with warnings".
  const put = (content: string | number[]) => (path: string) =>
    writeFileSync(path, typeof content === "string" ? content : Uint8Array.from(content));
  const folder = (path: string) => {
    rmSync(path);
    mkdirSync(path);
  };
  const broken: [name: string, file: string, spoil: (path: string) => void, error: string][] = [
    ["an array", "protocol.json", put("[]"), "invalid protocol\\.json: "],
    ["not UTF-8", "protocol.json", put([0x7b, 0xff, 0x7d]), ".*protocol\\.json"],
    ["deep", "protocol.json", put(`${"[".repeat(9_999)}${"]".repeat(9_999)}`), ".*protocol"],
    ["not UTF-8", "events.jsonl", put([0xff, 0x0a]), "events\\.jsonl line 1 "],
    ["a list", "events.jsonl", put("[]\n"), "events\\.jsonl line 1 is not a JSON object: "],
    ["not UTF-8", "review.md", put([0xc3, 0x28]), "review\\.md is not UTF-8"],
    ...["protocol.json", "events.jsonl", "review.md"].flatMap((file): typeof broken => [
      ["a folder", file, folder, `.*${file}`],
      ["missing", file, rmSync, `missing ${file}`],
    ]),
  ];
  for (const [name, file, spoil, error] of broken) {
    it(`tells that ${file} is ${name}, and fails`, () => {
      const at = collaborationAt("revising");
      spoil(at.path(file));
      const { code, stdout, stderr } = at.validate();
      assert.deepEqual([code, withoutWarnings(stderr)], [2, ""], stdout);
      assert.match(stdout, new RegExp(`^ACP validation failed\n(?:.*\n)*ERROR: ${error}`));
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
    const reason = /events\.jsonl without protocol\.json; move it away/;
    await checkRefused(at.project, 2, reason, () => at.run("init", at.initArgs()));
  });
});

describe("defect 16: blocked", () => {
  // In the original it is the end: no event leads out of it.
  it("is left in a folder that the original made only by whoever knows what that means", async () => {
    const at = collaborationAt("reviewing");
    rmSync(at.path(".consulta.json"));
    at.say("b", "blocked");
    await checkRefused(at.project, 2, /give --allow-extension/, () => at.append("a", "unblocked"));
    at.say("a", "unblocked", { "allow-extension": true });
    assert.equal(at.state["currentPhase"], "reviewing");
    at.checkValid();
  });
});

describe("defect 19: the deliverable", () => {
  // The original follows links.
  it("is not looked for behind a link", async () => {
    const at = collaborationAt("readiness", { schema: 2 });
    at.writeDeliverable("Frozen");
    const fields = { doc: primary, role: "primary", sha256: at.hash() };
    renameSync(at.path("deliverables"), `${at.project.folder}/elsewhere`);
    symlinkSync(`${at.project.folder}/elsewhere`, at.path("deliverables"));
    const freeze = () => at.append("a", "deliverable_frozen", fields);
    await checkRefused(at.project, 2, /is a link/, freeze);
  });
});

describe("defect 20: readiness.md", () => {
  // The original's scripts pass and complete what its validator calls invalid.
  for (const [stage, event, fields] of [
    ["readiness", "readiness_passed", {}],
    ["passed", "completed", { doc: "conclusion.md" }],
  ] as const) {
    it(`and all else validates before ${event}`, async () => {
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
    });
  }
});
