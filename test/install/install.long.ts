import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import { skillNames } from "../../scripts-src/clis/skill-names.ts";
import { filesBelow } from "../../scripts-src/pack/pack.ts";
import { sqliteFile } from "../../scripts-src/script/launch.ts";
import { Machine, repository } from "./machine.ts";

/** As `npx skills` writes it. */
const lock = JSON.stringify({ version: 1, skills: { consulta: { source: "x/consulta" } } });

describe("install", () => {
  it("puts skills and slash commands into a project, whole, and changes nothing the second time", () => {
    const machine = new Machine();
    const ran = machine.run("install");
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
    for (const folder of [".claude/skills", ".agents/skills"]) {
      for (const skill of skillNames) {
        const files = filesBelow(join(repository, "skills", skill));
        const hasScripts = `${folder}/${skill}/scripts` === projectScripts;
        const own = files.filter((path) => hasScripts || !path.startsWith("scripts/"));
        assert.deepEqual(filesBelow(join(machine.project, folder, skill)), own);
      }
    }
    for (const folder of [".claude/commands", ".gemini/commands"]) {
      assert.deepEqual(
        filesBelow(join(machine.project, folder)),
        filesBelow(join(repository, folder)),
      );
    }
    assert(!existsSync(join(machine.project, ".claude/settings.json")));
    const sqlite = readFileSync(join(repository, "dist", sqliteFile));
    assert(readFileSync(join(machine.project, projectScripts, sqliteFile)).equals(sqlite));
    const before = machine.snapshot();
    assert.match(machine.run("install").stdout, /nothing to do/);
    assert.deepEqual(machine.snapshot(), before);
    const bytes = Object.values(before).reduce((sum, it) => sum + it.length, 0);
    const count = Object.keys(before).length;
    // Hooks add five files.
    assert(count <= 78 && bytes <= 3_000_000, `${count} files, ${bytes} bytes`);
  });

  it("puts the scripts of a skill that came alone where the texts look for them", () => {
    const machine = new Machine();
    const alone = ".claude/skills/collaborate";
    cpSync(join(repository, "skills/collaborate"), join(machine.project, alone), {
      recursive: true,
    });
    const script = join(machine.project, alone, "scripts/install.cjs");
    const ran = machine.run(script, ["--hooks"]);
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
    for (const name of ["run.cjs", "bell.sh", "opencode.mjs", "consulta.cjs"])
      assert(existsSync(join(machine.project, projectScripts, name)), name);
    const status = machine.run(join(machine.project, projectScripts, "run.cjs"), ["status"]);
    assert.equal(status.code, 0, status.stderr);
    machine.run("install");
    const all = filesBelow(join(machine.project, projectScripts));
    assert.equal(machine.run(script, ["--hooks"]).code, 0);
    assert.deepEqual(filesBelow(join(machine.project, projectScripts)), all, "others' stay");
    assert(readFileSync(join(machine.project, projectScripts, sqliteFile)).length > 100_000);
  });

  it("takes out its hooks where a skill is a link that its user made", () => {
    const machine = new Machine();
    const elsewhere = join(machine.home, "mine");
    cpSync(join(repository, "skills/brain"), elsewhere, { recursive: true });
    mkdirSync(join(machine.project, ".claude/skills"), { recursive: true });
    symlinkSync(elsewhere, join(machine.project, ".claude/skills/brain"));
    machine.run("install", ["--hooks"]);
    const ran = machine.run("install", ["--remove"]);
    assert.equal(ran.code, 0, ran.stderr);
    assert(existsSync(join(elsewhere, "SKILL.md")));
    assert(!existsSync(join(machine.project, projectScripts, "run.cjs")));
    assert.doesNotMatch(JSON.stringify(machine.snapshot()), /bell\.sh/);
  });

  it("leaves scripts without their bundle to say so in one line, until it is run again", () => {
    const machine = new Machine();
    machine.run("install");
    rmSync(join(machine.project, projectScripts, "consulta.cjs"));
    const script = join(machine.project, projectScripts, "status.cjs");
    const { code, stdout, stderr } = machine.run(script);
    assert.deepEqual([code, stdout], [4, ""]);
    assert.match(stderr, /^error: \S+consulta\.cjs is missing; install the skills .* again\n$/);
    assert.equal(machine.run("install").code, 0);
    assert.equal(machine.run(script).code, 0);
  });

  it("says what comes next, in the words of the folder that it was run in", () => {
    const machine = new Machine();
    const doctor = ".agents/skills/consulta/scripts/doctor.cjs";
    const next =
      /^next: commit (.*) to share them, or list them in .gitignore; restart the CLIs, trust the folder in each and in Codex the hooks, then: node (.*)$/m;
    const [, folders, line] = next.exec(machine.run("install", ["--hooks"]).stdout) ?? [];
    assert.deepEqual(
      [folders, line],
      [".agents .claude .codex .consulta .gemini .opencode", doctor],
    );
    assert.match(machine.run(join(machine.project, doctor)).stdout, /^ok /m);
    assert.doesNotMatch(machine.run("install").stdout, next);
    const other = join(machine.home, "shop");
    mkdirSync(other);
    const [, , elsewhere] = next.exec(machine.run("install", ["--into", other]).stdout) ?? [];
    assert.equal(elsewhere, `${join(other, doctor)} --into ${other}`);
  });

  it("takes all of it out again, with the folders that it made", () => {
    const machine = new Machine();
    machine.write(".claude/commands/own.md", "mine");
    machine.run("install", ["--hooks"]);
    const ran = machine.run("install", ["--remove"]);
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
    assert.deepEqual(readdirSync(machine.project), [".claude"]);
    assert.deepEqual(filesBelow(join(machine.project, ".claude")), ["commands/own.md"]);
  });

  it("takes out what its user moved into the settings that are not shared", () => {
    const machine = new Machine();
    machine.run("install", ["--hooks"]);
    const [shared, local] = ["settings.json", "settings.local.json"].map((name) =>
      join(machine.project, ".claude", name),
    );
    renameSync(shared ?? "", local ?? "");
    const ran = machine.run("install", ["--remove"]);
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
    assert.deepEqual(readdirSync(machine.project), []);
  });

  it("keeps .gitignore while messages lie there", () => {
    const machine = new Machine();
    machine.run("install");
    const ignore = join(machine.project, ".consulta/.gitignore");
    assert.match(readFileSync(ignore, "utf8"), /^\*$/m);
    const git = (...words: string[]) =>
      spawnSync("git", ["-C", machine.project, ...words], { encoding: "utf8" }).stdout;
    git("init", "-q");
    machine.write(".consulta/inbox-claude/m.json", "{}");
    machine.run("install", ["--remove"]);
    assert(existsSync(ignore));
    assert.doesNotMatch(git("status", "--porcelain", "-uall"), /inbox/);
  });

  it("takes out no text that somebody changed, nor a file of somebody's, and says so", () => {
    const machine = new Machine();
    machine.run("install");
    const [changed, own] = [".claude/skills/consulta/SKILL.md", ".claude/skills/brain/mine.md"];
    machine.write(changed, "my own words");
    machine.write(own, "mine");
    const removed = machine.run("install", ["--remove"]);
    assert.match(removed.stdout, /kept \.claude\/skills\/consulta\/SKILL\.md: it was changed/);
    assert.deepEqual(Object.values(machine.snapshot()).sort(), ["mine", "my own words"]);
  });

  it("brings copies of an older version up to date and drops what is no more", () => {
    const machine = new Machine();
    machine.run("install");
    const skill = ".agents/skills/consulta";
    const older = `older: node ${projectScripts}/gone.cjs`;
    machine.write(`${skill}/SKILL.md`, older);
    machine.write(`${skill}/scripts/gone.cjs`, "older");
    assert.match(machine.run("install").stdout, /1 file written, 1 file removed/);
    assert.notEqual(machine.read(`${skill}/SKILL.md`), older);
    assert(!existsSync(join(machine.project, skill, "scripts/gone.cjs")));
  });

  it("renews with hooks as well, and names scripts of another build in other skills", () => {
    const machine = new Machine();
    machine.run("install");
    const bundle = `${projectScripts}/consulta.cjs`;
    const current = machine.read(bundle);
    machine.write(bundle, "older");
    machine.write(".claude/skills/brain/scripts/consulta.cjs", current);
    assert.doesNotMatch(machine.run("install", ["--hooks"]).stdout, /^kept/m);
    assert.equal(machine.read(bundle), current);
    machine.write(".claude/skills/brain/scripts/consulta.cjs", "older");
    const { code, stdout } = machine.run("install", ["--hooks"]);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^kept \.claude\/skills\/brain\/scripts: of another build, .*; remove them$/m,
    );
  });

  it("leaves a skill and a command of that name that are somebody else's, and permits nothing of it", () => {
    const machine = new Machine();
    machine.write(".agents/skills/brain/SKILL.md", "another brain");
    machine.write(".claude/skills/brain/SKILL.md", "another brain");
    machine.write(".claude/commands/consulta-gemini.md", "of an original");
    machine.write(".gemini/skills/collaborate/SKILL.md", "another brain");
    const ran = machine.run("install", ["--permissions"]);
    assert.equal(ran.code, 0);
    assert.match(ran.stdout, /kept \.agents\/skills\/brain: a skill that is none of ours/);
    assert.match(ran.stdout, /kept \.claude\/commands\/consulta-gemini\.md: it is none of ours/);
    assert.equal(machine.read(".agents/skills/brain/SKILL.md"), "another brain");
    const rules =
      machine.read(".claude/settings.json") + machine.read(".gemini/consulta-policy.toml");
    assert.match(rules, /Skill\(consulta\)[\s\S]*"name":"\(consulta\|share-findings\)"/);
    assert.doesNotMatch(rules, /Skill\((?:brain|collaborate)\)/);
    machine.run("install", ["--remove"]);
    assert.deepEqual(
      new Set(Object.values(machine.snapshot())),
      new Set(["another brain", "of an original"]),
    );
  });

  it("leaves skills to npx skills, which put them there", () => {
    const machine = new Machine();
    const skill = ".agents/skills/consulta";
    cpSync(join(repository, "skills/consulta"), join(machine.project, skill), { recursive: true });
    machine.write("skills-lock.json", lock);
    machine.write(`${skill}/SKILL.md`, "an older text");
    assert.match(machine.run("install", ["--hooks"]).stdout, /kept \S+consulta: npx skills update/);
    // `npx skills update` says of what came from a folder that there is nothing to update (1.5.18, 1.7.4).
    const consulta = { source: "../my pack", sourceType: "local" };
    machine.write("skills-lock.json", JSON.stringify({ version: 1, skills: { consulta } }));
    const told = machine.run("install", ["--hooks"]).stdout;
    assert.match(told, /kept \S+consulta: npx skills add '\.\.\/my pack' brings it up to date/);
    assert.equal(machine.read(`${skill}/SKILL.md`), "an older text");
    assert.equal(machine.run("install", ["--remove"]).code, 0);
    assert(existsSync(join(machine.project, projectScripts, "init.cjs")));
  });

  it("arms no script that the project brought", () => {
    const machine = new Machine();
    machine.write(`${projectScripts}/run.cjs`, "evil");
    machine.write(`${projectScripts}/evil.cjs`, "evil");
    assert.equal(machine.run("install", ["--hooks"]).code, 0);
    assert(!Object.values(machine.snapshot()).includes("evil"));
    for (const path of ["skills-lock.json", ".agents/skills/consulta/SKILL.md"]) {
      const kept = new Machine();
      kept.write(`${projectScripts}/run.cjs`, "evil");
      kept.write(path, lock);
      const before = kept.snapshot();
      const ran = kept.run("install", ["--hooks"]);
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, /is not this pack's, and hooks or rules would let it run/);
      assert.deepEqual(kept.snapshot(), before);
    }
  });

  it("arms nothing of the pack itself", () => {
    const machine = new Machine();
    const ran = machine.run("install", ["--into", repository, "--hooks", "--dry-run"]);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /this is the pack itself; hooks and rules are for/);
  });

  it("gives from an installed skill what that has, and says what it lacks", () => {
    const machine = new Machine();
    machine.run("install");
    const other = new Machine();
    const script = join(machine.project, projectScripts, "install.cjs");
    const ran = other.run(script, ["--into", other.project, "--hooks"]);
    assert.equal(ran.code, 0);
    assert.match(
      ran.stdout,
      /came with these skills: consulta, collaborate, share-findings, brain; slash/,
    );
    assert(existsSync(join(other.project, ".agents/skills/consulta/scripts/run.cjs")));
    assert(!existsSync(join(other.project, ".claude/commands")));
  });

  it("shows on a dry run what it would do and touches nothing, and tells programs what it did", () => {
    const machine = new Machine();
    const ran = machine.run("install", ["--hooks", "--dry-run"]);
    assert.match(
      ran.stdout,
      /^\.claude\/settings\.json\n\+ permissions[\s\S]* 3 settings files would be changed \(dry run: nothing was touched\)\n$/m,
    );
    assert.deepEqual(readdirSync(machine.project), []);
    const told = JSON.parse(machine.run("install", ["--hooks", "--json"]).stdout);
    assert.equal(told.done, true);
    assert(told.written.includes(".claude/skills/consulta/SKILL.md"));
    const changed = told.settings.map(({ path }: { path: string }) => path);
    const expected = [".claude/settings.json", ".gemini/settings.json", ".codex/hooks.json"];
    assert.deepEqual(changed, expected);
  });

  it("survives two that run at once, and what they made can be removed", async () => {
    const machine = new Machine();
    const own = { env: { A: "b" } };
    machine.write(".claude/settings.json", JSON.stringify(own));
    const codes = await Promise.all(
      [1, 2, 3].map(
        () => new Promise((done) => machine.start("install", ["--hooks"]).on("exit", done)),
      ),
    );
    assert.deepEqual(codes, [0, 0, 0]);
    assert.match(machine.run("install", ["--hooks"]).stdout, /nothing to do/);
    machine.run("install", ["--remove"]);
    assert.deepEqual(
      Object.values(machine.snapshot()).map((it) => JSON.parse(it)),
      [own],
    );
  });

  for (const [place, made] of [
    [".claude", "a link"],
    [".claude/commands", "a file"],
    [".consulta", "a link"],
    [".agents", "a folder without rights"],
  ] as const) {
    it(`writes nothing at all when ${place} is ${made}`, () => {
      const machine = new Machine();
      const target = join(machine.folder, "elsewhere");
      mkdirSync(target);
      if (made === "a link") symlinkSync(target, join(machine.project, place));
      if (made === "a file") machine.write(place, "");
      if (made === "a folder without rights") {
        mkdirSync(join(machine.project, place), { mode: 0o555 });
      }
      const isRoot = process.getuid?.() === 0 && made === "a folder without rights";
      const user = isRoot ? { uid: 65_534 } : {};
      if (isRoot) {
        chmodSync(machine.folder, 0o755);
        chownSync(machine.project, 65_534, 65_534);
      }
      const before = machine.snapshot();
      const ran = machine.run("install", ["--hooks"], user);
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, new RegExp(`${place}.*(link|not a folder|not writable)`));
      assert.deepEqual(machine.snapshot(), before);
      assert.deepEqual(readdirSync(target), []);
    });
  }

  it("refuses a project that is not there", () => {
    const ran = new Machine().run("install", ["--into", "nowhere"]);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /there is no folder .*nowhere: make it first/);
  });
});
