import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { stripComments } from "jsonc-parser";
import {
  hooksOf,
  isHookOfToday,
  isOwnHook,
  packagedHooks,
  type SettingsCli,
} from "../../scripts-src/clis/hook-entries.ts";
import { projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import { settingsFault, withOwn } from "../../scripts-src/pack/settings-text.ts";
import { Machine } from "./machine.ts";

const claude = ".claude/settings.json";
const other = '{"hooks": [{"type": "command", "command": "echo hi"}]}';

/** Settings as people write them. */
const settings: [name: string, text: string][] = [
  ["an empty object", "{}"],
  ["tabs", '{\n\t"env": {\n\t\t"A": "b"\n\t}\n}\n'],
  ["line ends of Windows", '{\r\n  "model": "opus"\r\n}\r\n'],
  ["a byte order mark", '\ufeff{\n  "model": "opus"\n}\n'],
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
  [
    "rules of its owner",
    '{"permissions": {"deny": ["Bash(rm *)"], "allow": ["Bash(ls)"]}, "z": 1}\n',
  ],
  ["an empty list of rules", '{"permissions":{"allow":[]}}'],
];

/** Settings that nobody but their owner may touch, and why. */
const refused: [name: string, text: string, reason: RegExp][] = [
  ["nothing", "", /not JSON \(line 1\)/],
  ["broken JSON", '{\n  "a": 1\n  "b": 2\n}\n', /not JSON \(line 3\)/],
  ["a comma too many", '{\n  "a": 1,\n}\n', /not JSON \(line \d\)/],
  ["a comment without an end", '{ "a": 1 }\n/* mine', /not JSON \(line 2\)/],
  ["a key twice", '{ "sk-ant-1": {}, "sk-ant-1": {} }', /^it has a key twice in one object$/],
  ["a list", "[]", /^it holds no object$/],
  ["hooks as a text", '{"hooks": "sk-ant-1"}', /^its "hooks" is not an object$/],
  ["an event as a text", '{"hooks": {"sk-ant-1": 7}}', /^an event in its "hooks" is not a list$/],
  ["lists without end", "[".repeat(50_000), /^it is nested too deeply$/],
];

const scripts = "$CLAUDE_PROJECT_DIR/.agents/skills/consulta/scripts";
const list = { path: ["permissions", "allow"], defaults: [] };
const entries = ["Bash(node .agents/skills/consulta/scripts/status.cjs *)"];
const own = { list, entries, hooks: hooksOf("claude", scripts) };
const parsedOf = (text: string) => JSON.parse(stripComments(text.replace("\ufeff", "")));

describe("hooks in settings", () => {
  for (const [name, text] of settings) {
    it(`are added to ${name} and taken out, and all else is as it was`, () => {
      const value = parsedOf(text);
      assert.equal(settingsFault(text, list), undefined);
      const after = withOwn(text, own);
      const merged = parsedOf(after);
      for (const [event, [group]] of Object.entries(own.hooks))
        assert.deepEqual(merged.hooks[event], [...(value.hooks?.[event] ?? []), group]);
      const { allow = [] } = value.permissions ?? {};
      assert.deepEqual(merged.permissions.allow, [...allow, ...entries]);
      checkUndisturbed(text, after);
      assert.equal(withOwn(after, own), after);
      const left = withOwn(after, { list, entries: [], hooks: {} });
      assert.deepEqual(pruned(parsedOf(left)), pruned(value));
      for (const [comment] of text.matchAll(/\/\/.*|\/\*.*\*\//g)) {
        const isInside = /here|none yet/.test(comment);
        assert(isInside || left.includes(comment), left);
      }
    });
  }

  for (const [name, text, reason] of refused) {
    it(`are never put into ${name}`, () => {
      assert.match(settingsFault(text, list) ?? "", reason);
    });
  }
});

describe("a comment behind the last entry", () => {
  const noted: [name: string, text: string, kept: string][] = [
    ["a property", '{\n  "model": "opus" // so far\n}\n', '"model": "opus", // so far\n'],
    [
      "a rule",
      '{\n  "permissions": {\n    "allow": [\n      "Bash(ls)" /* mine */ // of May\n    ]\n  }\n}\n',
      '"Bash(ls)", /* mine */ // of May\n',
    ],
    [
      "a hook",
      `{\n  "hooks": {\n    "Stop": [\n      ${other} // mine\n    ]\n  }\n}\n`,
      "}, // mine\n",
    ],
  ];
  for (const [name, text, kept] of noted) {
    it(`stays with it: ${name}`, () => {
      const after = withOwn(text, own);
      assert(after.includes(kept), after);
      assert.equal(withOwn(after, own), after);
      const left = withOwn(after, { list, entries: [], hooks: {} });
      assert.equal(left.replaceAll(/\s/g, ""), text.replaceAll(/\s/g, ""));
    });
  }
});

describe("hooks of others", () => {
  const hookOf = (cli: SettingsCli, folder: string) =>
    hooksOf(cli, folder)["SessionStart"]?.[0]?.hooks[0] ?? {};
  const inGemini = hookOf("gemini", "dist");
  const inClaude = hookOf("claude", "$CLAUDE_PROJECT_DIR/tools/consulta/dist");
  const ours = [
    ["Claude Code's", "claude", inClaude, true],
    ["Gemini CLI's", "gemini", inGemini, true],
    ["one with another limit", "claude", { ...inClaude, timeout: 5 }, false],
    ["one in another environment", "gemini", { ...inGemini, env: {} }, false],
  ] as const;
  const others = [
    'node "$CLAUDE_PROJECT_DIR/.claude/skills/consulta/scripts/hook.cjs" claude',
    'node "$CLAUDE_PROJECT_DIR/dist/hook.cjs" gemini',
    'node "$CLAUDE_PROJECT_DIR/.consulta/scripts/hook.cjs" claude || true',
    `${inGemini["command"]} || true`,
    `event=Stop; date; ${inClaude["command"]}`,
    ...[
      hookOf("gemini", 'tools/log.cjs"; node "dist'),
      hookOf("claude", "$(node tools/log.cjs)/dist"),
      hookOf("gemini", "`node tools/log.cjs`/dist"),
    ].map(({ command }) => command),
  ];
  for (const [what, cli, hook, isOfToday] of ours) {
    it(`are not: ${what}`, () => {
      assert(isOwnHook(hook));
      assert.equal(isHookOfToday(cli, "SessionStart", hook), isOfToday);
    });
  }
  for (const command of others) it(`are: ${command}`, () => assert(!isOwnHook({ command })));
});

describe("secrets in settings", () => {
  const secret = "sk-ant-api03-xyz";
  const hook = `{"hooks": [{"type": "command", "command": "curl -H ${secret} localhost"}]}`;
  const texts: [name: string, text: string][] = [
    ["on the line that gets a comma", `{\n  "apiKeyHelper": "${secret}"\n}\n`],
    ["in hooks of others", `{"hooks": {"Stop": [${hook}], "PreToolUse": [${hook}]}}`],
    ["in names that hooks have too", `{"timeout": "${secret}", "command": "${secret}"}`],
  ];
  for (const [name, text] of texts) {
    it(`are not printed by install: ${name}`, () => {
      const machine = new Machine();
      machine.write(claude, text);
      for (const args of [["--hooks", "--dry-run"], ["--hooks", "--json"], ["--remove"]]) {
        const { code, stdout, stderr } = machine.run("install", args);
        assert.deepEqual([code, stderr], [0, ""]);
        assert(!stdout.includes(secret), stdout);
        assert.match(stdout, /settings\.json/);
        if (args.includes("--dry-run"))
          assert.match(stdout, /^\+ hooks\.SessionStart: .*bell\.sh.* claude; exit 0"/m);
      }
      assert.deepEqual(JSON.parse(machine.read(claude)), JSON.parse(text));
    });
  }
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
      command: '$consulta; node ".agents/skills/consulta/scripts/run.cjs" hook gemini',
      env: {
        consulta: [
          'eval exec 2>/dev/null; trap "exit 0" EXIT; cli=gemini; event=AfterAgent; node() { ',
          '; [ -r "$scripts/bell.sh" ] && . "$scripts/bell.sh" && command node "$@"; }',
        ].join(`scripts=\${1%/run.cjs}`),
      },
      timeout: 1_860_000,
    });
    machine.run("install", ["--remove", "--hooks"]);
    assert(!existsSync(join(machine.project, claude)));
    assert(existsSync(join(machine.project, ".claude/skills/consulta/SKILL.md")));
  });

  it("leaves out settings that Claude Code and Codex ignore for their comments, and installs all else", () => {
    for (const [path, cli, missing] of [
      [claude, "Claude Code", ".codex/hooks.json"],
      [".codex/hooks.json", "Codex", claude],
    ] as const) {
      const machine = new Machine();
      const noted = '{\n  "a": 1,\n  // mine\n  "b": "// none"\n}\n';
      machine.write(path, noted);
      const why = `${cli} ignores this file because of its comments (the first is in line 3)`;
      const way = "take the comments out and run the same command again";
      const dry = machine.run("install", ["--hooks", "--dry-run"]);
      const untouched = `error: ${path}: ${why}; ${way}; nothing was written\n`;
      assert.deepEqual([dry.code, dry.stderr], [1, untouched]);
      const { code, stdout, stderr } = machine.run("install", ["--hooks"]);
      const told = `error: ${path}: ${why}; ${way}; all else is installed\n`;
      assert.deepEqual([code, stderr], [1, told]);
      assert.doesNotMatch(stdout, /by hand/);
      assert.equal(machine.read(path), noted);
      for (const other of [".gemini/settings.json", missing])
        assert.match(machine.read(other), /bell\.sh/);
      assert(existsSync(join(machine.project, projectScripts)));
      const { ignored, done } = JSON.parse(machine.run("install", ["--hooks", "--json"]).stdout);
      assert.deepEqual([ignored.length, ignored[0].path, done], [1, path, true]);
      machine.write(path, noted.replace("// mine", ""));
      assert.equal(machine.run("install", ["--hooks"]).code, 0);
      assert.match(machine.read(path), /bell\.sh/);
    }
    const machine = new Machine();
    machine.write(".gemini/settings.json", '{\n  // mine\n  "a": 1\n}\n');
    assert.equal(machine.run("install", ["--hooks"]).code, 0);
  });

  it("count as none for doctor in settings with comments, which it names", () => {
    for (const [path, cli] of [
      [claude, "Claude Code"],
      [".codex/hooks.json", "Codex"],
    ] as const) {
      const machine = new Machine();
      const hooksOfCli = new RegExp(`^.*hooks of ${cli}.*$`, "m");
      const toldBy = () => hooksOfCli.exec(machine.run("doctor").stdout)?.[0] ?? "";
      machine.write(path, "{} // mine");
      const told = toldBy();
      assert(told.startsWith(`note hooks of ${cli}: not active`), told);
      assert(told.includes(`; ${path}: ${cli} ignores this file because of its comments`), told);
      assert.match(told, /line 1\) -> take the comments out, then: node .*install\.cjs --hooks$/);
      machine.write(path, "{}");
      assert.doesNotMatch(toldBy(), /comments/);
      machine.run("install", ["--hooks"]);
      assert.match(toldBy(), /^ok/);
      machine.write(path, `// mine\n${machine.read(path)}`);
      assert.match(toldBy(), /^FIX .*not active.*comments/);
      assert.equal(machine.run("install", ["--remove", "--hooks"]).code, 0);
      assert.doesNotMatch(machine.read(path), /bell\.sh/);
    }
  });

  it("puts none into the home folder's settings, which all projects share", () => {
    const machine = new Machine();
    const linked = join(machine.folder, "linked");
    symlinkSync(machine.home, linked);
    for (const home of [machine.home, linked]) {
      machine.environment["HOME"] = home;
      const ran = machine.run("install", ["--into", machine.home, "--hooks"]);
      assert.equal(ran.code, 2);
      assert.match(
        ran.stderr,
        /settings\.?\w*\.json(?: and \d other files?)?: in the home folder these settings count for all projects, .*use the plugin or extension/,
      );
      const left = readdirSync(machine.home).filter((name) => name !== ".cache");
      assert.deepEqual(left, []);
    }
    assert.equal(machine.run("install", ["--into", machine.home]).code, 0);
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
      /settings\.json: it is not JSON.*take the entries.*bell\.sh out by hand/,
    );
    assert.deepEqual(machine.snapshot(), before);
  });
});

describe("the hooks file of Codex", () => {
  const codex = ".codex/hooks.json";

  it("has the same text in every version: Codex runs what its user has trusted by it", () => {
    const texts = JSON.stringify([hooksOf("codex", projectScripts), packagedHooks().codex]);
    const hash = createHash("sha256").update(texts).digest("hex");
    assert.equal(
      hash.slice(0, 16),
      "d1ec4c4fa97fccc3",
      "whoever has trusted the hooks must do so again",
    );
  });

  it("keeps what others put there, and where it stands, for Codex trusts by the place too", () => {
    const machine = new Machine();
    const before = { description: "mine", hooks: { Stop: [JSON.parse(other)], PreToolUse: [] } };
    machine.write(codex, JSON.stringify(before));
    assert.equal(machine.run("install", ["--hooks"]).code, 0);
    const { description, hooks } = JSON.parse(machine.read(codex));
    assert.equal(description, "mine");
    assert.deepEqual(hooks.Stop, [
      JSON.parse(other),
      ...(hooksOf("codex", projectScripts)["Stop"] ?? []),
    ]);
    assert.match(machine.run("install", ["--hooks"]).stdout, /nothing to do/);
    assert.equal(machine.run("install", ["--remove", "--hooks"]).code, 0);
    assert.deepEqual(pruned(JSON.parse(machine.read(codex))), pruned(before));
  });

  it("is brought up to date where ours are older", () => {
    const machine = new Machine();
    machine.run("install", ["--hooks"]);
    const text = machine.read(codex);
    machine.write(codex, text.replace('"timeout": 1860', '"timeout": 60'));
    assert.equal(machine.run("install").code, 0);
    assert.deepEqual(JSON.parse(machine.read(codex)), JSON.parse(text));
  });

  it("is refused in one line where somebody has written half of it, and left as it is", () => {
    const machine = new Machine();
    machine.write(codex, '{"hooks": {"Stop": [\n');
    const before = machine.snapshot();
    const { code, stderr } = machine.run("install", ["--hooks"]);
    const line = "error: .codex/hooks.json: it is not JSON (line 2); nothing was written\n";
    assert.deepEqual([code, stderr], [2, line]);
    assert.deepEqual(machine.snapshot(), before);
    assert.equal(machine.run("install", ["--permissions"]).code, 0, "rules need no hooks file");
  });
});

/** Without what is empty, which says nothing. */
function pruned(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, it]) => [name, pruned(it)] as const);
  return Object.fromEntries(entries.filter(([, it]) => JSON.stringify(it).length > 2));
}

/** Every sign of before is still there, in its order. */
function checkUndisturbed(before: string, after: string): void {
  let rest = after.replaceAll(/\s/g, "");
  for (const character of before.replaceAll(/\s/g, "")) {
    const at = rest.indexOf(character);
    assert(at >= 0, `lost ${character}`);
    rest = rest.slice(at + 1);
  }
}
