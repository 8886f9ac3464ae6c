import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Ran } from "../dialogue/project.ts";
import { Collaboration, collaborationAt } from "./folder.ts";

const three = { participants: ["a", "b", "c"] };

/** A participant that waits in a process of its own; `said` is what it has printed so far. */
interface Waiter {
  readonly done: Promise<Ran>;
  said(): string;
  kill(signal: NodeJS.Signals): void;
}

function startWait(at: Collaboration, by: string, ...args: string[]): Waiter {
  const { child, done } = at.start("wait-for-turn", ["--participant", by, ...args]);
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
  });
  return { done, said: () => said, kill: (signal) => child.kill(signal) };
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    if (isSo()) return;
    await setTimeout(25);
  }
  assert.fail(`never: ${what}`);
}

/** Starts to wait and comes back once it really waits. */
async function waiting(at: Collaboration, by: string, ...args: string[]): Promise<Waiter> {
  const waiter = startWait(at, by, ...args);
  await until(`${by} waits`, () => waiter.said().startsWith("waiting: "));
  return waiter;
}

describe("64 participants", () => {
  it("of which 63 wait at once are all woken by one event, and by the end", async () => {
    const names = Array.from({ length: 64 }, (_, index) => `p${String(index).padStart(2, "0")}`);
    const [owner = "", ...others] = names;
    const at = new Collaboration({ participants: names }).init();
    const waiters = others.map((by) => startWait(at, by, "--timeout", "60"));
    const first = "waiting: waiting for p00 after seq 1\n";
    await until("all 63 wait", () => waiters.every(({ said }) => said() === first));
    const started = performance.now();
    at.say(owner, "proposal_submitted");
    const ended = await Promise.all(waiters.map(({ done }) => done));
    for (const [index, { code, stdout, stderr }] of ended.entries()) {
      assert.deepEqual([code, stderr], [0, ""]);
      const ready = `${first}ready: ${others[index]} is listed in waitingFor\nphase: reviewing\n`;
      assert(stdout.startsWith(ready), stdout.slice(0, 300));
    }
    assert(performance.now() - started < 30_000, "woken, but far too late");
    assert.deepEqual(at.state["waitingFor"], others);
    assert.deepEqual(presenceFiles(at, "ready"), [], "whoever waits no more says so");
    at.checkValid();
  });
});

/** Who has a file of that kind in the folder's presence. */
function presenceFiles(at: Collaboration, kind: "ready" | "seen"): string[] {
  const found = readdirSync(at.path(".presence")).sort();
  return found.filter((name) => name.endsWith(`.${kind}`)).map((name) => name.split(".")[0] ?? "");
}

describe("wait-for-turn", () => {
  it("returns at once with the turn, and prints what next-action prints", () => {
    const at = collaborationAt("drafted");
    const { code, stdout, stderr } = at.wait("a");
    assert.deepEqual([code, stderr], [0, ""]);
    const [ready, ...rest] = stdout.split("\n");
    assert.equal(ready, "ready: a is listed in waitingFor");
    const told = at.next("a").stdout;
    const withoutTimes = (text: string) => text.replace(/\(last seen \d+ s ago\)/g, "");
    assert.equal(withoutTimes(rest.join("\n")), withoutTimes(told));
  });

  for (const [stage, phase] of [
    ["completed", "completed"],
    ["reviewing", "blocked"],
  ] as const) {
    it(`returns at once when the phase is ${phase}`, () => {
      const at = collaborationAt(stage);
      if (phase === "blocked") at.say("a", "blocked");
      const { code, stdout } = at.wait("b");
      assert.equal(code, 0);
      assert(stdout.startsWith(`ready: phase is ${phase}\nphase: ${phase}\n`), stdout);
    });
  }

  it("says at every change for whom it waits, and why in vain", async () => {
    const at = collaborationAt("drafted", three);
    const other = await waiting(at, "c", "--timeout", "60");
    at.say("a", "proposal_submitted");
    assert.match(
      (await other.done).stdout,
      /^waiting: waiting for a after seq 1\nready: c is listed/,
    );
    const owner = await waiting(at, "a", "--timeout", "4");
    at.say("b", "review_submitted", { review: at.review() });
    const { code, stdout, stderr } = await owner.done;
    const said = "waiting: waiting for b, c after seq 2\nwaiting: waiting for c after seq 3\n";
    assert.deepEqual([code, stdout], [1, said]);
    assert.match(stderr, /^timeout: waiting for c after seq 3\nnext:\nnode .* --again 2\n$/);
  });

  it("that is ended by a signal leaves no presence behind", async () => {
    const at = collaborationAt("drafting");
    const waiter = await waiting(at, "b");
    waiter.kill("SIGTERM");
    assert.equal((await waiter.done).code, 128 + 15);
    assert.deepEqual(presenceFiles(at, "ready"), []);
  });

  it("refuses a timeout that is no number of seconds", () => {
    for (const given of ["soon", "-1", " "]) {
      const { code, stderr } = collaborationAt("drafted").wait("b", `--timeout=${given}`);
      assert.equal(code, 2);
      assert.match(stderr, /^error: --timeout is .*, expected seconds, 0 or more\n$/);
    }
  });
});

describe("a wait survives", () => {
  // The original exits 2 in each of these.
  const broken: [what: string, spoil: (at: Collaboration) => void][] = [
    ["a torn protocol.json", (at) => at.write("protocol.json", '{"currentPhase": "rev')],
    ["a protocol.json that is gone", (at) => rmSync(at.path("protocol.json"))],
    [
      "a line that is half there",
      (at) => at.write("events.jsonl", `${at.read("events.jsonl")}{"se`),
    ],
  ];
  for (const [what, spoil] of broken) {
    it(what, async () => {
      const at = collaborationAt("drafted");
      const [log, protocol] = [at.read("events.jsonl"), at.read("protocol.json")];
      const waiter = await waiting(at, "b", "--timeout", "30");
      spoil(at);
      await setTimeout(400);
      at.write("protocol.json", protocol);
      at.write("events.jsonl", log);
      at.say("a", "proposal_submitted");
      const { code, stdout, stderr } = await waiter.done;
      assert.deepEqual([code, stderr], [0, ""], stdout);
      assert.match(stdout, /^ready: b is listed in waitingFor$/m);
    });
  }
});

describe("presence", () => {
  it("shows who waits, to next-action and to status, and no longer than it waits", async () => {
    const at = collaborationAt("drafted", three);
    assert.match(at.next("a").stdout, /^peer b: not waiting \(working, or not started\)$/m);
    const waiter = await waiting(at, "b", "--timeout", "60");
    assert.deepEqual(presenceFiles(at, "ready"), ["b"]);
    assert.match(at.next("a").stdout, /^peer b: waiting for you \(heartbeat \d+ s ago\)$/m);
    assert.match(at.run("status").stdout, /^b: waiting, heartbeat \d+ s ago$/m);
    at.say("a", "blocked");
    await waiter.done;
    assert.match(at.next("a").stdout, /^peer b: not waiting \(last seen \d+ s ago\)$/m);
  });

  it("of a waiter that was killed counts no more, loudly", async () => {
    const at = collaborationAt("drafted", three);
    const waiter = await waiting(at, "b", "--timeout", "60");
    waiter.kill("SIGKILL");
    await waiter.done;
    const died = /^b's waiter died \(pid gone, last heartbeat \d+ s ago\): nothing wakes it; ask/m;
    assert.match(at.next("a").stdout, died);
    assert.match(at.run("status").stdout, died);
  });

  it("of somebody whose name is no file name lies in the folder all the same", async () => {
    const at = new Collaboration({ participants: ["a", "../\u00fc / b"] }).init();
    const waiter = await waiting(at, "../\u00fc / b", "--timeout", "60");
    assert.equal(presenceFiles(at, "ready").length, 1);
    assert.match(at.next("a").stdout, /^peer \.\.\/\u00fc \/ b: waiting for you/m);
    waiter.kill("SIGTERM");
    await waiter.done;
    assert.deepEqual(readdirSync(at.project.folder), ["shared"]);
  });
});

describe("a participant that has vanished", () => {
  /** A folder below a workspace whose config calls half a second long. */
  const impatient = () => {
    const at = collaborationAt("reviewing", three);
    mkdirSync(at.project.path());
    writeFileSync(at.project.path("config.json"), '{"message_timeout_seconds":0.5}');
    return at;
  };
  const gone = /has the turn and gave no sign for \d+ min: it may have vanished/;

  it("is shown by next-action, with what the others can do, and by status", async () => {
    const at = impatient();
    await setTimeout(1_200);
    const { stdout } = at.next("a");
    assert.match(stdout, new RegExp(`^peer b: ${gone.source}$`, "m"));
    assert.match(stdout, new RegExp(`^peer c: ${gone.source}$`, "m"));
    assert.match(stdout, /^If nobody answers: ask the user to open the peer's CLI here/m);
    assert.match(stdout, / --event blocked /);
    const status = at.run("status").stdout;
    assert.match(status, new RegExp(`^b: ${gone.source}$`, "m"));
    assert.doesNotMatch(status, new RegExp(`^a: ${gone.source}$`, "m"));
    assert.match(status, /^who may have vanished: .* restart its CLI .* append blocked/m);
  });

  it("is told apart from one that waits or has just done something", async () => {
    const at = impatient();
    at.say("b", "review_submitted", { review: at.review() });
    at.say("a", "blocked");
    at.say("a", "unblocked");
    await setTimeout(1_200);
    assert.equal(at.next("c").code, 0);
    const { stdout } = at.next("a");
    assert.match(stdout, /^peer b: not waiting \(last seen \d+ s ago\)$/m);
    assert.match(stdout, /^peer c: not waiting \(last seen \d+ s ago\)$/m);
    await setTimeout(1_200);
    assert.match(at.next("a").stdout, new RegExp(`^peer c: ${gone.source}$`, "m"));
  });
});
