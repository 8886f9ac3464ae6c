import assert from "node:assert/strict";
import { appendFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Project } from "../dialogue/project.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { recordIn, Stage } from "./stage.ts";

const cite = ["--cite", "src/cache.ts:2", "--json"];
const recorded = (at: Stage) => recordIn(at.check("gemini", ...cite));

describe("the commit of a record", () => {
  it("is that of HEAD, with the tracked files that differ from it", () => {
    const at = new Stage();
    const commit = at.commit("src");
    const clean = recorded(at);
    assert.deepEqual([clean["commit"], clean["dirty"]], [commit, []]);
    at.write("src/other.ts", "x\n");
    at.git("add", "src/other.ts");
    at.write("src/cache.ts", "// Now.\nconst ttl = 60;\nexport { ttl };\n");
    const dirty = recorded(at);
    assert.deepEqual([dirty["commit"], dirty["dirty"]], [commit, ["src/cache.ts", "src/other.ts"]]);
  });

  it("comes with what is cited and not tracked, also where it is ignored", () => {
    const at = new Stage();
    at.write(".gitignore", "*.log\n");
    at.commit("src", ".gitignore");
    for (const path of ["results.txt", "run.log", "unrelated.txt"]) at.write(path, "fail 0\n");
    const citing = (place: string) =>
      recordIn(at.check("gemini", "--cite", place, "--json"))["dirty"];
    assert.deepEqual(citing("results.txt:1"), ["results.txt"]);
    assert.deepEqual(citing("run.log:1"), ["run.log"]);
    assert.deepEqual(citing("src/cache.ts:2"), []);
  });

  it("is known from packed refs, a detached HEAD, and in a worktree", () => {
    const at = new Stage();
    const commit = at.commit("src");
    at.git("pack-refs", "--all");
    assert.equal(recorded(at)["commit"], commit);
    at.git("checkout", "-q", "--detach");
    assert.equal(recorded(at)["commit"], commit);
    const tree = join(makeScratchFolder(), "tree");
    at.git("worktree", "add", "-q", tree, "main");
    const who = ["--session", "talk", "--participant", "claude"];
    const record = recordIn(new Project(tree).run("check", [...who, ...cite]));
    assert.deepEqual([record["commit"], record["dirty"]], [commit, []]);
  });

  it("is that of a submodule, where the project is one", () => {
    const [inner, outer] = [new Stage(), new Stage()];
    const commit = inner.commit("src");
    outer.git("init", "-q", "-b", "main");
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.folder, "part");
    outer.git("commit", "-qm", "outer");
    const there = new Project(join(outer.folder, "part"));
    there.open("talk");
    there.say("talk", "claude", { type: "REQUEST", question_or_proposal: { content: "Which?" } });
    const who = ["--session", "talk", "--participant", "claude"];
    const record = recordIn(there.run("check", [...who, ...cite]));
    assert.deepEqual([record["commit"], record["dirty"]], [commit, []]);
  });

  it("is absent where there is no repository, no commit, or no git", () => {
    const at = new Stage();
    assert.equal("commit" in recorded(at), false);
    at.git("init", "-q", "-b", "main");
    assert.equal("commit" in recorded(at), false);
    const commit = at.commit("src");
    const record = recordIn(at.checkWith({ PATH: "/nowhere" }, "gemini", ...cite));
    assert.deepEqual([record["commit"], "dirty" in record], [commit, false]);
  });

  it("is asked for without running what a clone's settings name", () => {
    const at = new Stage();
    at.write(".gitattributes", "* filter=evil diff=evil\n");
    at.commit("src", ".gitattributes");
    const ran = join(makeScratchFolder(), "ran");
    const evil = at.write("evil.sh", `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`);
    const hook = join(at.folder, ".git/hooks/post-index-change");
    writeFileSync(hook, `#!/bin/sh\necho hook >> ${ran}\n`, { mode: 0o755 });
    const settings: Record<string, string[]> = {
      core: ["fsmonitor", "pager", "sshCommand", "editor"],
      'filter "evil"': ["clean", "smudge", "process"],
      'diff "evil"': ["textconv", "command"],
      diff: ["external"],
    };
    const lines = Object.entries(settings).flatMap(([section, keys]) => [
      `[${section}]`,
      ...keys.map((key) => `\t${key} = sh ${evil}`),
    ]);
    const more = ["[core]", `\thooksPath = ${join(at.folder, ".git/hooks")}`, "[include]"];
    const config = [...lines, ...more, "\tpath = ../more", ""].join("\n");
    appendFileSync(join(at.folder, ".git/config"), config);
    // The same size and another time: git has to read the file, and would filter it.
    at.write("src/cache.ts", "// How Long.\nconst ttl = 60;\nexport { ttl };\n");
    assert.deepEqual(recorded(at)["dirty"], ["src/cache.ts"]);
    assert.equal(existsSync(ran), false);
    // The stage is right: git itself would have run it.
    at.git("status");
    assert.equal(existsSync(ran), true);
  });

  it("is none of a repository that a made-up .git names", () => {
    const [at, other] = [new Stage(), new Stage()];
    other.commit("src");
    at.write(".git", `gitdir: ${join(other.folder, ".git")}\n`);
    assert.equal("commit" in recorded(at), false);
  });
});

describe("check --replay", () => {
  const now = (at: Stage) => {
    const ran = at.replay();
    return [ran.code, ...[...ran.stdout.matchAll(/^E\d+ (.*?): "/gm)].map(([, word]) => word)];
  };

  it("says of each record whether it is as it was, and writes nothing", () => {
    const at = new Stage();
    const argv = [process.execPath, "-e", "process.exit(require('fs').existsSync('broken')?1:0)"];
    at.allow(argv);
    at.check("gemini", "--cite", "src/cache.ts:2");
    at.check("claude", "--find", "const ttl", "src");
    at.check("gemini", "--run", "--", ...argv);
    assert.deepEqual(now(at), [0, "same", "same", "same"]);
    at.write("src/cache.ts", "// New.\n// How long.\nconst ttl = 60;\n");
    assert.deepEqual(now(at), [0, "moved", "same", "same"]);
    const { stdout } = at.run("check", ["--session", "talk", "--replay", "--json"]);
    const { id, by, kind, now: word } = JSON.parse(stdout).replayed[0];
    assert.match(id, /^E\d+$/);
    assert.deepEqual([by, kind, word], ["gemini", "lines", "moved"]);
    at.write("src/cache.ts", "const ttl = 90;\n");
    at.write("broken", "");
    assert.deepEqual(now(at), [1, "changed", "changed", "differs"]);
    at.allow();
    rmSync(join(at.folder, "src"), { recursive: true });
    const before = at.listing();
    assert.deepEqual(now(at), [1, "changed", "changed", "could not run"]);
    assert.match(
      at.replay().stdout,
      /^3 records of session talk: 0 as they were, 2 NOT as they were, 1 not looked at again\n/,
    );
    assert.deepEqual(at.listing(), before);
  });

  it("goes on when the log was swept", () => {
    const at = new Stage();
    at.check("gemini", "--cite", "src/cache.ts:2");
    at.say("talk", "claude", {
      type: "ESCALATE",
      needs_user: "taste",
      question_or_proposal: { content: "The user decides." },
    });
    // What waits for the user's decision is kept for as long as it waits.
    assert.equal(at.run("decide", ["--session", "talk", "Keep it."]).code, 0);
    const config = { cleanup_completed_sessions_after_days: 30 };
    at.write(".consulta/config.json", JSON.stringify(config));
    const days40 = 40 * 86_400_000;
    const shift = `const n=Date.now;const d=${days40};const D=Date;globalThis.Date=class extends D{constructor(...a){a.length?super(...a):super(n()+d)}static now(){return n()+d}}`;
    const init = join(import.meta.dirname, "../../dist/init.cjs");
    const words = ["--topic", "Another question", "--session", "next"];
    const who = ["--participant", "claude", "--participant", "gemini"];
    const preload = at.write("later.cjs", shift);
    const ran = at.runNode(["--require", preload], [init, ...words, ...who]);
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(existsSync(join(at.folder, ".consulta/sessions/talk/events.jsonl")), false);
    assert(existsSync(at.path("artifacts", "talk", "evidence.json")));
    assert.deepEqual(now(at), [0, "same"]);
    at.write("src/cache.ts", "const ttl = 90;\n");
    assert.deepEqual(now(at), [1, "changed"]);
  });
});
