/** Events that came in, although the script that sent them was never told so. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { git, makeBareRepository, setHook } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";
import { count } from "./sent-once.ts";

const id = "sync";
const at = ["--session", id];
const parts = ["Context", "Position", "Concerns", "Required Changes", "Questions"];
const review = parts
  .map((it) => `${it}:\n- ${it === "Position" ? "accept" : "Read it."}`)
  .join("\n\n");

describe("an event whose answer was lost", {
  skip: process.platform === "win32" && "needs hooks of a shell",
}, () => {
  let host: string;
  let ana: Laptop;
  let bo: Laptop;
  beforeEach(() => {
    host = makeBareRepository();
    [ana, bo] = [new Laptop(host), new Laptop(host)];
    const who = ["--participant", "a", "--participant", "b"];
    const words = ["--objective", "Agree on the API", "--completion", "Codes are listed"];
    ana.done("init", [...words, ...at, ...who, "--store", "git"]);
    bo.done("join", [id]);
  });

  const words = (by: string, event: string, answered: number, ...more: string[]) => {
    const named = ["--participant", by, "--event", event, "--summary", "Done."];
    return [...at, ...named, "--reply-to", `${answered}`, ...more];
  };
  const propose = (event: string, answered: number) =>
    ana.done("append-event", words("a", event, answered, "--doc", "proposal.md"));
  const reviewed = words("b", "review_submitted", 2, "--review", "-");
  const decided = words("a", "decision_proposed", 4);
  /** Up to the decision, which its owner may propose again and again. */
  const revise = () => {
    propose("proposal_submitted", 1);
    bo.done("append-event", reviewed, review);
    propose("proposal_revised", 3);
  };

  /** The host takes what a script sends and is gone before it says so. */
  const loseHost = (on: Laptop, script: string, args: string[], input = "", name = id) => {
    setHook(host, "post-receive", `mv "${host}" "${host}.away"; kill -9 $PPID`);
    const sent = on.run(script, args, input);
    assert.equal(sent.code, 4, sent.stdout + sent.stderr);
    const out = new RegExp(`^error: refs/consulta/${name} on origin is out of reach .*\\n$`);
    assert.match(sent.stderr, out);
    renameSync(`${host}.away`, host);
    rmSync(join(host, "hooks", "post-receive"));
  };
  /** A script, once the host has taken what it sends and sleeps before it says so. */
  const untold = async (on: Laptop, script: string, args: string[], input = "") => {
    setHook(host, "post-receive", `touch "${host}/taken"; sleep 3`);
    const begun = on.begin(script, args, input);
    while (!existsSync(join(host, "taken"))) await setTimeout(20);
    return begun;
  };
  const dieUntold = async (on: Laptop, script: string, args: string[], input = "") => {
    const { child, done } = await untold(on, script, args, input);
    child.kill("SIGKILL");
    await done;
    rmSync(join(host, "hooks", "post-receive"));
  };

  for (const [how, send] of [
    ["the host is gone before it answers", loseHost],
    ["the script is killed before it hears", dieUntold],
  ] as const) {
    it(`is known again when the phase has moved on: ${how}`, async () => {
      propose("proposal_submitted", 1);
      await send(bo, "append-event", reviewed, review);
      propose("proposal_revised", 3);
      const again = bo.done("append-event", reviewed, review);
      assert.match(again, /^already sent as seq 3; nothing was added\n/);
      const reviews = bo.read("sessions", id, "review.md").match(/^## .* - b - seq 3$/gm);
      assert.equal(reviews?.length, 1);
      const other = bo.run("append-event", reviewed, review.replace("Read it.", "Read it again."));
      assert.equal(other.code, 2, "another review is another event");
    });

    it(`is not added twice where the rules would take it twice: ${how}`, async () => {
      revise();
      await send(ana, "append-event", decided);
      const again = ana.done("append-event", decided);
      assert.match(again, /^already sent as seq 5; nothing was added\n/);
      assert.equal(count(ana.log(id), '"event":"decision_proposed"'), 1);
      // The answer was given: what is sent now is a second event.
      assert.match(ana.done("append-event", decided), /^appended seq 6: decision_proposed\n/);
    });
  }

  it("is sent where the host did not take it, and once", async () => {
    revise();
    renameSync(host, `${host}.away`);
    for (const _ of [1, 2]) assert.equal(ana.run("append-event", decided).code, 4);
    renameSync(`${host}.away`, host);
    assert.match(ana.done("append-event", decided), /^appended seq 5: decision_proposed\n/);
    assert.equal(git(host, "rev-list", "--count", `refs/consulta/${id}`), "5");
  });

  it("leaves no note where nothing was sent", () => {
    revise();
    const secret = `The key is sk-ant-${"a1B2".repeat(12)}.`;
    const refused = ana.run(
      "append-event",
      decided.map((it) => (it === "Done." ? secret : it)),
    );
    assert.equal(refused.code, 2, refused.stdout);
    assert.match(refused.stderr, /nothing was sent/);
    assert.deepEqual(notesOf(ana, id), []);
  });

  it("is the user's word, and stands in the log once", () => {
    const say = ["say", "Use JSON.", ...at];
    const own = () => {
      bo.done("status", at);
      const path = bo.path("sessions", id, ".person", "events.jsonl");
      return count(readFileSync(path, "utf8"), "Use JSON.");
    };
    loseHost(ana, "step-in", say, "", `_person/${id}/log`);
    ana.done("step-in", say);
    assert.equal(own(), 1);
    ana.done("step-in", say);
    assert.equal(own(), 2, "said once more");
  });

  it("is another's on a board as long as that one waits for the answer", async () => {
    const board = ".consulta/sessions/causes";
    ana.done("init", [board, "3", "600", "--store", "git"]);
    const first = await untold(ana, "register", [board, "ana"]);
    const second = ana.run("register", [board, "ana"]);
    assert.match(second.stdout, /^Already registered: ana\n/);
    assert.equal(second.code, 1);
    assert.match((await first.done).stdout, /^Registered: ana \(1\/3 agents\)\n/);
    assert.deepEqual(notesOf(ana, "causes"), []);
  });
});

function notesOf(on: Laptop, session: string): string[] {
  const folder = on.path("sessions", session, ".additions");
  return existsSync(folder) ? readdirSync(folder) : [];
}
