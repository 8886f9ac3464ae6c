import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { draft } from "../dialogue/project.ts";
import { argsOf, contents, killSenders, makeRace } from "./kill-senders.ts";

killSenders(6);

it("the same command again delivers what a crash kept from being delivered", () => {
  const project = makeRace("rapida");
  const answer = draft("RESPONSE", "This.");
  project.say("race", "gemini", answer);
  const [file = ""] = project.files("inbox-claude");
  // What a crash between the append and the delivery leaves.
  rmSync(project.path("inbox-claude", file));
  project.say("race", "gemini", answer);
  assert.deepEqual(project.files("inbox-claude"), [file]);
});

it("two that send at once in parallelo lose and double nothing", async () => {
  const project = makeRace("parallelo");
  const expected = ["Which?"];
  const rounds = Array.from({ length: 8 }, (_, round) => `round ${round}`);
  writeFileSync(join(project.folder, "count.txt"), rounds.join("\n"));
  for (let round = 0; round < 8; round += 1) {
    const sends = ["claude", "gemini"].map((by) => {
      const content = `${by} ${round}`;
      expected.push(content);
      const input = JSON.stringify(draft("RESPONSE", content));
      return project.start("append-event", argsOf(by), input).done;
    });
    for (const { code, stderr } of await Promise.all(sends))
      assert.deepEqual([code, stderr], [0, ""]);
    // What keeps the session going: in each round a script saw something new.
    const look = [
      "--session",
      "race",
      "--participant",
      "claude",
      "--cite",
      `count.txt:${round + 1}`,
    ];
    assert.equal(project.run("check", look).code, 0);
  }
  assert.deepEqual(contents(project).sort(), expected.sort());
  const seqs = project.events("race").map(({ seq }) => seq);
  assert.deepEqual(
    seqs,
    Array.from({ length: seqs.length }, (_, at) => at + 1),
  );
});

it("two that send at once in strict turns: exactly the one whose turn it is gets through", async () => {
  const project = makeRace("rapida");
  const sends = ["claude", "gemini"].map((by) => {
    const input = JSON.stringify(draft("RESPONSE", `${by} speaks`));
    return project.start("append-event", argsOf(by), input).done;
  });
  const [claude, gemini] = await Promise.all(sends);
  assert.equal(gemini?.code, 0);
  // Behind gemini's message it may be claude's turn again.
  assert(claude?.code === 2 || contents(project).length === 3);
});

it("of several that open the same session at once, one does", async () => {
  const project = makeRace("rapida");
  const args = ["--topic", "x", "--session", "same", "--participant", "a", "--participant", "b"];
  const runs = Array.from({ length: 4 }, () => project.start("init", args, "").done);
  const codes = (await Promise.all(runs)).map(({ code }) => code);
  assert.deepEqual(codes.sort(), [0, 3, 3, 3]);
  assert.equal(project.events("same").length, 1);
});

it("both sealed positions sent at once are in, and both are read", async () => {
  const project = makeRace("competitiva");
  const sends = ["claude", "gemini"].map((by) => {
    const input = JSON.stringify(draft("RESPONSE", `position of ${by}`));
    return project.start("append-event", argsOf(by), input).done;
  });
  for (const { code, stderr } of await Promise.all(sends))
    assert.deepEqual([code, stderr], [0, ""]);
  assert.match(project.next("race", "claude").stdout, /content: position of gemini/);
  assert.match(project.next("race", "gemini").stdout, /content: position of claude/);
});

it("a sealed position of a mebibyte is in, or refused in one line", () => {
  const project = makeRace("competitiva");
  const ran = project.send("race", "gemini", draft("RESPONSE", "long ".repeat(209_600)));
  assert(ran.code === 0 || ran.code === 2, ran.stderr);
  assert(ran.code === 0 || /has \d+ bytes; the limit is/.test(ran.stderr), ran.stderr);
});
