import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { draft } from "../dialogue/project.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const who = ["--participant", "ana", "--participant", "bo"];
const opening = ["--topic", "Which store?", "--session", "stores", ...who];

/** A session in which ana has asked, shared or kept here alone. */
function asked(...options: string[]): Laptop {
  const at = new Laptop(makeBareRepository());
  at.done("init", [...opening, ...options]);
  at.say("stores", "ana", draft("REQUEST", "Files or SQLite?", { position: undefined }));
  return at;
}

describe("who waits for a peer of a session that machines share", () => {
  const openHere = /open (?:the peer|bo)'s CLI here|consult\.cjs/;

  it("is told to ask the peer, who may be on another machine; of a local one as ever", async () => {
    const [shared, local] = [asked("--store", "git"), asked()];
    for (const at of [shared, local]) assert.equal(at.next("stores", "ana").code, 0);
    const said = shared.next("stores", "ana").stdout;
    assert.match(
      said,
      /^If nobody answers: tell your user to ask bo, who may be on another machine$/m,
    );
    assert.doesNotMatch(said, openHere);
    assert.match(local.next("stores", "ana").stdout, /^If nobody answers: .* open the peer's CLI/m);
    for (const at of [shared, local])
      writeFileSync(at.path("config.json"), '{"message_timeout_seconds":0.2}');
    await sleep(700);
    const late = shared.next("stores", "ana").stdout;
    assert.match(
      late,
      /^OVERDUE .* send ESCALATE, or tell your user to ask bo, who may be on another machine$/m,
    );
    assert.doesNotMatch(late, openHere);
  });

  it("is told nothing of the kind while the session is paused", async () => {
    for (const at of [asked("--store", "git"), asked()]) {
      at.done("step-in", ["pause", "Lunch", "--session", "stores"]);
      assert.doesNotMatch(at.next("stores", "ana").stdout, /If nobody answers/);
      writeFileSync(at.path("config.json"), '{"message_timeout_seconds":0.2}');
      await sleep(700);
      assert.doesNotMatch(at.next("stores", "ana").stdout, /OVERDUE|If nobody/);
    }
  });

  it("is told of elsewhere where consult cannot tell who runs whom", () => {
    for (const [at, more] of [
      [asked("--store", "git"), ", NAME=elsewhere for who is on another machine"],
      [asked(), ""],
    ] as const) {
      const { code, stderr } = at.run("consult", ["--session", "stores"]);
      assert.equal(code, 2);
      assert(stderr.endsWith(`: --participants ana=DRIVER,bo=DRIVER${more}\n`), stderr);
    }
  });
});
