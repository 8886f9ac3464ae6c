import assert from "node:assert/strict";
import { appendFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Project } from "../dialogue/project.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { recordIn, Stage } from "./stage.ts";

const cite = ["--cite", "src/cache.ts:2", "--json"];

describe("the commit of a record", () => {
  it("is that of HEAD, with the tracked files that differ from it", () => {
    const at = new Stage();
    at.git("init", "-q", "-b", "main");
    at.git("add", "src");
    at.git("commit", "-qm", "one");
    const commit = at.git("rev-parse", "HEAD").trim();
    const clean = recordIn(at.check("gemini", ...cite));
    assert.deepEqual([clean["commit"], clean["dirty"]], [commit, []]);
    at.write("src/other.ts", "x\n");
    at.git("add", "src/other.ts");
    at.write("src/cache.ts", "// Now.\nconst ttl = 60;\nexport { ttl };\n");
    const dirty = recordIn(at.check("gemini", ...cite));
    assert.deepEqual([dirty["commit"], dirty["dirty"]], [commit, ["src/cache.ts", "src/other.ts"]]);
  });

  it("comes with what is cited and not tracked, also where it is ignored", () => {
    const at = new Stage();
    at.git("init", "-q", "-b", "main");
    at.write(".gitignore", "*.log\n");
    at.git("add", "src", ".gitignore");
    at.git("commit", "-qm", "one");
    at.write("results.txt", "fail 0\n");
    at.write("run.log", "fail 0\n");
    at.write("unrelated.txt", "x\n");
    const citing = (path: string) =>
      recordIn(at.check("gemini", "--cite", path, "--json"))["dirty"];
    assert.deepEqual(citing("results.txt:1"), ["results.txt"]);
    assert.deepEqual(citing("run.log:1"), ["run.log"]);
    assert.deepEqual(citing("src/cache.ts:2"), []);
  });

  it("is known from packed refs, a detached HEAD, and in a worktree", () => {
    const at = new Stage();
    at.git("init", "-q", "-b", "main");
    at.git("add", "src");
    at.git("commit", "-qm", "one");
    const commit = at.git("rev-parse", "HEAD").trim();
    at.git("pack-refs", "--all");
    assert.equal(recordIn(at.check("gemini", ...cite))["commit"], commit);
    at.git("checkout", "-q", "--detach");
    assert.equal(recordIn(at.check("gemini", ...cite))["commit"], commit);
    const tree = join(makeScratchFolder(), "tree");
    at.git("worktree", "add", "-q", tree, "main");
    const who = ["--session", "talk", "--participant", "claude"];
    const record = recordIn(new Project(tree).run("check", [...who, ...cite]));
    assert.deepEqual([record["commit"], record["dirty"]], [commit, []]);
  });

  it("is that of a submodule, where the project is one", () => {
    const inner = new Stage();
    inner.git("init", "-q", "-b", "main");
    inner.git("add", "src");
    inner.git("commit", "-qm", "inner");
    const outer = new Stage();
    outer.git("init", "-q", "-b", "main");
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.folder, "part");
    outer.git("commit", "-qm", "outer");
    const there = new Project(join(outer.folder, "part"));
    there.open("talk");
    there.say("talk", "claude", { type: "REQUEST", question_or_proposal: { content: "Which?" } });
    const record = recordIn(
      there.run("check", ["--session", "talk", "--participant", "claude", ...cite]),
    );
    assert.equal(record["commit"], inner.git("rev-parse", "HEAD").trim());
    assert.deepEqual(record["dirty"], []);
  });

  it("is absent where there is no repository, no commit, or no git", () => {
    const at = new Stage();
    assert.equal("commit" in recordIn(at.check("gemini", ...cite)), false);
    at.git("init", "-q", "-b", "main");
    assert.equal("commit" in recordIn(at.check("gemini", ...cite)), false);
    at.git("add", "src");
    at.git("commit", "-qm", "one");
    const who = ["--session", "talk", "--participant", "gemini"];
    const record = recordIn(at.run("check", [...who, ...cite], "", { env: { PATH: "/nowhere" } }));
    assert.equal(typeof record["commit"], "string");
    assert.equal("dirty" in record, false);
  });

  it("is asked for without running what a clone's settings name", () => {
    const at = new Stage();
    at.git("init", "-q", "-b", "main");
    at.write(".gitattributes", "* filter=evil diff=evil\n");
    at.git("add", "src", ".gitattributes");
    at.git("commit", "-qm", "one");
    const ran = join(makeScratchFolder(), "ran");
    const evil = at.write("evil.sh", `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`);
    const hook = join(at.folder, ".git/hooks/post-index-change");
    writeFileSync(hook, `#!/bin/sh\necho hook >> ${ran}\n`, { mode: 0o755 });
    appendFileSync(
      join(at.folder, ".git/config"),
      [
        "[core]",
        `\tfsmonitor = sh ${evil}`,
        `\thooksPath = ${join(at.folder, ".git/hooks")}`,
        `\tpager = sh ${evil}`,
        `\tsshCommand = sh ${evil}`,
        '[filter "evil"]',
        `\tclean = sh ${evil}`,
        `\tsmudge = sh ${evil}`,
        `\tprocess = sh ${evil}`,
        '[diff "evil"]',
        `\ttextconv = sh ${evil}`,
        `\tcommand = sh ${evil}`,
        "[diff]",
        `\texternal = sh ${evil}`,
        "[include]",
        "\tpath = ../more",
        "",
      ].join("\n"),
    );
    // The same size and another time: git has to read the file, and would filter it.
    at.write("src/cache.ts", "// How Long.\nconst ttl = 60;\nexport { ttl };\n");
    const record = recordIn(at.check("gemini", ...cite));
    assert.deepEqual(record["dirty"], ["src/cache.ts"]);
    assert.equal(existsSync(ran), false);
    // The stage is right: git itself would have run it.
    at.git("status");
    assert.equal(existsSync(ran), true);
  });

  it("is none of a repository that a made-up .git names", () => {
    const at = new Stage();
    const other = new Stage();
    other.git("init", "-q");
    other.git("add", "src");
    other.git("commit", "-qm", "private");
    at.write(".git", `gitdir: ${join(other.folder, ".git")}\n`);
    assert.equal("commit" in recordIn(at.check("gemini", ...cite)), false);
  });
});

describe("check --replay", () => {
  const now = (at: Stage) => {
    const ran = at.replay();
    return [ran.code, ...[...ran.stdout.matchAll(/^E\d+ (.*?): "/gm)].map(([, word]) => word)];
  };

  it("says of each record whether it is as it was", () => {
    const at = new Stage();
    const argv = [process.execPath, "-e", "process.exit(require('fs').existsSync('broken')?1:0)"];
    at.allow(argv);
    at.check("gemini", "--cite", "src/cache.ts:2");
    at.check("claude", "--find", "const ttl", "src");
    at.check("gemini", "--run", "--", ...argv);
    assert.deepEqual(now(at), [0, "same", "same", "same"]);
    at.write("src/cache.ts", "// New.\n// How long.\nconst ttl = 60;\n");
    assert.deepEqual(now(at), [0, "moved", "same", "same"]);
    at.write("src/cache.ts", "const ttl = 90;\n");
    at.write("broken", "");
    assert.deepEqual(now(at), [1, "changed", "changed", "differs"]);
    at.allow();
    rmSync(join(at.folder, "src"), { recursive: true });
    assert.deepEqual(now(at), [1, "changed", "changed", "could not run"]);
    assert.match(
      at.replay().stdout,
      /^3 records of session talk: 0 as they were, 2 NOT as they were, 1 not looked at again\n/,
    );
    const before = at.listing();
    at.replay();
    assert.deepEqual(at.listing(), before);
  });

  it("takes lines that stand twice now for changed", () => {
    const at = new Stage();
    at.check("gemini", "--cite", "src/cache.ts:2");
    at.write("src/cache.ts", "a\nb\nconst ttl = 60;\nconst ttl = 60;\n");
    assert.deepEqual(now(at), [1, "changed"]);
  });

  it("tells programs the same in JSON", () => {
    const at = new Stage();
    at.check("gemini", "--cite", "src/cache.ts:2");
    const { stdout } = at.run("check", ["--session", "talk", "--replay", "--json"]);
    const { same, replayed } = JSON.parse(stdout);
    assert.equal(same, true);
    const { id, by, kind, spec, now: word } = replayed[0];
    assert.deepEqual([by, kind, spec, word], ["gemini", "lines", "src/cache.ts:2", "same"]);
    assert.match(id, /^E\d+$/);
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
    const log = join(at.folder, ".consulta/sessions/talk/events.jsonl");
    const { text, days } = { text: at.read("sessions", "talk", "events.jsonl"), days: 40 };
    assert(text.length > 0 && days > 30 && existsSync(log));
    at.write(
      ".consulta/config.json",
      JSON.stringify({ cleanup_completed_sessions_after_days: 30 }),
    );
    const later = new Date(Date.now() + 40 * 86_400_000).toISOString();
    const shift = `const n=Date.now;const d=${Date.parse(later)}-n();const D=Date;globalThis.Date=class extends D{constructor(...a){a.length?super(...a):super(n()+d)}static now(){return n()+d}}`;
    const preload = at.write("later.cjs", shift);
    const init = join(import.meta.dirname, "../../dist/init.cjs");
    const ran = at.runNode(
      ["--require", preload],
      [
        ...[init, "--topic", "Another question", "--session", "next"],
        ...["--participant", "claude", "--participant", "gemini"],
      ],
    );
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(existsSync(log), false);
    assert(existsSync(at.path("artifacts", "talk", "evidence.json")));
    assert.deepEqual(now(at), [0, "same"]);
    at.write("src/cache.ts", "const ttl = 90;\n");
    assert.deepEqual(now(at), [1, "changed"]);
  });
});
