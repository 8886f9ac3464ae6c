import assert from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { hookCommand, hooksOf } from "../../scripts-src/core/hook-entries.ts";
import { settingsFault, withHooks, withoutHooks } from "../../scripts-src/core/hook-settings.ts";
import { blockBetween } from "../../scripts-src/core/text-block.ts";
import { Machine } from "./machine.ts";

const claude = ".claude/settings.json";
const other = '{"hooks": [{"type": "command", "command": "echo hi"}]}';

/** Settings as people write them; all of them come back to the byte. */
const settings: [name: string, text: string][] = [
  ["an empty object", "{}"],
  ["an empty object over two lines", "{\n}\n"],
  ["tabs", '{\n\t"env": {\n\t\t"A": "b"\n\t}\n}\n'],
  ["four spaces and no end of line", '{\n    "model": "opus"\n}'],
  ["all on one line", '{"model": "opus", "env": {}}'],
  ["line ends of Windows", '{\r\n  "model": "opus"\r\n}\r\n'],
  ["a byte order mark", '\ufeff{\n  "model": "opus"\n}\n'],
  ["empty hooks", '{ "hooks": {} }\n'],
  ["an empty list for an event", '{ "hooks": { "Stop": [ ] } }\n'],
  ["a hook of another", `{\n  "hooks": { "Stop": [ ${other} ], "PreToolUse": [${other}] }\n}\n`],
  [
    "keys behind the hooks",
    `{\n  "hooks": {\n    "Stop": []\n  },\n  "z": 1,\n  "a": [1,2,  3]\n}\n`,
  ],
  ["text beyond ASCII", '{\n  "statusLine": "gr\u00fc\u00df \u2728"\n}\n'],
];

/** Settings that nobody but their owner may touch, and why. */
const refused: [name: string, text: string, reason: RegExp][] = [
  ["nothing", "", /not JSON \(line 1\)/],
  ["broken JSON", '{\n  "a": 1\n  "b": 2\n}\n', /not JSON \(line 3\)/],
  ["a comma too many", '{\n  "a": 1,\n}\n', /not JSON \(line \d\)/],
  ["comments", '{\n  // mine\n  "a": 1\n}\n', /holds comments/],
  ["a comment at the end", '{ "a": 1 }\n/* mine */\n', /holds comments/],
  ["a key twice", '{ "hooks": {}, "hooks": {} }', /the key "hooks" twice/],
  ["a list", "[]", /holds \[\] and not an object/],
  ["hooks as a list", '{"hooks": []}', /its "hooks" is \[\] and not an object/],
  ["hooks as a text", '{"hooks": "on"}', /its "hooks" is "on" and not an object/],
  ["an event as an object", '{"hooks": {"Stop": {}}}', /its "hooks.Stop" is {} and not a list/],
];

const command = hookCommand("$CLAUDE_PROJECT_DIR/.claude/skills/consulta/scripts", "claude");

describe("hooks in settings", () => {
  for (const [name, text] of settings) {
    it(`are added to ${name} and taken out to the byte`, () => {
      const value = JSON.parse(text.replace("\ufeff", ""));
      assert.equal(settingsFault(text), undefined);
      const { base, after } = withHooks(text, "claude", command);
      const merged = JSON.parse(after.replace("\ufeff", ""));
      for (const [event, [group]] of Object.entries(hooksOf("claude", command))) {
        assert.deepEqual(merged.hooks[event], [...(value.hooks?.[event] ?? []), group]);
      }
      assert.deepEqual({ ...merged, hooks: 0 }, { ...value, hooks: 0 });
      checkUndisturbed(text, after);
      assert.equal(withHooks(after, "claude", command).after, after);
      assert.equal(withoutHooks(after, blockBetween(base, after)), text);
    });

    it(`are taken out of ${name} when nobody remembers how it was`, () => {
      const left = withoutHooks(withHooks(text, "claude", command).after);
      const { hooks = {}, ...others } = JSON.parse(text.replace("\ufeff", ""));
      const kept = Object.entries(hooks).filter(([, groups]) => Object(groups).length > 0);
      const wanted = kept.length > 0 ? { ...others, hooks: Object.fromEntries(kept) } : others;
      assert.deepEqual(JSON.parse(left.replace("\ufeff", "")), wanted);
    });
  }

  for (const [name, text, reason] of refused) {
    it(`are never put into ${name}`, () => {
      assert.match(settingsFault(text) ?? "", reason);
    });
  }
});

describe("install --hooks", () => {
  for (const text of ["{\n  // mine\n}\n", '{"hooks": []}', Buffer.from([0x7b, 0xff, 0x7d])]) {
    it(`refuses ${JSON.stringify(String(text))}, says what to add, and writes nothing else`, () => {
      const machine = new Machine();
      machine.write(".gemini/settings.json", text);
      const before = machine.snapshot();
      const ran = machine.run("install", ["--hooks"]);
      assert.equal(ran.code, 2);
      assert.match(
        ran.stderr,
        /^error: \.gemini\/settings\.json: it[^\n]*(comments|list|object|UTF-8)[^\n]*; nothing was written\n$/,
      );
      const [, lines = ""] = /by hand:\n([\s\S]*)/.exec(ran.stdout) ?? [];
      assert(JSON.parse(lines).hooks.AfterAgent);
      assert.deepEqual(machine.snapshot(), before);
    });
  }

  it("gives back settings to the byte, whatever their form", () => {
    const machine = new Machine();
    const text = '\ufeff{\r\n\t"hooks": { "Stop": [ ] },\r\n\t"a": [1,2,  3] }';
    machine.write(claude, text);
    assert.equal(machine.run("install", ["--hooks"]).code, 0);
    assert.notEqual(machine.read(claude), text);
    assert.equal(machine.run("install", ["--remove"]).code, 0);
    assert.equal(machine.read(claude), text);
  });

  it("does not follow a link to settings elsewhere", () => {
    const machine = new Machine();
    machine.write("settings.json", "{}", machine.home);
    mkdirSync(join(machine.project, ".claude"));
    symlinkSync(join(machine.home, "settings.json"), join(machine.project, claude));
    const ran = machine.run("install", ["--hooks"]);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /settings\.json is a link/);
    assert(!existsSync(join(machine.project, ".agents")));
  });

  it("makes files that are missing and removes them again", () => {
    const machine = new Machine();
    machine.run("install", ["--hooks"]);
    assert.equal(JSON.parse(machine.read(claude)).hooks.Stop[0].hooks[0].asyncRewake, true);
    const gemini = JSON.parse(machine.read(".gemini/settings.json")).hooks;
    assert.deepEqual(gemini.AfterAgent[0].hooks[0], {
      type: "command",
      name: "consulta",
      command: 'node "$GEMINI_PROJECT_DIR/.agents/skills/consulta/scripts/hook.cjs" gemini',
      timeout: 1_860_000,
    });
    machine.run("install", ["--remove", "--hooks"]);
    assert(!existsSync(join(machine.project, claude)));
    assert(existsSync(join(machine.project, ".claude/skills/consulta/SKILL.md")));
  });

  it("replaces entries of an older version, alone or in a group with others", () => {
    const machine = new Machine();
    const own = {
      type: "command",
      command: 'node "$CLAUDE_PROJECT_DIR/.consulta/scripts/hook.cjs" claude',
    };
    const theirs = { type: "command", command: "echo mine" };
    const before = { hooks: { Stop: [{ hooks: [own, theirs] }], PreCompact: [{ hooks: [own] }] } };
    machine.write(claude, JSON.stringify(before, undefined, 2));
    machine.run("install", ["--hooks"]);
    const { hooks } = JSON.parse(machine.read(claude));
    assert.deepEqual(Object.keys(hooks), ["Stop", "SessionStart", "UserPromptSubmit"]);
    assert.deepEqual(hooks.Stop[0], { hooks: [theirs] });
    assert.match(hooks.Stop[1].hooks[0].command, /\.claude\/skills\/consulta\/scripts\/hook\.cjs/);
    machine.run("install", ["--remove"]);
    assert.deepEqual(JSON.parse(machine.read(claude)), { hooks: { Stop: [{ hooks: [theirs] }] } });
  });

  it("takes out its own entries from settings that others have changed since", () => {
    const machine = new Machine();
    machine.write(claude, '{\n  "model": "opus"\n}\n');
    machine.run("install", ["--hooks"]);
    const now = JSON.parse(machine.read(claude));
    now.hooks.Stop.push(JSON.parse(other));
    machine.write(claude, JSON.stringify({ ...now, model: "haiku" }));
    machine.run("install", ["--remove"]);
    assert.deepEqual(JSON.parse(machine.read(claude)), {
      model: "haiku",
      hooks: { Stop: [JSON.parse(other)] },
    });
  });

  it("puts them into settings that are not shared with --local", () => {
    const machine = new Machine();
    machine.run("install", ["--local"]);
    assert(existsSync(join(machine.project, ".claude/settings.local.json")));
    assert(!existsSync(join(machine.project, claude)));
    machine.run("install", ["--remove"]);
    assert(!existsSync(join(machine.project, ".claude")));
  });

  it("removes nothing while a file with its hooks cannot be edited", () => {
    const machine = new Machine();
    machine.run("install", ["--hooks"]);
    machine.write(claude, `// mine\n${machine.read(claude)}`);
    const before = machine.snapshot();
    const ran = machine.run("install", ["--remove"]);
    assert.equal(ran.code, 2);
    assert.match(
      ran.stderr,
      /settings\.json: it holds comments.*take the entries.*hook\.cjs out by hand/,
    );
    assert.deepEqual(machine.snapshot(), before);
  });
});

/** Every line of before is still there, in its order; only an end may have got a comma or moved. */
function checkUndisturbed(before: string, after: string): void {
  let rest = after.replaceAll(/\s/g, "");
  for (const character of before.replaceAll(/\s/g, "")) {
    const at = rest.indexOf(character);
    assert(at >= 0, `lost ${character}`);
    rest = rest.slice(at + 1);
  }
  for (const line of before.split(/\r?\n/).filter((it) => /"env"|"model"|"a":|"z"/.test(it))) {
    assert(after.includes(line.replace(/\s*}$/, "")), `changed: ${line}`);
  }
}
