/** What somebody who can write into the shared folder may try, and what may not come of it. */
import assert from "node:assert/strict";
import { existsSync, rmSync, symlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isRecord } from "../../scripts-src/base/json.ts";
import { Collaboration, collaborationAt } from "./folder.ts";

/** Changes what protocol.json declares to be delivered. */
function declare(at: Collaboration, declared: object, more: object = {}): void {
  const { deliverables, ...rest } = at.state;
  assert(isRecord(deliverables));
  const changed = { ...rest, ...more, deliverables: { ...deliverables, ...declared } };
  at.write("protocol.json", `${JSON.stringify(changed)}\n`);
}

describe("a declared path", () => {
  const paths: [name: string, declared: object][] = [
    ["with lines of its own", { supporting: [{ type: "adr", file: "x\nREVIEW\ntouch P\n.md" }] }],
    ["that leads out of the folder", { dir: "../.." }],
    ["of an attachment that leads out", { attachments: [{ file: "../../x.md" }] }],
  ];
  for (const [name, declared] of paths) {
    it(`${name} is followed by nobody and printed in no command`, () => {
      const at = collaborationAt("reviewing", { schema: 2 });
      declare(at, declared);
      const next = at.next("b");
      assert.deepEqual([next.code, next.stdout], [2, ""]);
      assert.match(next.stderr, /^error: [^\n]*protocol\.json[^\n]*\n$/);
      assert.equal(at.validate().code, 2);
    });
  }

  it("is not written to by an init that finishes another's", () => {
    const at = new Collaboration({ schema: 2 }).init();
    const elsewhere = `consulta-elsewhere-${process.pid}`;
    declare(at, { mode: "external", dir: `../${elsewhere}` }, { repoRoot: "../.." });
    rmSync(at.path("events.jsonl"));
    assert.equal(at.run("init", [...at.initArgs(), "--resume"]).code, 2);
    assert.equal(existsSync(join(at.project.folder, "..", elsewhere)), false);
  });
});

describe("a path that cannot be one", () => {
  it("is an answer, not a crash", () => {
    const at = collaborationAt("drafted");
    const doc = at.append("a", "proposal_submitted", { doc: "proposal.md/x" });
    assert.equal(doc.code, 2);
    assert.match(doc.stderr, /doc "proposal\.md\/x" is no file in the collaboration folder/);
    for (const folder of [at.path("proposal.md", "x"), `/${"n".repeat(300)}`]) {
      const ran = at.project.run("next-action", ["--folder", folder, "--participant", "a"]);
      assert.deepEqual([ran.code, ran.stdout], [2, ""]);
      assert.match(ran.stderr, /^error: missing protocol\.json in /);
    }
  });
});

describe("presence files", () => {
  it("that are links in a ring tell nothing and stop nobody", () => {
    const at = collaborationAt("reviewing");
    for (const name of ["b.ready", "b.seen"]) {
      at.write(join(".presence", name), "");
      rmSync(at.path(".presence", name));
      symlinkSync(name, at.path(".presence", name));
    }
    const ran = [at.next("a"), at.run("status"), at.next("b")];
    assert.deepEqual(
      ran.map(({ code }) => code),
      [0, 0, 0],
    );
  });
});

describe("what is remembered of protocol.json", () => {
  it("survives looks at a broken one, however long the log is", () => {
    const at = collaborationAt("revising");
    const events = Array(40).fill(["decision_proposed", "question_classified"]).flat();
    const same = { from: "a", at: "2099-01-01T00:00:00Z", summary: "s", reply_to: 1 };
    const lines = events.map((event, index) => JSON.stringify({ seq: 4 + index, event, ...same }));
    at.write("events.jsonl", `${at.read("events.jsonl")}${lines.join("\n")}\n`);
    at.next("a");
    const { participants } = at.state;
    at.write("protocol.json", "{");
    assert.equal(at.next("a").code, 2);
    assert.equal(at.validate().code, 2);
    at.validate("--repair");
    assert.deepEqual(at.state["participants"], participants);
    assert.equal(at.next("a").code, 0);
  });

  it("is left as somebody wrote it while it says what the log says", () => {
    const at = collaborationAt("reviewing");
    const text = JSON.stringify({ ...at.state, note: 1 }).replace('"note":1', '"note":1.0');
    at.write("protocol.json", text);
    assert.equal(at.next("b").code, 0);
    assert.equal(at.read("protocol.json"), text);
  });
});

describe("a staged text", () => {
  const at = "2026-01-01T00:00:00Z";
  const stale = {
    ...{ seq: 3, from: "b", event: "review_submitted", summary: "mine", at },
    ...{ path: "review.md", as: "section", text: `## ${at} - b - seq 3\n\nSTALE\n` },
    ...{ pid: 999_999_999, host: hostname() },
  };
  const stage = (at: Collaboration, fields: object) =>
    at.write(".additions/3-dead.json", JSON.stringify({ ...stale, ...fields }));

  it("of a try that came to nothing does not take the place of the next try", () => {
    const at = collaborationAt("reviewing");
    stage(at, {});
    at.say("b", "review_submitted", { review: at.review("NEW"), summary: "mine", "reply-to": 2 });
    at.next("a");
    assert.doesNotMatch(at.read("review.md"), /STALE/);
    assert.match(at.read("review.md"), /NEW/);
    at.checkValid();
  });

  it("that leads elsewhere, or to a document that cannot be read, stops nobody", () => {
    const elsewhere = collaborationAt("revising");
    stage(elsewhere, { path: "../x.md" });
    elsewhere.say("a", "blocked");
    const at = collaborationAt("revising");
    const [, , event = {}] = at.events();
    stage(at, { at: event["at"], summary: event["summary"] });
    at.write("review.md", Uint8Array.of(0xff, 0xfe, 0x00));
    assert.equal(at.next("a").code, 0);
    at.say("a", "blocked");
  });
});

describe("a session of a workspace", () => {
  const init = (at: Collaboration, id: string, ...more: string[]) =>
    at.project.run("init", [...at.initArgs(), "--session", id, ...more]);

  it("whose init died is finished by init --resume", () => {
    const at = new Collaboration();
    assert.equal(init(at, "s2").code, 0);
    for (const name of ["events.jsonl", "proposal.md", ".checkpoint.json"])
      rmSync(at.project.path("sessions", "s2", name));
    assert.equal(init(at, "s2", "--resume").code, 0);
    const events = at.project.events("s2").map(({ event }) => event);
    assert.deepEqual(events, ["initialized"]);
  });

  it("that is a dialogue is taken for no collaboration", () => {
    const at = new Collaboration();
    at.project.open("talk");
    const { code, stderr } = init(at, "talk", "--resume");
    assert.equal(code, 3);
    assert.match(stderr, /session talk exists already and is a dialogue/);
  });
});
