import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Machine } from "./machine.ts";

const skill = ".agents/skills/consulta";

function git(folder: string, ...words: string[]): string {
  const author = ["-c", "user.name=a", "-c", "user.email=a@b.example"];
  return execFileSync("git", ["-C", folder, ...author, ...words], { encoding: "utf8" });
}

/** A project with the pack in it, committed as README says; with a file of the user's beside it. */
function committed(): Machine {
  const machine = new Machine();
  git(machine.project, "init", "-q");
  machine.write(".claude/commands/mine.md", "mine\n");
  assert.equal(machine.run("install", ["--hooks"]).code, 0);
  git(machine.project, "add", "-A");
  git(machine.project, "commit", "-qm", "the pack");
  return machine;
}

describe("a checkout that has line ends of Windows", () => {
  it("is whole to doctor and install, and is taken out whole", () => {
    const { project } = committed();
    const machine = new Machine();
    git(machine.folder, "-c", "core.autocrlf=true", "clone", "-q", project, machine.project);
    assert.match(machine.read(`${skill}/scripts/run.cjs`), /\r\n/);
    assert.doesNotMatch(machine.read(".consulta/scripts/watcher.sh"), /\r/);
    assert.doesNotMatch(machine.run("doctor").stdout, /differs|FIX .*hook|asks before/);
    const again = machine.run("install", ["--hooks"]);
    assert.deepEqual([again.code, again.stderr], [0, ""]);
    assert.match(again.stdout, /nothing to do/);
    assert.equal(machine.run("install", ["--remove"]).code, 0);
    assert.deepEqual(readdirSync(machine.project).sort(), [".claude", ".git"]);
    const left = readdirSync(join(machine.project, ".claude"), { recursive: true });
    assert.deepEqual(left.sort(), ["commands", "commands/mine.md"]);
  });
});

describe("a folder of a CLI that is a link", () => {
  const links: [link: string, to: string, real: string][] = [
    [".claude/skills", "../.agents/skills", ".agents/skills"],
    [".agents", ".claude", ".claude"],
  ];
  for (const [link, to, real] of links) {
    it(`is written to where it stays in the project: ${link} -> ${to}`, () => {
      const machine = new Machine();
      mkdirSync(join(machine.project, real), { recursive: true });
      mkdirSync(join(machine.project, link, ".."), { recursive: true });
      machine.write(`${real}/mine`, "mine");
      symlinkSync(to, join(machine.project, link));
      const ran = machine.run("install", ["--hooks"]);
      assert.deepEqual([ran.code, ran.stderr], [0, ""]);
      assert.doesNotMatch(machine.run("doctor").stdout, /differs|FIX .*hook|asks before/);
      for (const folder of [".claude", ".agents"])
        assert(existsSync(join(machine.project, folder, "skills/brain/SKILL.md")), folder);
      assert.match(machine.run("install", ["--hooks"]).stdout, /nothing to do/);
      assert.equal(machine.run("install", ["--remove"]).code, 0);
      assert.deepEqual(Object.values(machine.snapshot()), ["mine"]);
    });
  }

  for (const [link, to] of [
    [".claude/skills", "../../elsewhere"],
    [".claude/skills", "../.git"],
    [".gemini", "nowhere"],
  ] as const) {
    it(`is told with a way out where it does not: ${link} -> ${to}`, () => {
      const machine = new Machine();
      mkdirSync(join(machine.folder, "elsewhere"));
      mkdirSync(join(machine.project, ".git"));
      mkdirSync(join(machine.project, link, ".."), { recursive: true });
      symlinkSync(to, join(machine.project, link));
      const { code, stderr } = machine.run("install");
      assert.equal(code, 2);
      assert.match(
        stderr,
        / is a link; followed are only .* put the real file or folder in its place/,
      );
      assert.deepEqual(Object.keys(machine.snapshot()), []);
    });
  }
});
