import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { skillNames } from "../../scripts-src/clis/skill-names.ts";
import { filesBelow, isBundle } from "../../scripts-src/pack/pack.ts";
import { Machine, repository } from "./machine.ts";

describe("install", () => {
  it("puts skills and slash commands into a project, whole, and changes nothing the second time", () => {
    const machine = new Machine();
    const ran = machine.run("install");
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
    for (const folder of [".claude/skills", ".agents/skills"]) {
      for (const skill of skillNames) {
        const files = filesBelow(join(repository, "skills", skill));
        const own = skill === "consulta" ? files : files.filter((path) => !isBundle(path));
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
    const before = machine.snapshot();
    assert.match(machine.run("install").stdout, /nothing to do/);
    assert.deepEqual(machine.snapshot(), before);
  });

  describe("holds the bundle of a CLI's skills once", () => {
    const brain = ".claude/skills/brain";
    const bundle = `${brain}/scripts/consulta.cjs`;

    it("in at most 5 MB", () => {
      const machine = new Machine();
      machine.run("install");
      const bytes = Object.values(machine.snapshot()).reduce((sum, it) => sum + it.length, 0);
      assert(bytes < 5_000_000, `an installed project has ${bytes} bytes`);
    });

    it("so that each skill runs, and installs whole skills elsewhere", () => {
      const machine = new Machine();
      const other = new Machine();
      machine.run("install");
      for (const skill of skillNames) {
        const script = join(machine.project, ".agents/skills", skill, "scripts/install.cjs");
        const ran = other.run(script, ["--into", other.project]);
        assert.deepEqual([ran.code, ran.stderr], [0, ""]);
      }
      assert.deepEqual(
        filesBelow(join(other.project, ".claude/skills")),
        filesBelow(join(machine.project, ".claude/skills")),
      );
    });

    it("and a skill that has lost it says so in one line", () => {
      const machine = new Machine();
      machine.run("install");
      rmSync(join(machine.project, ".claude/skills/consulta"), { recursive: true });
      const script = join(machine.project, brain, "scripts/status.cjs");
      const { code, stdout, stderr } = machine.run(script);
      assert.deepEqual([code, stdout], [4, ""]);
      assert.match(
        stderr,
        /^error: .*brain\/scripts\/consulta\.cjs is missing; install the skills of Consulta again\n$/,
      );
      assert.equal(machine.run("install").code, 0);
      assert.equal(machine.run(script).code, 0);
    });

    it("where each skill had its own", () => {
      const machine = new Machine();
      machine.run("install");
      const record = JSON.parse(machine.read(".consulta/installed.json"));
      machine.write(bundle, "older");
      record.files[bundle] = hashOf("older");
      machine.write(".consulta/installed.json", JSON.stringify(record));
      assert.match(machine.run("install").stdout, /: 1 file removed/);
      assert.equal(machine.run(join(machine.project, brain, "scripts/status.cjs")).code, 0);
    });

    it("and leaves a skill alone that has nothing but a bundle of somebody else's", () => {
      const machine = new Machine();
      machine.write(bundle, "mine");
      const ran = machine.run("install");
      assert.match(ran.stdout, /kept \.claude\/skills\/brain: another copy/);
      assert.deepEqual(filesBelow(join(machine.project, brain)), ["scripts/consulta.cjs"]);
    });

    it("unless somebody changed a skill's own", () => {
      const machine = new Machine();
      machine.run("install");
      machine.write(bundle, "mine");
      const again = machine.run("install");
      assert.match(again.stdout, /kept \.claude\/skills\/brain\/scripts\/consulta\.cjs/);
      const whole = filesBelow(join(repository, "skills/brain"));
      assert.deepEqual(filesBelow(join(machine.project, brain)), whole);
    });

    for (const skill of ["brain", "consulta"]) {
      it(`and arms nothing where the bundle in ${skill} is another`, () => {
        const machine = new Machine();
        machine.run("install");
        machine.write(`.claude/skills/${skill}/scripts/consulta.cjs`, "evil");
        const before = machine.snapshot();
        const ran = machine.run("install", ["--hooks"]);
        assert.equal(ran.code, 2);
        assert.match(ran.stderr + ran.stdout, /is not this pack's/);
        assert.deepEqual(machine.snapshot(), before);
      });
    }
  });

  it("says what comes next, in the words of the folder that it was run in", () => {
    const machine = new Machine();
    const doctor = ".agents/skills/consulta/scripts/doctor.cjs";
    const next =
      /^next: commit (.*) to share them, or list them in .gitignore; restart both CLIs, trust the folder in each, then: node (.*)$/m;
    const [, folders, line] = next.exec(machine.run("install", ["--hooks"]).stdout) ?? [];
    assert.deepEqual([folders, line], [".agents .claude .consulta .gemini", doctor]);
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

  it("keeps its record out of git, and .gitignore while messages lie there", () => {
    const machine = new Machine();
    machine.run("install");
    const ignore = join(machine.project, ".consulta/.gitignore");
    assert.match(readFileSync(ignore, "utf8"), /^\*$/m);
    const git = (...words: string[]) =>
      spawnSync("git", ["-C", machine.project, ...words], { encoding: "utf8" }).stdout;
    git("init", "-q");
    assert.doesNotMatch(git("status", "--porcelain", "-uall"), /installed\.json/);
    machine.write(".consulta/inbox-claude/m.json", "{}");
    machine.run("install", ["--remove"]);
    assert(existsSync(ignore) && !existsSync(join(machine.project, ".consulta/installed.json")));
    assert.doesNotMatch(git("status", "--porcelain", "-uall"), /inbox/);
  });

  it("keeps what somebody changed, and says so", () => {
    const machine = new Machine();
    machine.run("install");
    machine.write(".claude/skills/consulta/SKILL.md", "my own words");
    const again = machine.run("install");
    assert.match(again.stdout, /kept \.claude\/skills\/consulta\/SKILL\.md: it was changed/);
    const removed = machine.run("install", ["--remove"]);
    assert.match(
      removed.stdout,
      /kept \.claude\/skills\/consulta\/SKILL\.md: it was changed since/,
    );
    assert.deepEqual(Object.values(machine.snapshot()), ["my own words"]);
  });

  it("brings copies of an older version up to date and drops what is no more", () => {
    const machine = new Machine();
    machine.run("install");
    const skill = ".agents/skills/consulta";
    machine.write(`${skill}/SKILL.md`, "older");
    machine.write(`${skill}/scripts/gone.cjs`, "older");
    const record = JSON.parse(machine.read(".consulta/installed.json"));
    const hash = hashOf("older");
    record.files[`${skill}/SKILL.md`] = hash;
    record.files[`${skill}/scripts/gone.cjs`] = hash;
    machine.write(".consulta/installed.json", JSON.stringify(record));
    assert.match(machine.run("install").stdout, /1 file written, 1 file removed/);
    assert.notEqual(machine.read(`${skill}/SKILL.md`), "older");
    assert(!existsSync(join(machine.project, skill, "scripts/gone.cjs")));
  });

  it("leaves a skill that came another way", () => {
    const machine = new Machine();
    machine.write(".agents/skills/consulta/SKILL.md", "another version");
    mkdirSync(join(machine.project, ".claude/skills"), { recursive: true });
    symlinkSync("../../.agents/skills/consulta", join(machine.project, ".claude/skills/consulta"));
    const ran = machine.run("install");
    assert.equal(ran.code, 0);
    assert.match(ran.stdout, /kept \.agents\/skills\/consulta: another copy/);
    assert.equal(machine.read(".claude/skills/consulta/SKILL.md"), "another version");
    assert.deepEqual(filesBelow(join(machine.project, ".agents/skills/consulta")), ["SKILL.md"]);
  });

  const armed = { "scripts/hook.cjs": "evil", "references/gemini-policy.toml": "evil" };
  for (const [home, option] of [
    [".claude", "--hooks"],
    [".agents", "--permissions"],
    [".gemini", "--local"],
  ] as const) {
    for (const [file, text] of Object.entries(armed)) {
      it(`arms no ${file} in ${home} that the project brought, by no link either`, () => {
        const machine = new Machine();
        cpSync(join(repository, "skills/consulta"), join(machine.project, "lib"), {
          recursive: true,
        });
        machine.write(`lib/${file}`, text);
        const skill = `${home}/skills/consulta`;
        mkdirSync(join(machine.project, home, "skills"), { recursive: true });
        for (const isLink of [true, false]) {
          rmSync(join(machine.project, skill), { recursive: true, force: true });
          if (isLink) symlinkSync("../../lib", join(machine.project, skill));
          else
            cpSync(join(machine.project, "lib"), join(machine.project, skill), {
              recursive: true,
            });
          const before = machine.snapshot();
          const ran = machine.run("install", [option]);
          assert.deepEqual(
            [ran.code, ran.stderr],
            [
              2,
              `error: ${skill}: ${file} in it is not this pack's, and hooks or rules would let it run; ` +
                "look at it, remove it and run this again; nothing was written\n",
            ],
          );
          assert.deepEqual(machine.snapshot(), before);
        }
        rmSync(join(machine.project, skill), { recursive: true });
        assert.equal(machine.run("install", [option]).code, 0);
      });
    }
  }

  it("arms a skill that is a link to the pack's own bytes, as developers have it", () => {
    const machine = new Machine();
    mkdirSync(join(machine.project, ".claude/skills"), { recursive: true });
    const [pack, skill] = [join(repository, "skills/consulta"), ".claude/skills/consulta"];
    symlinkSync(pack, join(machine.project, skill));
    assert.equal(machine.run("install", ["--hooks"]).code, 0);
    assert.match(machine.read(".claude/settings.json"), /skills\/consulta\/scripts\/hook\.cjs/);
  });

  it("gives from an installed skill what that has, and says what it lacks", () => {
    const machine = new Machine();
    machine.run("install");
    const other = new Machine();
    const script = join(machine.project, ".claude/skills/consulta/scripts/install.cjs");
    const ran = other.run(script, ["--into", other.project, "--hooks"]);
    assert.equal(ran.code, 0);
    assert.match(
      ran.stdout,
      /came with these skills: consulta, collaborate, share-findings, brain; slash/,
    );
    assert.doesNotMatch(machine.run(script, ["--hooks"]).stdout, /came with these skills/);
    assert(existsSync(join(other.project, ".agents/skills/consulta/scripts/hook.cjs")));
    assert(!existsSync(join(other.project, ".claude/commands")));
  });

  it("names the hooks' script by where the running one lies when the project has no skills", () => {
    const machine = new Machine();
    const script = ".consulta/scripts/install.cjs";
    for (const path of filesBelow(join(repository, "dist"))) {
      machine.write(`.consulta/scripts/${path}`, readFileSync(join(repository, "dist", path)));
    }
    assert.equal(machine.run(join(machine.project, script), ["--hooks"]).code, 0);
    assert.match(
      machine.read(".gemini/settings.json"),
      /node \\"\.consulta\/scripts\/hook\.cjs\\" gemini/,
    );
  });

  it("shows on a dry run what it would do and touches nothing", () => {
    const machine = new Machine();
    const ran = machine.run("install", ["--hooks", "--dry-run"]);
    assert.match(
      ran.stdout,
      /\+\+\+ b\/\.claude\/settings\.json[\s\S]* 2 settings files would be changed \(dry run: nothing was touched\)\n$/,
    );
    assert.deepEqual(readdirSync(machine.project), []);
  });

  it("tells programs what it did", () => {
    const machine = new Machine();
    const told = JSON.parse(machine.run("install", ["--hooks", "--json"]).stdout);
    assert.equal(told.done, true);
    assert(told.written.includes(".claude/skills/consulta/SKILL.md"));
    assert.deepEqual(
      told.settings.map(({ path }: { path: string }) => path),
      [".claude/settings.json", ".gemini/settings.json"],
    );
  });

  it("survives two that run at once, and what they made can be removed", async () => {
    const machine = new Machine();
    const text = '{"env": {"A": "b"}}\n';
    machine.write(".claude/settings.json", text);
    const codes = await Promise.all(
      [1, 2, 3].map(
        () => new Promise((done) => machine.start("install", ["--hooks"]).on("exit", done)),
      ),
    );
    assert.deepEqual(codes, [0, 0, 0]);
    assert.match(machine.run("install", ["--hooks"]).stdout, /nothing to do/);
    machine.run("install", ["--remove"]);
    assert.deepEqual(Object.values(machine.snapshot()), [text]);
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

  const mine = "ref: refs/heads/main\n";
  const foreign = [
    "../home/x",
    ".git/HEAD",
    "src/main.ts",
    ".claude/settings.json",
    ".claude/commands/mine.md",
    ".claude/commands/consulta-x/mine.md",
    ".claude/skills/mine/SKILL.md",
    ".Claude/skills/consulta/SKILL.md",
    ".claude/skills/consulta/../../../.git/HEAD",
    ".claude/skills/consulta/.../HEAD",
    ".claude/skills/consulta/.. /HEAD",
    ".claude/skills/consulta/.\u200c./HEAD",
    ".claude/skills/consulta/GIT~1/HEAD",
    ".claude/skills/consulta/a\\..\\..\\HEAD",
    ".claude/skills/consulta/HEAD::$DATA",
    ".claude/skills/consulta/",
  ];
  const untouched = { isNew: false, entries: [], sha256: "", undo: [] };
  const records: [name: string, record: object][] = [
    ...foreign.map((path): [string, object] => [path, { files: { [path]: hashOf(mine) } }]),
    ...[".git", ".git/refs", "src", ".", "..", ".gemini/tmp"].map((path): [string, object] => [
      `the folder ${path}`,
      { folders: [path] },
    ]),
    ["settings of another program", { edited: { "package.json": untouched } }],
  ];
  for (const [name, record] of records) {
    it(`refuses a record that names ${name}`, () => {
      const machine = new Machine();
      for (const path of [".git/HEAD", "src/main.ts", ".claude/commands/mine.md"])
        machine.write(path, mine);
      const whole = { version: "1", files: {}, folders: [], edited: {}, ...record };
      machine.write(".consulta/installed.json", JSON.stringify(whole));
      const before = machine.snapshot();
      for (const args of [["--remove"], ["--hooks"]]) {
        const ran = machine.run("install", args);
        assert.equal(ran.code, 2);
        assert.match(ran.stderr, /installed\.json is not a record of install, or names files/);
      }
      assert.deepEqual(machine.snapshot(), before);
    });
  }

  it("follows no link inside of folders that a record names", () => {
    const machine = new Machine();
    machine.write(".git/HEAD", mine);
    mkdirSync(join(machine.project, ".git/refs"));
    machine.write(".claude/skills/x", "");
    symlinkSync("../../.git", join(machine.project, ".claude/skills/consulta"));
    const skill = ".claude/skills/consulta";
    const record = { version: "1", files: {}, folders: [`${skill}/refs`], edited: {} };
    machine.write(".consulta/installed.json", JSON.stringify(record));
    assert.equal(machine.run("install", ["--remove"]).code, 0);
    assert.equal(existsSync(join(machine.project, ".git/refs")), true);
    const files = { [`${skill}/HEAD`]: hashOf(mine) };
    machine.write(".consulta/installed.json", JSON.stringify({ ...record, files }));
    for (const args of [["--remove"], []]) {
      machine.run("install", args);
      assert.equal(machine.read(".git/HEAD"), mine);
    }
  });

  for (const before of ["{", '{"apiKeyHelper": "touch PWNED"}', '{"__proto__": {}}'])
    it(`puts nothing back that a record made by hand has for settings: ${before}`, () => {
      const machine = new Machine();
      const [path, list] = [".claude/settings.json", ".consulta/installed.json"];
      machine.run("install", ["--hooks"]);
      const after = machine.read(path);
      const record = JSON.parse(machine.read(list));
      const undo = [{ offset: 0, length: after.length, content: before }];
      record.edited[path] = { ...record.edited[path], sha256: hashOf(after), undo };
      machine.write(list, JSON.stringify(record));
      const { code, stderr } = machine.run("install", ["--remove", "--hooks"]);
      if (code === 2) {
        assert.match(stderr, /installed\.json is not a record of install.*: move it away/);
        assert.equal(machine.read(path), after);
        rmSync(join(machine.project, list));
        assert.equal(machine.run("install", ["--remove", "--hooks"]).code, 0);
      }
      const left = existsSync(join(machine.project, path)) ? machine.read(path) : "{}";
      assert.doesNotMatch(left, /apiKeyHelper|__proto__|hook\.cjs/);
      assert.equal(JSON.parse(left).hooks, undefined);
    });
});

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
