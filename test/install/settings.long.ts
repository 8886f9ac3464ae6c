import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { stripComments } from "jsonc-parser";
import {
  hookCommand,
  hookEntries,
  hooksOf,
  isOwnHook,
} from "../../scripts-src/clis/hook-entries.ts";
import { filesBelow } from "../../scripts-src/pack/pack.ts";
import {
  holds,
  settingsDiff,
  withAdditions,
  withoutAdditions,
} from "../../scripts-src/pack/settings-additions.ts";
import { settingsTextFault } from "../../scripts-src/pack/settings-text.ts";
import { Machine, repository } from "./machine.ts";

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
  ["comments", '// mine\n{\n  // model\n  "model": "opus" // so far\n  /* end */\n}\n'],
  [
    "a comment in hooks",
    '{\n  "hooks": {\n    // none yet\n    "Stop": [\n      // here\n    ]\n  }\n}\n',
  ],
  ["text beyond ASCII", '{\n  "statusLine": "gr\u00fc\u00df \u2728"\n}\n'],
];

/** Settings that nobody but their owner may touch, and why. */
const refused: [name: string, text: string, reason: RegExp][] = [
  ["nothing", "", /not JSON \(line 1\)/],
  ["broken JSON", '{\n  "a": 1\n  "b": 2\n}\n', /not JSON \(line 3\)/],
  ["a comma too many", '{\n  "a": 1,\n}\n', /not JSON \(line \d\)/],
  ["a comment without an end", '{ "a": 1 }\n/* mine', /not JSON \(line 2\)/],
  ["a key twice", '{ "hooks": {}, "hooks": {} }', /the key "hooks" twice/],
  ["a list", "[]", /holds a list and not an object/],
  ["hooks as a list", '{"hooks": []}', /its "hooks" is a list and not an object/],
  ["hooks as a text", '{"hooks": "sk-ant-1"}', /^its "hooks" is a string and not an object$/],
  [
    "an event as an object",
    '{"hooks": {"Stop": {}}}',
    /its "hooks.Stop" is an object and not a list/,
  ],
  [
    "an unknown event as a text",
    '{"hooks": {"sk-ant-1": 7}}',
    /^an event in its "hooks" is a number/,
  ],
  ["a name twice that may be secret", '{"sk-ant-1": 1, "sk-ant-1": 2}', /^it has a key twice/],
  ["lists without end", "[".repeat(50_000), /^it is nested too deeply$/],
];

const command = hookCommand("$CLAUDE_PROJECT_DIR/.claude/skills/consulta/scripts", "claude");
const list = ["permissions", "allow"];
const additions = { list, entries: [], hooks: hooksOf("claude", command) };
const parsedOf = (text: string) => JSON.parse(stripComments(text.replace("\ufeff", "")));

describe("hooks in settings", () => {
  for (const [name, text] of settings) {
    it(`are added to ${name} and taken out to the byte`, () => {
      const value = parsedOf(text);
      assert.equal(settingsTextFault(text), undefined);
      const { text: after, record } = withAdditions(text, additions);
      const merged = parsedOf(after);
      for (const [event, [group]] of Object.entries(additions.hooks)) {
        assert.deepEqual(merged.hooks[event], [...(value.hooks?.[event] ?? []), group]);
      }
      assert.deepEqual({ ...merged, hooks: 0 }, { ...value, hooks: 0 });
      checkUndisturbed(text, after);
      assert(holds(after, additions) && !holds(text, additions));
      assert.equal(withoutAdditions(after, list, record), text);
    });

    it(`are taken out of ${name} when nobody remembers how it was`, () => {
      const { text: after } = withAdditions(text, additions);
      const left = withoutAdditions(after, list, undefined);
      const { hooks = {}, ...others } = parsedOf(text);
      const kept = Object.entries(hooks).filter(([, groups]) => Object(groups).length > 0);
      const wanted = kept.length > 0 ? { ...others, hooks: Object.fromEntries(kept) } : others;
      assert.deepEqual(parsedOf(left), wanted);
      for (const [comment] of text.matchAll(/\/\/.*|\/\*.*\*\//g)) {
        const isInside = /here|none yet/.test(comment);
        assert(isInside || left.includes(comment), left);
      }
    });
  }

  for (const [name, text, reason] of refused) {
    it(`are never put into ${name}`, () => {
      assert.match(settingsTextFault(text) ?? "", reason);
    });
  }
});

describe("hooks of others", () => {
  const own = [
    'node "$CLAUDE_PROJECT_DIR/.claude/skills/consulta/scripts/hook.cjs" claude',
    hookCommand("$CLAUDE_PROJECT_DIR/tools/consulta/dist", "claude"),
    hookCommand("dist", "gemini"),
    "node .consulta/scripts/hook.cjs",
  ];
  const others = [
    'node "$CLAUDE_PROJECT_DIR/dist/hook.cjs"',
    'node "$CLAUDE_PROJECT_DIR/dist/hook.cjs" gemini',
    'node "/srv/dist/hook.cjs" claude',
    'node "$CLAUDE_PROJECT_DIR/my.consulta/scripts/hook.cjs" claude',
    "node tools/log.cjs; node .consulta/scripts/hook.cjs claude",
    "node --require tools/log.cjs .consulta/scripts/hook.cjs claude",
    'node "$CLAUDE_PROJECT_DIR/.consulta/scripts/hook.cjs" claude || true',
    `${hookCommand(".consulta/scripts", "gemini")} || true`,
    hookCommand('tools/log.cjs"; node "dist', "gemini"),
    hookCommand("$(node tools/log.cjs)/dist", "claude"),
    hookCommand("`node tools/log.cjs`/dist", "gemini"),
  ];
  for (const command of own) it(`are not: ${command}`, () => assert(isOwnHook({ command })));
  for (const command of others) it(`are: ${command}`, () => assert(!isOwnHook({ command })));

  it("stay where install puts its own", () => {
    const machine = new Machine();
    const Stop = [{ hooks: [{ type: "command", command: others[0] }] }];
    const text = JSON.stringify({ hooks: { Stop } });
    machine.write(claude, text);
    machine.run("install", ["--hooks"]);
    assert.deepEqual(JSON.parse(machine.read(claude)).hooks.Stop[0], Stop[0]);
    machine.run("install", ["--remove"]);
    assert.equal(machine.read(claude), text);
  });
});

describe("secrets in settings", () => {
  const secret = "sk-ant-api03-xyz";
  const hook = `{"hooks": [{"type": "command", "command": "curl -H ${secret} localhost"}]}`;
  const texts: [name: string, text: string][] = [
    ["beside the hooks", `{\n  "env": {\n    "ANTHROPIC_API_KEY": "${secret}"\n  }\n}\n`],
    ["on the line that gets a comma", `{\n  "apiKeyHelper": "${secret}"\n}\n`],
    ["all on one line", `{"env": {"ANTHROPIC_API_KEY": "${secret}"}}`],
    [
      "in hooks of others",
      `{\n  "hooks": {\n    "Stop": [\n      ${hook}\n    ],\n    "PreToolUse": [${hook}]\n  }\n}\n`,
    ],
    ["in names that hooks have too", `{\n  "timeout": "${secret}",\n  "command": "${secret}"\n}`],
  ];
  for (const [name, text] of texts) {
    it(`are neither printed nor kept by install: ${name}`, () => {
      const machine = new Machine();
      machine.write(claude, text);
      for (const args of [["--hooks", "--dry-run"], ["--hooks", "--json"], ["--remove"]]) {
        const { code, stdout, stderr } = machine.run("install", args);
        assert.deepEqual([code, stderr], [0, ""]);
        assert(!stdout.includes(secret), stdout);
        assert.match(stdout, /settings\.json/);
        const record = join(machine.project, ".consulta/installed.json");
        assert(!existsSync(record) || !readFileSync(record, "utf8").includes(secret));
      }
      assert.equal(machine.read(claude), text);
    });
  }

  it("leave the lines of ours to be seen", () => {
    const machine = new Machine();
    machine.write(claude, texts[1]?.[1] ?? "");
    const { stdout } = machine.run("install", ["--hooks"]);
    assert.match(stdout, /^\+ {4}"SessionStart": \[$/m);
    assert.match(stdout, /^\+ +"command": "hook=.*hook\.cjs\\"; .* claude; exit 0",$/m);
    // The line before them gets a comma: a patch without that would be none.
    assert.match(stdout, /^@@ .*\n-\(a line of yours\)\n\+\(a line of yours\),\n\+/m);
  });

  it("are not printed when one line becomes another", () => {
    const diff = settingsDiff(claude, `{"a": "${secret}"}`, `{"b": "${secret}"}`);
    assert.match(diff, /@@\n-\(a line of yours\)\n\+\(a line of yours\)\n$/);
  });
});

describe("what a record gives back", () => {
  for (const [name, content] of [
    ["broken JSON", '{"a": '],
    ["brackets that do not fit", "{[}"],
    ["another meaning", "},{"],
    ["a key twice", '"model": "x", "model": "opus",'],
    ["a key that parsers hide", '"__proto__": {"hooks": {}},'],
  ] as const) {
    it(`is never ${name}`, () => {
      const text = '{ "model": "opus" }';
      const { text: after, record } = withAdditions(text, additions);
      const [{ offset, length } = { offset: 0, length: 0 }] = record.undo;
      const undo = [{ offset, length, content }];
      const left = withoutAdditions(after, list, { ...record, undo });
      assert.deepEqual(JSON.parse(left), JSON.parse(text));
    });
  }

  it("is nothing that words in it would put there", () => {
    const machine = new Machine();
    machine.write(claude, "{}");
    machine.run("install", ["--hooks"]);
    const path = ".consulta/installed.json";
    const record = JSON.parse(machine.read(path));
    record.edited[claude].undo[0].content = '"apiKeyHelper": "touch ran"';
    machine.write(path, JSON.stringify(record));
    const ran = machine.run("install", ["--remove"]);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /installed\.json is not a record of install/);
  });
});

describe("install --hooks", () => {
  for (const text of ['{"a": 1,}\n', '{"hooks": []}', Buffer.from([0x7b, 0xff, 0x7d])]) {
    it(`refuses ${JSON.stringify(String(text))}, says what to add, and writes nothing else`, () => {
      const machine = new Machine();
      machine.write(".gemini/settings.json", text);
      const before = machine.snapshot();
      const ran = machine.run("install", ["--hooks"]);
      assert.equal(ran.code, 2);
      assert.match(
        ran.stderr,
        /^error: \.gemini\/settings\.json: it[^\n]*(not JSON|list|object|UTF-8)[^\n]*; nothing was written\n$/,
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
    const { Stop, PostToolUse } = JSON.parse(machine.read(claude)).hooks;
    assert.equal(Stop[0].hooks[0].asyncRewake, true);
    // No call of a tool waits for it.
    assert.equal(PostToolUse[0].hooks[0].async, true);
    const gemini = JSON.parse(machine.read(".gemini/settings.json")).hooks;
    assert.deepEqual(gemini.AfterAgent[0].hooks[0], {
      type: "command",
      name: "consulta",
      command: '$consulta; node ".agents/skills/consulta/scripts/hook.cjs" gemini',
      env: { consulta: 'eval exec 2>/dev/null; trap "exit 0" EXIT' },
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
    const others = hookEntries.claude.map(({ event }) => event).filter((it) => it !== "Stop");
    assert.deepEqual(Object.keys(hooks), ["Stop", ...others]);
    assert.deepEqual(hooks.Stop[0], { hooks: [theirs] });
    assert.match(hooks.Stop[1].hooks[0].command, /\.claude\/skills\/consulta\/scripts\/hook\.cjs/);
    machine.run("install", ["--remove"]);
    assert.deepEqual(JSON.parse(machine.read(claude)), { hooks: { Stop: [{ hooks: [theirs] }] } });
  });

  it("adds the events that an older install did not have, and removes all of them again", () => {
    const machine = new Machine();
    const older = '{\n  "model": "opus"\n}\n';
    machine.write(claude, older);
    machine.run("install", ["--hooks"]);
    const { hooks, ...rest } = JSON.parse(machine.read(claude));
    const known = ["SessionStart", "UserPromptSubmit", "Stop"];
    const kept = Object.fromEntries(known.map((event) => [event, hooks[event]]));
    machine.write(claude, JSON.stringify({ ...rest, hooks: kept }, undefined, 2));
    const told = machine.run("doctor", []).stdout;
    assert.match(told, /no hook of ours for PostToolUse, PostCompact, SessionEnd/);
    assert.equal(machine.run("install", ["--hooks"]).code, 0);
    assert.deepEqual(JSON.parse(machine.read(claude)).hooks, hooks);
    assert.equal(machine.run("install", ["--remove"]).code, 0);
    assert.deepEqual(JSON.parse(machine.read(claude)), { model: "opus" });
  });

  it("adds them to files that install itself had made, and removes these again", () => {
    const machine = new Machine();
    machine.run("install", ["--hooks"]);
    const whole = machine.read(claude);
    const { PostToolUse: _, PostCompact: __, SessionEnd: ___, ...kept } = JSON.parse(whole).hooks;
    machine.write(claude, `${JSON.stringify({ hooks: kept }, undefined, 2)}\n`);
    assert.equal(machine.run("install", ["--hooks"]).code, 0);
    assert.equal(machine.read(claude), whole);
    machine.run("install", ["--remove", "--hooks"]);
    assert(!existsSync(join(machine.project, claude)));
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

  it("moves them between settings that are shared and those that are not", () => {
    const machine = new Machine();
    const local = ".claude/settings.local.json";
    const text = '{"model": "opus"}';
    machine.write(claude, text);
    machine.run("install", ["--hooks"]);
    const gemini = machine.read(".gemini/settings.json");
    machine.run("install", ["--hooks", "--local"]);
    assert.equal(machine.read(claude), text);
    assert(JSON.parse(machine.read(local)).hooks.Stop);
    assert.equal(machine.read(".gemini/settings.json"), gemini);
    machine.run("install", ["--hooks"]);
    assert(!existsSync(join(machine.project, local)));
    assert(JSON.parse(machine.read(claude)).hooks.Stop);
    machine.run("install", ["--remove"]);
    assert.deepEqual(Object.values(machine.snapshot()), [text]);
  });

  for (const options of [["--hooks"], ["--local"]]) {
    it(`puts none into the home folder's settings, which all projects share: ${options}`, () => {
      const machine = new Machine();
      const linked = join(machine.folder, "linked");
      symlinkSync(machine.home, linked);
      for (const home of [machine.home, linked]) {
        machine.environment["HOME"] = home;
        const ran = machine.run("install", ["--into", machine.home, ...options]);
        assert.equal(ran.code, 2);
        assert.match(
          ran.stderr,
          /settings\.?\w*\.json(?: and \d other files?)?: in the home folder these settings count for all projects, .*use the plugin or extension/,
        );
        assert.deepEqual(
          readdirSync(machine.home).filter((name) => name !== ".cache"),
          [],
        );
      }
      assert.equal(machine.run("install", ["--into", machine.home]).code, 0);
    });
  }

  it("refuses scripts whose path no command can name", () => {
    const machine = new Machine();
    for (const path of filesBelow(join(repository, "dist")))
      machine.write(`vendor/"x"/${path}`, readFileSync(join(repository, "dist", path)));
    const ran = machine.run(join(machine.project, 'vendor/"x"/install.cjs'), ["--hooks"]);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /or their path has a sign that shells act on/);
  });

  it("removes nothing while a file with its hooks cannot be edited", () => {
    const machine = new Machine();
    machine.run("install", ["--hooks"]);
    machine.write(claude, `mine\n${machine.read(claude)}`);
    const before = machine.snapshot();
    const ran = machine.run("install", ["--remove"]);
    assert.equal(ran.code, 2);
    assert.match(
      ran.stderr,
      /settings\.json: it is not JSON.*take the entries.*hook\.cjs out by hand/,
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
    // What follows the last value goes behind what is new.
    assert(after.includes(line.replace(/\s*(?:}|\/\/.*)$/, "")), `changed: ${line}`);
  }
}
