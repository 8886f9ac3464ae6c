import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { draft, isOneLine } from "../dialogue/project.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop, runPrinted } from "./laptop.ts";

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
      /^If nobody answers: tell your user to ask your peer, who may be on another machine$/m,
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

describe("a session that is named and is not here", () => {
  /** The line to join it that a refusal ends with; what it says before is as expected. */
  const lineTold = (at: Laptop, code: number, said: RegExp, script: string, ...words: string[]) => {
    const ran = at.run(script, words);
    assert.deepEqual([ran.code, isOneLine(ran.stderr)], [code, true], ran.stderr);
    assert.match(ran.stderr, said);
    return / (node \S+join\.cjs .*\n)$/.exec(ran.stderr)?.[1] ?? "";
  };

  it("is joined again by the line that is told where it was shared", () => {
    const at = asked("--store", "git");
    rmSync(at.path("sessions", "stores"), { recursive: true });
    const who = ["--session", "stores", "--participant", "ana"];
    const gone = /^error: no session stores in \S+; it was kept on origin; join it again: node /;
    assert.match(
      runPrinted(at, lineTold(at, 2, gone, "next-action", ...who)),
      /^joined: session stores/,
    );
    assert.equal(at.run("next-action", who).code, 0);
    const other = at.run("next-action", ["--session", "story", "--participant", "ana"]);
    assert.match(other.stderr, /^error: no session story in \S+; did you mean stores\?/);
  });

  it("is joined by the line that is told to who would begin it", () => {
    const host = makeBareRepository();
    const [ana, bo] = [new Laptop(host), new Laptop(host)];
    const store = ["--store", "git"];
    ana.done("init", [...opening, ...store]);
    const taken =
      /^error: session stores is on \S+ already: choose another --session, or join it: node /;
    const line = lineTold(bo, 3, taken, "init", ...opening, ...store);
    assert.match(runPrinted(bo, line), /^joined: session stores/);
  });
});
