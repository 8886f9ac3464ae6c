import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { skillNames } from "../../scripts-src/clis/skill-names.ts";
import { claudeRules, scriptsBelow } from "../../scripts-src/pack/permission-rules.ts";
import {
  holds,
  withAdditions,
  withoutAdditions,
} from "../../scripts-src/pack/settings-additions.ts";
import { Machine, repository } from "./machine.ts";

const path = ["permissions", "allow"];
const rule = "Bash(node .claude/skills/consulta/scripts/status.cjs *)";
const commandOf = {
  consulta: "gemini",
  collaborate: "collaborate",
  "share-findings": "findings",
  brain: "memory",
};

/** Settings as people write them; all of them come back to the byte. */
const settings: [name: string, text: string][] = [
  ["an empty object", "{}"],
  ["tabs", '{\n\t"env": {\n\t\t"A": "b"\n\t}\n}\n'],
  ["line ends of Windows", '{\r\n  "model": "opus"\r\n}\r\n'],
  ["a byte order mark", '\ufeff{\n  "model": "opus"\n}\n'],
  ["empty permissions", '{ "permissions": {} }\n'],
  ["an empty list", '{ "permissions": { "allow": [ ] } }\n'],
  ["an empty list, compact", '{"permissions":{"allow":[]}}'],
  [
    "rules of its owner",
    '{"permissions": {"deny": ["Bash(rm *)"], "allow": ["Bash(ls)"]}, "z": 1}\n',
  ],
  [
    "hooks and rules",
    '{\n  "hooks": {"Stop": []},\n  "permissions": {\n    "allow": [\n      "Bash(ls)"\n    ]\n  },\n  "a": 1\n}\n',
  ],
];

describe("rules in settings", () => {
  for (const [name, text] of settings) {
    it(`are added to ${name} and taken out to the byte, with and without hooks`, () => {
      const additions = { list: path, entries: [rule], hooks: undefined };
      const { text: after, record } = withAdditions(text, additions);
      assert(!holds(text, additions) && holds(after, additions));
      assert.equal(withoutAdditions(after, path, record), text);
      for (const wish of ["--permissions", "--hooks"]) {
        const machine = new Machine();
        machine.write(".claude/settings.json", text);
        const { code, stdout } = machine.run("install", [wish]);
        assert.equal(code, 0);
        assert.match(
          stdout,
          /^\+\s+"Bash\(node \.claude\/skills\/consulta\/scripts\/next-action\.cjs \*\)",?$/m,
        );
        const allowed = JSON.parse(machine.read(".claude/settings.json").replace("\ufeff", ""))
          .permissions.allow;
        assert(allowed.includes("Bash(node .agents/skills/brain/scripts/brain.cjs store *)"));
        assert.match(machine.run("install", [wish]).stdout, /nothing to do/);
        machine.run("install", ["--remove"]);
        assert.equal(machine.read(".claude/settings.json"), text);
      }
    });
  }

  it("leave a rule that the user had written before", () => {
    const machine = new Machine();
    const own = `{"permissions": {"allow": ["${rule}"]}}\n`;
    machine.write(".claude/settings.json", own);
    machine.run("install", ["--permissions"]);
    machine.run("install", ["--remove", "--permissions"]);
    assert.equal(machine.read(".claude/settings.json"), own);
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
        /\.\.|(?:consult|install|advise|doctor|hook|decide|verdict|step-in|notify)\.cjs|brain\.cjs (?:\*|serve|process|search|import|export|forget)|init\.cjs \*/,
      );
    }
  });

  for (const skill of skillNames) {
    it(`stand in the frontmatter of ${skill} and of its slash command as they are in the source`, () => {
      const places = [".agents", ".claude"].map((place) => scriptsBelow(place, skill));
      const inSkill = claudeRules(skill, [...places, "$" + "{CLAUDE_SKILL_DIR}/scripts"]);
      const inCommand = [
        `Skill(${skill})`,
        ...claudeRules(skill, [...places, `skills/${skill}/scripts`]),
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
