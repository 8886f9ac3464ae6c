import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { describe, it } from "node:test";
import { type Collaboration, collaborationAt, primary, withoutWarnings } from "./folder.ts";

const repair = (at: Collaboration) => at.validate("--repair");

/** The lines of a verdict, without the verdict. */
function lines(stdout: string): string[] {
  return stdout.trimEnd().split("\n").slice(1);
}

describe("validate --repair", () => {
  it("says nothing of a folder in which nothing is wrong, and leaves it as it is", () => {
    const at = collaborationAt("completed", { schema: 2 });
    const before = at.project.listing();
    const { code, stdout, stderr } = repair(at);
    assert.deepEqual([code, stdout, withoutWarnings(stderr)], [0, "ACP validation passed\n", ""]);
    assert.deepEqual(at.project.listing(), before);
  });

  const stale: [what: string, schema: 1 | 2, from: string | RegExp, to: string][] = [
    ["names another phase", 1, '"reviewing"', '"drafting"'],
    ["names no phase at all", 2, '"reviewing"', '"dreaming"'],
    ["waits for somebody else", 1, /("waitingFor": \[\n\s+)"b"/, '$1"a"'],
    ["has another owner", 2, '"proposalOwner": "a"', '"proposalOwner": "b"'],
    ["has lost a key", 1, / {2}"waitingFor": \[[^\]]*\]\n/, ' "x": 1\n'],
  ];
  for (const [what, schema, from, to] of stale) {
    it(`rebuilds a protocol.json that ${what} (schema ${schema})`, () => {
      const at = collaborationAt("reviewing", { schema });
      const text = at.read("protocol.json");
      at.write("protocol.json", text.replace(from, to));
      const found = lines(at.validate().stdout).map((line) => line.replace("ERROR: ", ""));
      assert(found.length > 0);
      const { code, stdout } = repair(at);
      assert.equal(code, 0, stdout);
      const told = found.map((line) => `repaired: ${line}: repaired`);
      assert.deepEqual(lines(stdout), told);
      const { x: _, ...rebuilt } = at.state;
      assert.deepEqual(rebuilt, JSON.parse(text));
      at.checkValid();
    });
  }

  const broken: [what: string, schema: 1 | 2, content?: (text: string) => string | Uint8Array][] = [
    ["torn", 1, (text) => text.slice(0, 80)],
    ["empty", 2, () => ""],
    ["doubled", 1, (text) => text.repeat(2)],
    ["not UTF-8", 2, () => Uint8Array.of(0x7b, 0xff)],
    ["missing", 1],
  ];
  for (const [what, schema, content] of broken) {
    it(`rebuilds a protocol.json that is ${what} from what was last known (schema ${schema})`, () => {
      const at = collaborationAt("revising", { schema });
      const text = at.read("protocol.json");
      if (content === undefined) rmSync(at.path("protocol.json"));
      else at.write("protocol.json", content(text));
      const { code, stdout, stderr } = repair(at);
      assert.deepEqual([code, withoutWarnings(stderr)], [0, ""], stdout);
      assert.match(stdout, /^ACP validation passed\nrepaired: .*protocol\.json.*: repaired\n/);
      assert.equal(at.read("protocol.json"), text);
      at.say("a", "proposal_revised");
      at.checkValid();
    });
  }

  const beyond: [what: string, spoil: (at: Collaboration) => void][] = [
    [
      "leaves a folder in the place of protocol.json, which may hold something",
      (at) => {
        rmSync(at.path("protocol.json"));
        mkdirSync(at.path("protocol.json"));
      },
    ],
    [
      "cannot invent settings that nothing remembers",
      (at) => {
        at.write("protocol.json", "");
        rmSync(at.path(".checkpoint.json"));
      },
    ],
  ];
  for (const [what, spoil] of beyond) {
    it(`${what}, and says so`, () => {
      const at = collaborationAt("revising");
      spoil(at);
      const { code, stdout, stderr } = repair(at);
      assert.deepEqual([code, withoutWarnings(stderr)], [2, ""], stdout);
      assert.match(stdout, /^ACP validation failed\nERROR: .*protocol\.json/);
    });
  }

  it("rebuilds a checkpoint that is wrong", () => {
    const at = collaborationAt("revising");
    const good = at.read(".checkpoint.json");
    at.write(".checkpoint.json", good.replace('"revising"', '"completed"'));
    assert.equal(at.guidance("a").moves[0]?.["event"], "proposal_revised");
    assert.equal(repair(at).code, 0);
    at.say("a", "proposal_revised");
  });

  it("never touches the log, nor what people have written", () => {
    const at = collaborationAt("frozen", { schema: 2 });
    appendFileSync(at.path(primary), "\nLater.\n");
    rmSync(at.path("decisions.md"));
    at.write("state.log", "mine");
    const before = at.project.listing();
    const { code, stdout } = repair(at);
    assert.equal(code, 2);
    assert.deepEqual(lines(stdout), [
      "ERROR: missing decisions.md",
      "ERROR: state.log is not part of the protocol; remove it and use events.jsonl/readiness.md instead",
      "ERROR: seq 9: deliverable_frozen sha256 does not match current file",
    ]);
    assert.deepEqual(at.project.listing(), before);
  });
});

describe("a review whose writer died between its event and its text", () => {
  /** What such a writer leaves: the text, kept for whoever comes next. */
  function keep(at: Collaboration, { prev: _, ...event }: Record<string, unknown>, text: string) {
    const kept = { ...event, path: "review.md", as: "section", text };
    at.write(".additions/3-dead.json", `${JSON.stringify(kept)}\n`);
    at.ageAdditions();
  }

  for (const [what, length] of Object.entries({ whole: 0, "from its heading on": 12, late: 60 })) {
    it(`is added once where it is missing: ${what}`, () => {
      const at = collaborationAt("revising");
      const [, , event = {}] = at.events();
      const review = at.read("review.md");
      const text = `## ${event["at"]} - b - seq 3\n\n${at.review()}\n`;
      const before = length === 0 ? "\n" : "";
      assert(review.includes(before + text));
      at.write("review.md", review.replace(before + text, text.slice(0, length)));
      keep(at, event, text);
      const fault = "seq 3: review_submitted requires matching review.md heading";
      if (length <= 12) assert.deepEqual(lines(at.validate().stdout), [`ERROR: ${fault}`]);
      const { code, stdout } = length === 0 ? repair(at) : at.next("a");
      assert.equal(code, 0);
      if (length === 0) assert.deepEqual(lines(stdout), [`repaired: ${fault}: repaired`]);
      for (let times = 0; times < 2; times += 1) {
        assert.equal(at.read("review.md"), review);
        assert.deepEqual(lines(repair(at).stdout), []);
      }
    });
  }

  it("is thrown away when its event was never stored", () => {
    const at = collaborationAt("reviewing");
    const review = at.read("review.md");
    const event = { seq: 3, from: "b", event: "review_submitted", summary: "Done." };
    keep(at, event, "## 2026-01-01T00:00:00Z - b - seq 3\n\nNo.\n");
    assert.equal(at.next("a").code, 0);
    assert.equal(at.read("review.md"), review);
    at.say("b", "review_submitted", { review: at.review() });
    assert.doesNotMatch(at.read("review.md"), /^No\.$/m);
    at.checkValid();
  });
});

describe("a log that lost its end", () => {
  it("leaves the report that tells of it, and says so", () => {
    const at = collaborationAt("frozen", { schema: 2 });
    const report = () => at.run("report", ["--folder", at.folder]);
    assert.equal(report().code, 0);
    const kept = at.read("report.md");
    at.write("events.jsonl", `${at.read("events.jsonl").split("\n").slice(0, 5).join("\n")}\n`);
    assert.match(at.validate().stdout, /WARNING: the log is shorter than when last seen: /);
    assert.equal(report().code, 1);
    assert.equal(at.read("report.md"), kept);
  });
});

describe("damaged lines of the log", () => {
  it("are named one by one, and only they", () => {
    const at = collaborationAt("readiness");
    const log = at.read("events.jsonl").trimEnd().split("\n");
    log[1] = '{"seq":2,"from":"a"';
    log[3] = "[1,2]";
    at.write("events.jsonl", `${log.join("\n")}\n`);
    const before = at.read("events.jsonl");
    for (const ran of [at.validate(), repair(at)]) {
      assert.equal(ran.code, 2);
      const [torn = "", ...rest] = lines(ran.stdout);
      assert(torn.startsWith("ERROR: events.jsonl line 2 is not JSON: "), ran.stdout);
      const list = 'ERROR: events.jsonl line 4 is not a JSON object: "[1,2]"';
      assert.deepEqual(rest, [list]);
    }
    assert.equal(at.read("events.jsonl"), before);
  });

  it("that lack fields or have another seq are read, told before protocol.json, and passed over", () => {
    const at = collaborationAt("revising");
    const log = at.read("events.jsonl").trimEnd().split("\n");
    log[2] = (log[2] ?? "").replace('"seq":3', '"seq":"7"').replace('"summary":"Done.",', "");
    at.write("events.jsonl", `${log.join("\n")}\n`);
    at.write("protocol.json", JSON.stringify({ ...at.state, currentPhase: "drafting" }));
    const { code, stdout } = at.validate();
    assert.equal(code, 2);
    assert.deepEqual(lines(stdout), [
      'ERROR: events.jsonl: expected seq 3, found "7"',
      "ERROR: seq 3: missing required field summary",
      'ERROR: protocol.json currentPhase is "drafting", expected revising',
    ]);
    at.say("a", "proposal_revised");
  });

  it("at the end, torn by a crash, are covered by the next event", () => {
    const at = collaborationAt("reviewing");
    appendFileSync(at.path("events.jsonl"), '{"seq":3,"from":"b","eve');
    at.say("b", "review_submitted", { review: at.review(), "reply-to": 2 });
    assert.equal(at.seq, 3);
    at.checkValid();
  });
});
