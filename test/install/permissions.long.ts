import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import { skillNames } from "../../scripts-src/clis/skill-names.ts";
import { claudeRules } from "../../scripts-src/pack/permission-rules.ts";
import { Machine, repository } from "./machine.ts";

const commandOf = {
  consulta: "gemini",
  collaborate: "collaborate",
  "share-findings": "findings",
  brain: "memory",
};

describe("rules in settings", () => {
  it("are added once for each script and taken out again, with and without hooks", () => {
    for (const wish of ["--permissions", "--hooks"]) {
      const machine = new Machine();
      const own = { permissions: { deny: ["Bash(rm *)"], allow: ["Bash(ls)"] }, z: 1 };
      machine.write(".claude/settings.json", JSON.stringify(own));
      const { code, stdout } = machine.run("install", [wish]);
      assert.equal(code, 0);
      assert.match(stdout, /^\+ permissions\.allow: "Bash\(node \S+\/next-action\.cjs \*\)"$/m);
      const { allow } = JSON.parse(machine.read(".claude/settings.json")).permissions;
      const rules: string[] = allow.filter((it: string) => it.includes("next-action"));
      assert.deepEqual(rules, [`Bash(node ${projectScripts}/next-action.cjs *)`]);
      assert.equal(new Set(allow).size, allow.length);
      assert(allow.includes(`Bash(node ${projectScripts}/brain.cjs store *)`));
      assert.match(machine.run("install", [wish]).stdout, /nothing to do/);
      machine.run("install", ["--remove"]);
      assert.deepEqual(JSON.parse(machine.read(".claude/settings.json")), own);
    }
  });

  it("of an older version go, and the policies of a user stay", () => {
    const machine = new Machine();
    const gone = `Bash(node ${projectScripts}/gone.cjs *)`;
    machine.write(".claude/settings.json", JSON.stringify({ permissions: { allow: [gone] } }));
    const own = { policyPaths: ["~/.gemini/policies", "mine.toml"] };
    machine.write(".gemini/settings.json", JSON.stringify(own));
    machine.run("install", ["--permissions"]);
    assert(!machine.read(".claude/settings.json").includes("gone.cjs"));
    const policy = ".gemini/consulta-policy.toml";
    const { policyPaths } = JSON.parse(machine.read(".gemini/settings.json"));
    assert.deepEqual(policyPaths, [...own.policyPaths, policy]);
    assert.match(machine.read(policy), /activate_skill/);
    machine.run("install", ["--remove", "--permissions"]);
    assert(!existsSync(join(machine.project, ".claude/settings.json")));
    assert.deepEqual(JSON.parse(machine.read(".gemini/settings.json")), own);
    assert(!existsSync(join(machine.project, policy)));
  });

  for (const text of ['{"permissions": []}', '{"permissions": {"allow": "Bash"}}']) {
    it(`are never put into ${text}`, () => {
      const machine = new Machine();
      machine.write(".claude/settings.json", text);
      const { code, stderr } = machine.run("install", ["--permissions"]);
      assert.equal(code, 2);
      assert.match(stderr, /its "permissions.*" is not (?:a list|an object); nothing was written/);
      assert.equal(machine.read(".claude/settings.json"), text);
    });
  }

  it("name each script, and nothing that runs programs or writes elsewhere", () => {
    const machine = new Machine();
    machine.run("install", ["--permissions"]);
    const { allow } = JSON.parse(machine.read(".claude/settings.json")).permissions;
    const shape =
      /^(?:Skill\([a-z-]+\)|Edit\(\/\.consulta\/drafts\/\*\.(?:json|md)\)|Bash\(node [\w./-]+\.cjs (?:(?:--)?[a-z]+ )?\*\))$/;
    for (const entry of allow) {
      assert.match(entry, shape);
      assert.doesNotMatch(
        entry,
        /\.\.|(?:consult|install|advise|audit|doctor|hook|decide|verdict|step-in|notify)\.cjs|brain\.cjs (?:\*|serve|process|search|import|export|forget)|init\.cjs \*/,
      );
    }
  });

  for (const skill of skillNames) {
    it(`stand in the frontmatter of ${skill} and of its slash command as they are in the source`, () => {
      const places = [projectScripts, `.claude/skills/${skill}/scripts`];
      const inSkill = claudeRules([skill], [...places, "$" + "{CLAUDE_SKILL_DIR}/scripts"]);
      const inCommand = [
        `Skill(${skill})`,
        ...claudeRules([skill], [...places, `skills/${skill}/scripts`]),
      ];
      for (const [file, rules] of [
        [`skills/${skill}/SKILL.md`, inSkill],
        [`.claude/commands/consulta-${commandOf[skill]}.md`, inCommand],
      ] as const) {
        const [, found] =
          /^allowed-tools: (.*)$/m.exec(readFileSync(join(repository, file), "utf8")) ?? [];
        assert.equal(found, rules.join(" "));
      }
    });
  }
});
