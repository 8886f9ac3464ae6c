import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { checkRefused } from "../dialogue/project.ts";
import { Stage } from "./stage.ts";

const ttl = { text: "the ttl is 60", check: "src/cache.ts:2", expect: "ttl = 60" };

describe("a claim", () => {
  it("is looked at by append-event itself, which says who saw what", () => {
    const at = new Stage();
    const used = { text: "it is exported", check: 'find "export {" src' };
    const ran = at.answer(ttl, { text: "tests pass", check: "npm test" }, used);
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
    const message = at
      .events("talk")
      .find(({ event, from }) => event === "message_sent" && from === "gemini");
    const seq = message?.["seq"];
    assert.deepEqual(
      at.records().map((it) => [it["claim"], it["kind"], it["met"]]),
      [
        [`C${seq}.1`, "lines", true],
        [`C${seq}.3`, "search", true],
      ],
    );
  });

  it("may expect the place that a search finds, and no words across two lines of it", async () => {
    const at = new Stage();
    at.write("src/more.ts", "// The ttl of more.\n");
    const search = { text: "only cache.ts sets it", check: 'find "const ttl" src' };
    const across = { ...search, check: 'find "ttl" src', expect: "ttl }; src/more.ts" };
    await checkRefused(at, 2, /shows no such lines/, () => at.answer(across));
    assert.equal(at.answer({ ...search, expect: "src/cache.ts:2" }).code, 0);
    assert.equal(at.records()[0]?.["met"], true);
  });

  const absent: [name: string, claim: object, reason: RegExp][] = [
    ["lines that are not there", { check: "src/cache.ts:7-9" }, /claims\[0\]\.check: .*has 3 line/],
    ["a file that is not there", { check: "src/none.ts:1" }, /claims\[0\]\.check: .*no such file/],
    ["lines that say something else", { expect: "ttl = 90" }, /shows no such lines/],
    ["a search that finds nothing", { check: 'find "const size" src' }, /shows no such lines/],
    ["words that say nothing", { expect: "=" }, /write words/],
  ];
  for (const [name, change, reason] of absent) {
    it(`is rejected with ${name}, and nothing is written`, async () => {
      const at = new Stage();
      await checkRefused(at, 2, reason, () => at.answer({ ...ttl, ...change }));
    });
  }

  it("is looked at again by the same message after a crash between the two", () => {
    const at = new Stage();
    assert.equal(at.answer(ttl).code, 0);
    const log = join(at.folder, ".consulta/sessions/talk/events.jsonl");
    const [before] = at.records();
    // What a crash leaves: the message, and no record.
    const kept = at
      .read("sessions", "talk", "events.jsonl")
      .split("\n")
      .filter((it) => !it.includes('"event":"evidence"'));
    rmSync(join(at.folder, ".consulta/sessions/talk/.checkpoint.json"), { force: true });
    at.write(".consulta/sessions/talk/events.jsonl", kept.join("\n"));
    assert.equal(at.records().length, 0, log);
    const again = at.answer(ttl);
    assert.match(again.stdout, /already sent/, again.stderr);
    const [after] = at.records();
    assert.deepEqual(
      [after?.["claim"], after?.["sha256"]],
      [before?.["claim"], before?.["sha256"]],
    );
    assert.equal(at.records().length, 1);
    assert.equal(at.answer(ttl).code, 0);
    assert.equal(at.records().length, 1);
  });

  it("is checked by the other side, from a process of its own", () => {
    const at = new Stage();
    at.answer(ttl);
    const [own] = at.records();
    const id = String(own?.["claim"]);
    const ran = at.check("claude", "--claim", id);
    assert.equal(ran.code, 0, ran.stderr);
    const [, other] = at.records();
    assert.deepEqual(
      [other?.["claim"], other?.["met"], other?.["sha256"]],
      [id, true, own?.["sha256"]],
    );
    assert.notDeepEqual(other?.["process"], own?.["process"]);
  });

  it("is checked by both sides at once, and by many", async () => {
    const at = new Stage();
    at.answer(ttl);
    const id = String(at.records()[0]?.["claim"]);
    const runs = Array.from({ length: 8 }, (_, index) => {
      const who = index % 2 === 0 ? "claude" : "gemini";
      return at.start("check", ["--session", "talk", "--participant", who, "--claim", id], "").done;
    });
    for (const { code, stderr } of await Promise.all(runs))
      assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(at.records().length, 9);
    assert.equal(at.run("validate", ["--session", "talk"]).code, 0);
  });
});

function agree(at: Stage, by: string, accepts: number, content: string) {
  return at.send("talk", by, {
    type: "AGREE",
    accepts,
    question_or_proposal: { content },
    confidence: 0.9,
  });
}

describe("the second AGREE", () => {
  function almostAgreed(): { at: Stage; answer: number } {
    const at = new Stage();
    at.answer(ttl);
    const { seq } = at.events("talk").findLast(({ event }) => event === "message_sent") ?? {};
    const id = String(at.records()[0]?.["claim"]);
    assert.equal(at.check("claude", "--claim", id).code, 0);
    const ran = agree(at, "claude", Number(seq), "Keep the ttl of 60 seconds.");
    assert.equal(ran.code, 0, ran.stderr);
    const offer = at.events("talk").findLast(({ event }) => event === "message_sent");
    return { at, answer: Number(offer?.["seq"]) };
  }
  const closing = (at: Stage, answer: number) =>
    agree(at, "gemini", answer, "Keep the ttl of 60 seconds.");

  it("closes what is as it was", () => {
    const { at, answer } = almostAgreed();
    const ran = closing(at, answer);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /phase: consensus/);
  });

  it("closes when the lines moved", () => {
    const { at, answer } = almostAgreed();
    at.write("src/cache.ts", "// New.\n// How long.\nconst ttl = 60;\nexport { ttl };\n");
    const ran = closing(at, answer);
    assert.equal(ran.code, 0, ran.stderr);
  });

  for (const [name, change] of [
    ["changed", (at: Stage) => at.write("src/cache.ts", "// How long.\nconst ttl = 90;\n")],
    ["went", (at: Stage) => rmSync(join(at.folder, "src/cache.ts"))],
    ["cannot be read any more", (at: Stage) => at.write("src/cache.ts", Buffer.from([0, 1]))],
  ] as const) {
    it(`is rejected when the lines ${name}`, async () => {
      const { at, answer } = almostAgreed();
      change(at);
      await checkRefused(at, 2, /changed since/, () => closing(at, answer));
    });
  }
});
