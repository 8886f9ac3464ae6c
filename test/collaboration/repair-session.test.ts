import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
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

  const stale: [what: string, change: (text: string) => string][] = [
    ["names another phase", (text) => text.replace('"reviewing"', '"drafting"')],
    ["names no phase at all", (text) => text.replace('"reviewing"', '"dreaming"')],
    ["waits for somebody else", (text) => text.replace(/("waitingFor": \[\n\s+)"b"/, '$1"a"')],
    ["has another owner", (text) => text.replace('"proposalOwner": "a"', '"proposalOwner": "b"')],
    ["has lost a key", (text) => text.replace(/ {2}"waitingFor": \[[^\]]*\]\n/, ' "x": 1\n')],
  ];
  for (const [index, [what, change]] of stale.entries()) {
    const schema = index % 2 === 0 ? 1 : 2;
    it(`rebuilds a protocol.json that ${what} (schema ${schema})`, () => {
      const at = collaborationAt("reviewing", { schema });
      const text = at.read("protocol.json");
      assert.notEqual(change(text), text);
      at.write("protocol.json", change(text));
      const found = lines(at.validate().stdout).map((line) => line.replace("ERROR: ", ""));
      assert(found.length > 0);
      const { code, stdout } = repair(at);
      assert.equal(code, 0, stdout);
      assert.deepEqual(
        lines(stdout),
        found.map((line) => `repaired: ${line}: repaired`),
      );
      const { x: _, ...rebuilt } = at.state;
      assert.deepEqual(rebuilt, JSON.parse(text));
      at.checkValid();
    });
  }

  const broken: [what: string, spoil: (at: Collaboration) => void][] = [
    ["torn", (at) => at.write("protocol.json", at.read("protocol.json").slice(0, 80))],
    ["empty", (at) => at.write("protocol.json", "")],
    ["doubled", (at) => at.write("protocol.json", at.read("protocol.json").repeat(2))],
    ["an array", (at) => at.write("protocol.json", "[]")],
    ["not UTF-8", (at) => at.write("protocol.json", Uint8Array.of(0x7b, 0xff))],
    ["missing", (at) => rmSync(at.path("protocol.json"))],
  ];
  for (const [index, [what, spoil]] of broken.entries()) {
    const schema = index % 2 === 0 ? 1 : 2;
    it(`rebuilds a protocol.json that is ${what} from what was last known (schema ${schema})`, () => {
      const at = collaborationAt("revising", { schema });
      const text = at.read("protocol.json");
      spoil(at);
      const { code, stdout, stderr } = repair(at);
      assert.deepEqual([code, withoutWarnings(stderr)], [0, ""], stdout);
      assert.match(stdout, /^ACP validation passed\nrepaired: .*protocol\.json.*: repaired\n/);
      assert.equal(at.read("protocol.json"), text);
      at.say("a", "proposal_revised");
      at.checkValid();
    });
  }

  it("leaves a folder in the place of protocol.json, which may hold something, and says so", () => {
    const at = collaborationAt("revising");
    rmSync(at.path("protocol.json"));
    mkdirSync(at.path("protocol.json"));
    const { code, stdout, stderr } = repair(at);
    assert.deepEqual([code, withoutWarnings(stderr)], [2, ""], stdout);
    assert.match(stdout, /^ACP validation failed\nERROR: .*protocol\.json/);
  });

  it("cannot invent settings that nothing remembers, and says so", () => {
    const at = collaborationAt("revising");
    at.write("protocol.json", "");
    rmSync(at.path(".checkpoint.json"));
    const { code, stdout, stderr } = repair(at);
    assert.deepEqual([code, stderr], [2, ""]);
    assert.match(stdout, /^ACP validation failed\nERROR: .*protocol\.json/);
  });

  it("adds the text of a review that was stored without it, once", () => {
    const at = collaborationAt("revising");
    const [, , event = {}] = at.events();
    const review = at.read("review.md");
    const heading = `## ${event["at"]} - b - seq 3`;
    const text = `${heading}\n\n${at.review()}\n`;
    assert(review.includes(`\n${text}`));
    at.write("review.md", review.replace(`\n${text}`, ""));
    keepForLater(at, { ...event, path: "review.md", as: "section", text });
    const fault = "seq 3: review_submitted requires matching review.md heading";
    assert.deepEqual(lines(at.validate().stdout), [`ERROR: ${fault}`]);
    const { code, stdout } = repair(at);
    assert.deepEqual([code, lines(stdout)], [0, [`repaired: ${fault}: repaired`]]);
    assert.equal(at.read("review.md"), review);
    assert.equal(lines(repair(at).stdout).length, 0);
    assert.equal(at.read("review.md"), review);
  });

  for (const [what, length] of [
    ["heading", 12],
    ["sections", 60],
  ] as const) {
    it(`completes a review that a power cut tore in its ${what}, as if it never had`, () => {
      const at = collaborationAt("revising");
      const [, , event = {}] = at.events();
      const review = at.read("review.md");
      const text = `## ${event["at"]} - b - seq 3\n\n${at.review()}\n`;
      at.write("review.md", review.replace(text, text.slice(0, length)));
      keepForLater(at, { ...event, path: "review.md", as: "section", text });
      assert.equal(at.next("a").code, 0);
      assert.equal(at.read("review.md"), review);
    });
  }

  it("throws away a text whose event was never stored", () => {
    const at = collaborationAt("reviewing");
    const review = at.read("review.md");
    const heading = "## 2026-01-01T00:00:00Z - b - seq 3";
    const event = { seq: 3, from: "b", event: "review_submitted", summary: "Done." };
    keepForLater(at, { ...event, path: "review.md", as: "section", text: `${heading}\n\nNo.\n` });
    assert.equal(at.next("a").code, 0);
    assert.equal(at.read("review.md"), review);
    at.say("b", "review_submitted", { review: at.review() });
    assert.doesNotMatch(at.read("review.md"), /^No\.$/m);
    at.checkValid();
  });

  /** What a writer leaves that dies between its event and its document. */
  function keepForLater(at: Collaboration, kept: Record<string, unknown>): void {
    mkdirSync(at.path(".additions"), { recursive: true });
    writeFileSync(at.path(".additions", "3-dead.json"), `${JSON.stringify(kept)}\n`);
    at.ageAdditions();
  }

  it("rebuilds a checkpoint that is wrong", () => {
    const at = collaborationAt("revising");
    const good = at.read(".checkpoint.json");
    at.write(".checkpoint.json", good.replace('"revising"', '"completed"'));
    assert.equal(at.guidance("a").moves[0]?.["event"], "proposal_revised");
    assert.equal(repair(at).code, 0);
    at.say("a", "proposal_revised");
    assert.equal(at.state["currentPhase"], "decision_review");
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
    assert(!existsSync(at.path("decisions.md")));
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
  const words = (line: number, fault: string) => `ERROR: events.jsonl line ${line} ${fault}`;

  it("are named one by one, and only they", () => {
    const at = collaborationAt("readiness");
    const log = at.read("events.jsonl").trimEnd().split("\n");
    log[1] = '{"seq":2,"from":"a"';
    log[3] = "[1,2]";
    log[4] = '"text"';
    log[5] = "no json at all";
    at.write("events.jsonl", `${log.join("\n")}\n`);
    const before = at.read("events.jsonl");
    for (const ran of [at.validate(), repair(at)]) {
      assert.equal(ran.code, 2);
      const found = lines(ran.stdout);
      assert.equal(found.length, 4, ran.stdout);
      assert(found[0]?.startsWith(words(2, "is not JSON: ")), ran.stdout);
      assert.deepEqual(found.slice(1, 3), [
        words(4, 'is not a JSON object: "[1,2]"'),
        words(5, 'is not a JSON object: "\\"text\\""'),
      ]);
      assert(found[3]?.startsWith(words(6, "is not JSON: ")), ran.stdout);
    }
    assert.equal(at.read("events.jsonl"), before);
  });

  it("that lack fields or have another seq are read, told, and passed over", () => {
    const at = collaborationAt("revising");
    const log = at.read("events.jsonl").trimEnd().split("\n");
    log[2] = (log[2] ?? "").replace('"seq":3', '"seq":7').replace('"summary":"Done.",', "");
    at.write("events.jsonl", `${log.join("\n")}\n`);
    const { code, stdout } = at.validate();
    assert.equal(code, 2);
    assert.match(stdout, /^ERROR: events\.jsonl: expected seq 3, found 7$/m);
    assert.match(stdout, /^ERROR: seq 3: missing required field summary$/m);
    at.say("a", "proposal_revised");
  });

  it("at the end, torn by a crash, are covered by the next event", () => {
    const at = collaborationAt("reviewing");
    appendFileSync(at.path("events.jsonl"), '{"seq":3,"from":"b","eve');
    assert.equal(at.guidance("b").moves[0]?.["event"], "review_submitted");
    at.say("b", "review_submitted", { review: at.review(), "reply-to": 2 });
    assert.equal(at.seq, 3);
    at.checkValid();
  });
});
