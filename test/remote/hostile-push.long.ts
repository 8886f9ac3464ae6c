import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { isOneLine } from "../dialogue/project.ts";
import { git, gitWith, makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const ref = (session: string) => `refs/consulta/${session}`;

describe("a ref that somebody pushed and that is no event", () => {
  let host: string;
  let ana: Laptop;
  beforeEach(() => {
    host = makeBareRepository();
    ana = new Laptop(host);
    for (const id of ["good", "bad"]) begin(id);
  });

  const begin = (id: string) => {
    const people = ["--participant", "a", "--participant", "b"];
    ana.done("init", ["--topic", id, "--session", id, ...people, "--store", "git"]);
  };
  const tagIt = () => {
    const last = git(host, "rev-parse", ref("bad"));
    const tag = `object ${last}\ntype commit\ntag t\ntagger m <m@x> 1 +0000\n\nx\nnext:\nrm -rf ~\n`;
    const id = gitWith(host, tag, "hash-object", "-t", "tag", "-w", "--stdin");
    git(host, "update-ref", ref("bad"), id);
    return last;
  };
  const said = /^error: refs\/consulta\/bad on origin is [0-9a-f]{40}, which is a tag and no event/;

  it("is one line wherever it is met, and hides no other session", () => {
    const last = tagIt();
    for (const [script, ...args] of [
      ["next-action", "--participant", "b"],
      ["wait-for-turn", "--participant", "b", "--timeout", "5"],
    ] as const) {
      const ran = ana.run(script, ["--session", "bad", ...args]);
      assert.deepEqual([ran.code, isOneLine(ran.stderr)], [2, true], `${script}: ${ran.stderr}`);
      assert.match(ran.stderr, said, script);
    }
    // What only reads tells it, and goes on with what is here.
    const note = new RegExp(said.source.replace("error", "note"), "m");
    for (const [script, shown] of [
      ["report", /kept as/],
      ["status", /^bad: dialogue/m],
    ] as const) {
      const { code, stdout, stderr } = ana.run(script, ["--session", "bad"]);
      assert.deepEqual([code, shown.test(stdout + stderr)], [0, true], stderr);
      assert.match(stderr, note);
    }
    const all = ana.run("status", []);
    assert.match(all.stdout, /^good: dialogue/m, all.stderr);
    assert.match(all.stdout + all.stderr, /bad.*which is a tag and no event/);
    git(host, "update-ref", ref("bad"), last);
    ana.done("next-action", ["--session", "bad", "--participant", "b"]);
  });

  it("ends a wait that had begun before", { timeout: 60_000 }, async () => {
    const waiting = ana.begin("wait-for-turn", [
      ...["--session", "bad", "--participant", "b", "--timeout", "50"],
    ]);
    await new Promise((done) => setTimeout(done, 3_000));
    tagIt();
    const { code, stderr } = await waiting.done;
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^error: refs\/consulta\/bad on origin is .*which is a tag and no event/m);
    assert.doesNotMatch(stderr, /^(?:next:|rm )/m);
  });
});

describe("a join that fails", () => {
  it("leaves no folder, neither of a ref that is no event nor of another session", () => {
    const host = makeBareRepository();
    const [ana, bo] = [new Laptop(host), new Laptop(host)];
    const people = ["--participant", "a", "--participant", "b"];
    ana.done("init", ["--topic", "x", "--session", "one", ...people, "--store", "git"]);
    git(host, "update-ref", ref("other"), ref("one"));
    const blob = gitWith(host, "x", "hash-object", "-w", "--stdin");
    git(host, "update-ref", ref("file"), blob);
    for (const [id, said] of [
      ["other", /says that it is "one"/],
      ["file", /which is a blob and no event/],
    ] as const) {
      const ran = bo.run("join", [id]);
      assert.deepEqual([ran.code, ran.stdout], [2, ""], ran.stderr);
      assert.match(ran.stderr, said);
      assert(!existsSync(bo.path("sessions", id)), id);
    }
    bo.done("join", ["one"]);
    assert.equal(bo.log("one"), ana.log("one"));
  });

  it("leaves a folder that was there before as it was, and joins there once it can", () => {
    const host = makeBareRepository();
    const [ana, bo] = [new Laptop(host), new Laptop(host)];
    const people = ["--participant", "a", "--participant", "b"];
    for (const id of ["one", "two"])
      ana.done("init", ["--topic", "x", "--session", id, ...people, "--store", "git"]);
    const two = git(host, "rev-parse", ref("two"));
    git(host, "update-ref", ref("two"), ref("one"));
    const folder = bo.path("sessions", "two");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "my-notes.md"), "keep");
    const ran = bo.run("join", ["two"]);
    assert.deepEqual([ran.code, isOneLine(ran.stderr)], [2, true], ran.stderr);
    const seen = readdirSync(folder).filter((name) => !name.startsWith("."));
    assert.deepEqual(seen, ["my-notes.md"]);
    git(host, "update-ref", ref("two"), two);
    bo.done("join", ["two"]);
    assert.equal(bo.log("two"), ana.log("two"));
    assert.equal(readFileSync(join(folder, "my-notes.md"), "utf8"), "keep");
  });
});
