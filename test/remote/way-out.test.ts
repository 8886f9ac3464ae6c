import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { draft } from "../dialogue/project.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop, runPrinted } from "./laptop.ts";
import { checkFailed } from "./sent-once.ts";

const who = ["--participant", "ana", "--participant", "bo"];
const opening = ["--topic", "Which store?", "--session", "stores", ...who];

/** A session in which ana has asked, shared or kept here alone. */
function asked(...options: string[]): Laptop {
  const at = new Laptop(makeBareRepository());
  at.done("init", [...opening, ...options]);
  at.say("stores", "ana", draft("REQUEST", "Files or SQLite?", { position: undefined }));
  return at;
}

it("who waits in a shared session asks a peer that may be on another machine; else as ever", async () => {
  const [shared, local] = [asked("--store", "git"), asked()];
  const openHere = /open (?:the peer|bo)'s CLI here|consult\.cjs/;
  const ask =
    /^If nobody answers: tell your user to ask your peer, who may be on another machine$/m;
  const late = /^OVERDUE .* send ESCALATE, or tell your user to ask bo, who may be on another/m;
  const next = (at: Laptop) => at.next("stores", "ana").stdout;
  for (const at of [shared, local]) next(at);
  assert.match(next(local), /^If nobody answers: .* open the peer's CLI/m);
  for (const said of [ask, late]) {
    const told = next(shared);
    assert.match(told, said);
    assert.doesNotMatch(told, openHere);
    writeFileSync(shared.path("config.json"), '{"message_timeout_seconds":0.2}');
    await sleep(700);
  }
  for (const [at, more] of [
    [shared, ", NAME=elsewhere for who is on another machine"],
    [local, ""],
  ] as const) {
    const { code, stderr } = at.run("consult", ["--session", "stores"]);
    assert.equal(code, 2);
    assert(stderr.endsWith(`: --participants ana=DRIVER,bo=DRIVER${more}\n`), stderr);
  }
});

it("a shared session whose folder is gone is joined again by the line that is told", () => {
  const at = asked("--store", "git");
  rmSync(at.path("sessions", "stores"), { recursive: true });
  const gone = at.next("stores", "ana");
  const said = /^error: no session stores in \S+; it was kept on origin; join it again: node /;
  checkFailed(gone, { code: 2, said });
  const line = gone.stderr.slice(gone.stderr.lastIndexOf(" node "));
  assert.match(runPrinted(at, line), /^joined: session stores/);
  assert.equal(at.next("stores", "ana").code, 0);
  assert.match(at.next("story", "ana").stderr, /^error: no session story in \S+; did you mean sto/);
});
