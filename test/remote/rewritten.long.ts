/** History that somebody rewrote on the host: who acts stops, and nothing is changed on either side. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { draft, isOneLine, type Ran, recordOf } from "../dialogue/project.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { git, gitWith } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const at = ["--session", "talk"];
const who = ["--participant", "a", "--participant", "b"];
const ref = "refs/consulta/talk";

let host: string;
let ana: Laptop;
let bo: Laptop;
let cy: Laptop;
let seen: string;
beforeEach(() => {
  // A line that a person may run has to name it as one word.
  host = join(makeScratchFolder(), "our host.git");
  git(".", "init", "--quiet", "--bare", host);
  [ana, bo, cy] = [new Laptop(host), new Laptop(host), new Laptop(host)];
  ana.done("init", ["--topic", "Which store?", ...at, ...who, "--store", "git"]);
  ana.say("talk", "a", draft("REQUEST", "Files or SQLite?", { position: undefined }));
  for (const other of [bo, cy]) other.done("join", ["talk"]);
  seen = git(host, "rev-parse", ref);
});

const cutOff = () => git(host, "update-ref", ref, `${seen}~1`);
const forceAnother = () => {
  const [, second = ""] = ana.log("talk").split("\n");
  const line = JSON.stringify({ ...recordOf(second), summary: "REQUEST to b, of another" });
  const tree = git(host, "rev-parse", `${seen}^{tree}`);
  const words = ["commit-tree", tree, "-p", `${seen}~1`, "-F", "-"];
  git(host, "update-ref", ref, gitWith(host, `${line}\n`, ...words));
};
const deleteIt = () => git(host, "update-ref", "-d", ref);

const append = (laptop: Laptop) =>
  laptop.send("talk", "b", draft("RESPONSE", "Files.", { position: "Files." }));

/** Rewrites while a waits, and has each script that acts meet it. */
async function act(rewrite: () => unknown): Promise<[script: string, ran: Ran][]> {
  const waiting = ana.begin("wait-for-turn", [...at, "--participant", "a", "--timeout", "50"]);
  const sides = ["--participants", "a=command:true,b=elsewhere", "--time-limit", "50"];
  const consulting = cy.begin("consult", [...at, ...sides]);
  let progress = "";
  consulting.child.stderr.on("data", (part: Buffer) => {
    progress += part;
  });
  while (!existsSync(ana.path("presence", "a.ready"))) await sleep(50);
  while (!progress.includes("waiting for b, elsewhere")) await sleep(50);
  rewrite();
  const consulted = await consulting.done;
  const acted: [string, Ran][] = [
    ["next-action", bo.next("talk", "b")],
    ["append-event", append(bo)],
    ["wait-for-turn", await waiting.done],
    ["consult", { ...consulted, stderr: consulted.stderr.replace(/^ +\d+:\d\d {2}.*\n/gm, "") }],
  ];
  return acted;
}

function checkStopped(script: string, { code, stdout, stderr }: Ran, said: RegExp): void {
  assert.deepEqual([code, stdout, isOneLine(stderr)], [2, "", true], `${script}: ${stderr}`);
  assert.match(stderr, said, script);
}

describe("history that was rewritten", { timeout: 120_000 }, () => {
  for (const [what, rewrite] of [
    ["events cut off", cutOff],
    ["another event forced", forceAnother],
  ] as const) {
    it(`stops who acts and who reads, and names both tips: ${what}`, async () => {
      const log = bo.log("talk");
      const acted = await act(rewrite);
      const there = git(host, "rev-parse", ref);
      const tips = `${ref} on origin is ${there}, which does not go on from ${seen}, seen last`;
      const said = new RegExp(`^error: history was rewritten: ${tips}; nothing was changed here`);
      for (const [script, ran] of acted) checkStopped(script, ran, said);
      for (const script of ["report", "status"]) checkStopped(script, bo.run(script, at), said);
      assert.deepEqual([bo.log("talk"), git(host, "rev-parse", ref)], [log, there]);
      git(host, "update-ref", ref, seen);
      assert.equal(append(bo).code, 0);
    });
  }
});

describe("a session whose folder was removed", { timeout: 120_000 }, () => {
  const forget = () => rmSync(bo.path("sessions", "talk"), { recursive: true });

  for (const [what, rewrite] of [
    ["events cut off", cutOff],
    ["another event forced", forceAnother],
  ] as const) {
    it(`is not joined again where it does not go on from what was seen: ${what}`, () => {
      forget();
      // Time passes, and other sessions come.
      bo.open("other", "--store", "git");
      rewrite();
      for (const _ of [1, 2])
        checkStopped(
          "join",
          bo.run("join", ["talk"]),
          /^error: history was rewritten: .*seen last/,
        );
      assert(!existsSync(bo.path("sessions", "talk")));
      git(host, "update-ref", ref, seen);
      bo.done("join", ["talk"]);
      assert.match(bo.next("talk", "b").stdout, /Files or SQLite\?/);
      assert.equal(append(bo).code, 0);
    });
  }

  it("is joined again whole, with its documents", () => {
    const words = ["--objective", "Agree", "--completion", "Done", "--session", "sync"];
    ana.done("init", [...words, ...who, "--store", "git"]);
    bo.done("join", ["sync"]);
    const read = () => readFileSync(bo.path("sessions", "sync", "proposal.md"), "utf8");
    const before = read();
    rmSync(bo.path("sessions", "sync"), { recursive: true });
    bo.done("join", ["sync"]);
    assert.deepEqual([read(), bo.log("sync")], [before, ana.log("sync")]);
  });

  it("is not joined again as one that is signed where it was not", () => {
    forget();
    const said = /^error: .* is not signed, and this session's events are/;
    checkStopped("join", bo.run("join", ["talk", "--signed"]), said);
    bo.done("join", ["talk"]);
    forget();
    checkStopped("join", bo.run("join", ["talk", "--signed"]), said);
    cutOff();
    checkStopped("join", bo.run("join", ["talk"]), /^error: history was rewritten: /);
  });

  it("and one of that name that is here is none of another store, nor signed", () => {
    const other = join(makeScratchFolder(), "other.git");
    git(".", "clone", "--quiet", "--bare", host, other);
    git(bo.folder, "remote", "add", "other", other);
    const cases: [string[], RegExp][] = [
      [
        ["--store", "git:other"],
        /a session talk is here already, and it is kept on git:origin, not on git:other: move /,
      ],
      [["--signed"], /a session talk is here already, and it is not signed: move /],
    ];
    for (const [args, said] of cases) checkStopped("join", bo.run("join", ["talk", ...args]), said);
    for (const args of [[], ["--store", "git"]])
      assert.match(bo.done("join", ["talk", ...args]), /^joined before: /);
  });
});

describe("a session that was deleted on the host", { timeout: 120_000 }, () => {
  it("stops who acts, is still read, and goes on by the line that says so", async () => {
    const log = bo.log("talk");
    const acted = await act(deleteIt);
    const said = new RegExp(`^error: ${ref} on origin was deleted, and event ${seen} was its last`);
    for (const [script, ran] of acted) checkStopped(script, ran, said);
    const note = new RegExp(said.source.replace("error", "note"));
    for (const [script, shown] of [
      ["report", /Files or SQLite\?/],
      ["status", /^talk: dialogue/m],
    ] as const) {
      const { code, stdout, stderr } = bo.run(script, at);
      assert.equal(code, 0, `${script}: ${stderr}`);
      assert.match(stdout, shown);
      assert.match(stderr, note);
    }
    assert.deepEqual([bo.log("talk"), git(host, "for-each-ref")], [log, ""]);
    const [, line = ""] = / put it back: (git -C .*)\n$/.exec(bo.next("talk", "b").stderr) ?? [];
    execFileSync("sh", ["-c", line], { stdio: "ignore" });
    assert.equal(git(host, "rev-parse", ref), seen);
    assert.match(bo.done("next-action", [...at, "--participant", "b"]), /Files or SQLite\?/);
    assert.equal(append(bo).code, 0);
  });
});
