/** Events that came in, although the script that sent them was never told so. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { recordOf } from "../dialogue/project.ts";
import { git, makeBareRepository, setHook } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const id = "sync";
const at = ["--session", id];
const review =
  "Context:\n- Read it.\nPosition:\n- accept\n\nConcerns:\n- None.\n\nRequired Changes:\n- None.\n\nQuestions:\n- None.";

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
    return [...at, ...named, "--reply-to", String(answered), ...more];
  };
  const say = (on: Laptop, ...args: Parameters<typeof words>) =>
    on.done("append-event", words(...args), args.includes("--review") ? review : "");
  /** Up to the decision, which its owner may propose again and again. */
  const revise = () => {
    say(ana, "a", "proposal_submitted", 1, "--doc", "proposal.md");
    say(bo, "b", "review_submitted", 2, "--review", "-");
    say(ana, "a", "proposal_revised", 3, "--doc", "proposal.md");
  };
  const events = (on: Laptop) => on.log(id).trim().split("\n").map(recordOf);
  const count = (on: Laptop, event: string) =>
    events(on).filter((it) => it["event"] === event).length;

  /** The host takes what a script sends and is gone before it says so. */
  const lose = (on: Laptop, script: string, args: string[], input = "", name = id) => {
    setHook(host, "post-receive", `mv "${host}" "${host}.away"; kill -9 $PPID`);
    const sent = on.run(script, args, input);
    assert.equal(sent.code, 4, sent.stdout + sent.stderr);
    const ref = `refs/consulta/${name}`;
    assert.match(sent.stderr, new RegExp(`^error: ${ref} on origin is out of reach .*\\n$`));
  };
  const bringBack = () => {
    renameSync(`${host}.away`, host);
    rmSync(join(host, "hooks", "post-receive"));
  };
  const sendAndLoseHost = async (on: Laptop, args: string[], input = "") => {
    lose(on, "append-event", args, input);
    bringBack();
  };
  /** The script is killed when the host has taken the event. */
  const sendAndDie = async (on: Laptop, args: string[], input = "") => {
    setHook(host, "post-receive", `touch "${host}/taken"; sleep 2`);
    const { child, done } = on.begin("append-event", args, input);
    while (!existsSync(join(host, "taken"))) await setTimeout(20);
    child.kill("SIGKILL");
    await done;
    rmSync(join(host, "hooks", "post-receive"));
  };
  const ways = [
    ["the host is gone before it answers", sendAndLoseHost],
    ["the script is killed before it hears", sendAndDie],
  ] as const;

  for (const [how, send] of ways) {
    it(`is known again when the phase has moved on: ${how}`, async () => {
      say(ana, "a", "proposal_submitted", 1, "--doc", "proposal.md");
      const args = words("b", "review_submitted", 2, "--review", "-");
      await send(bo, args, review);
      say(ana, "a", "proposal_revised", 3, "--doc", "proposal.md");
      assert.match(
        bo.done("append-event", args, review),
        /^already sent as seq 3; nothing was added\n/,
      );
      const reviews = bo.read("sessions", id, "review.md").match(/^## .* - b - seq 3$/gm);
      assert.equal(reviews?.length, 1);
      const other = bo.run("append-event", args, review.replace("Read it.", "Read it again."));
      assert.equal(other.code, 2, "another review is another event");
    });

    it(`is not added twice where the rules would take it twice: ${how}`, async () => {
      revise();
      const args = words("a", "decision_proposed", 4);
      await send(ana, args);
      assert.match(ana.done("append-event", args), /^already sent as seq 5; nothing was added\n/);
      bo.done("status", at);
      assert.deepEqual([count(ana, "decision_proposed"), count(bo, "decision_proposed")], [1, 1]);
      // The answer was given: what is sent now is a second event.
      assert.match(ana.done("append-event", args), /^appended seq 6: decision_proposed\n/);
    });
  }

  it("is sent where the host did not take it, and once", async () => {
    revise();
    const args = words("a", "decision_proposed", 4);
    renameSync(host, `${host}.away`);
    for (let tries = 0; tries < 2; tries += 1) assert.equal(ana.run("append-event", args).code, 4);
    renameSync(`${host}.away`, host);
    assert.match(ana.done("append-event", args), /^appended seq 5: decision_proposed\n/);
    assert.equal(git(host, "rev-list", "--count", `refs/consulta/${id}`), "5");
    bo.done("status", at);
    assert.equal(bo.log(id), ana.log(id));
  });

  it("leaves no note where nothing was sent", () => {
    revise();
    const [, ...rest] = words("a", "decision_proposed", 4);
    const secret = `sk-ant-${"a1B2".repeat(12)}`;
    const args = rest.map((it) => (it === "Done." ? `The key is ${secret}.` : it));
    const refused = ana.run("append-event", ["--session", ...args]);
    assert.equal(refused.code, 2, refused.stdout);
    assert.match(refused.stderr, /nothing was sent/);
    assert.deepEqual(notesOf(ana), []);
  });

  it("is the user's word, and stands in the log once", () => {
    lose(ana, "step-in", ["say", "Use JSON.", ...at], "", `_person/${id}/log`);
    bringBack();
    ana.done("step-in", ["say", "Use JSON.", ...at]);
    bo.done("status", at);
    const own = bo.path("sessions", id, ".person", "events.jsonl");
    const said = () => readFileSync(own, "utf8").match(/^.*Use JSON\..*$/gm)?.length;
    assert.equal(said(), 1);
    ana.done("step-in", ["say", "Use JSON.", ...at]);
    bo.done("status", at);
    assert.equal(said(), 2, "said once more");
  });

  describe("on a board", () => {
    const board = ".consulta/sessions/causes";
    beforeEach(() => {
      ana.done("init", [board, "3", "600", "--store", "git"]);
      bo.done("join", ["causes"]);
      bo.done("register", [board, "bo"]);
    });

    it("is another's as long as that one waits for the answer", async () => {
      setHook(host, "post-receive", `touch "${host}/taken"; sleep 3`);
      const first = ana.begin("register", [board, "ana"]);
      while (!existsSync(join(host, "taken"))) await setTimeout(20);
      const second = ana.run("register", [board, "ana"]);
      assert.match(second.stdout, /^Already registered: ana\n/);
      assert.equal(second.code, 1);
      assert.match((await first.done).stdout, /^Registered: ana \(2\/3 agents\)\n/);
      assert.deepEqual(notesOf(ana, "causes"), []);
    });
  });

  function notesOf(on: Laptop, session = id): string[] {
    const folder = on.path("sessions", session, ".additions");
    return existsSync(folder) ? readdirSync(folder) : [];
  }
});
