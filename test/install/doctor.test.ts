import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Machine } from "./machine.ts";

const healthy = { GEMINI_API_KEY: "secret-of-mine", GEMINI_CLI_TRUST_WORKSPACE: "true" };

/** A machine with both CLIs, signed in, and the pack in its project. */
function wellMachine(environment: Record<string, string> = healthy): Machine {
  const machine = new Machine(environment);
  machine.addProgram("claude", "2.1.330 (Claude Code)");
  machine.addProgram("gemini", "0.61.0");
  const projects = { [machine.project]: { hasTrustDialogAccepted: true } };
  machine.write(".claude.json", JSON.stringify({ projects }), machine.home);
  machine.write(".claude/.credentials.json", '{"token": "secret-of-mine"}', machine.home);
  machine.run("install", ["--hooks"]);
  return machine;
}

function faultsOf(machine: Machine): string[] {
  const { code, stdout, stderr } = machine.run("doctor");
  assert.equal(stderr, "");
  const faults = stdout.split("\n").filter((line) => line.startsWith("FIX"));
  assert.equal(code, faults.length === 0 ? 0 : 1, stdout);
  for (const fault of faults) assert.match(fault, / -> \S/);
  assert.doesNotMatch(stdout, /secret-of-mine/);
  return faults;
}

const sick: [name: string, spoil: (machine: Machine) => void, fault: RegExp][] = [
  [
    "a CLI that is not there",
    (machine) => machine.addProgram("claude", ""),
    /claude: does not tell its version.* -> claude --version/,
  ],
  [
    "Gemini CLI without a login",
    (machine) => {
      delete machine.environment["GEMINI_API_KEY"];
    },
    /personal Google logins stopped working on 2026-06-18; an API key or Antigravity/,
  ],
  [
    "Gemini CLI with a personal login",
    (machine) => {
      delete machine.environment["GEMINI_API_KEY"];
      machine.write(".gemini/oauth_creds.json", "{}", machine.home);
    },
    /the login in .*oauth_creds\.json may be refused: personal Google logins/,
  ],
  [
    "a folder that Gemini CLI does not trust",
    (machine) => {
      delete machine.environment["GEMINI_CLI_TRUST_WORKSPACE"];
    },
    /gemini: does not trust this folder.*ends with 55 -> export GEMINI_CLI_TRUST_WORKSPACE=true/,
  ],
  [
    "a hook that points nowhere",
    (machine) => {
      const path = ".claude/settings.json";
      machine.write(path, machine.read(path).replaceAll(".claude/skills", "gone/skills"));
    },
    /\.claude\/settings\.json: its hook runs .*gone\/skills\/consulta\/scripts\/hook\.cjs, which is not there -> node .*install\.cjs --hooks/,
  ],
  [
    "hooks of an older version",
    (machine) => {
      const { hooks } = JSON.parse(machine.read(".gemini/settings.json"));
      delete hooks.PreCompress;
      machine.write(".gemini/settings.json", JSON.stringify({ hooks }));
    },
    /\.gemini\/settings\.json: no hook of ours for PreCompress -> node .*install\.cjs --hooks/,
  ],
  [
    "hooks in the project and in the plugin",
    (machine) => {
      const plugins = { "consulta@consulta": [{ installPath: join(machine.home, "plugin") }] };
      const enabledPlugins = { "consulta@consulta": true };
      machine.write(".claude/settings.json", JSON.stringify({ enabledPlugins }), machine.home);
      machine.write(
        ".claude/plugins/installed_plugins.json",
        JSON.stringify({ plugins }),
        machine.home,
      );
    },
    /Claude Code are there twice.*: \.claude\/settings\.json and the plugin -> node .*install\.cjs --remove --hooks/,
  ],
  [
    "hooks in the project and in the extension",
    (machine) => mkdirSync(join(machine.home, ".gemini/extensions/consulta"), { recursive: true }),
    /Gemini CLI are there twice.*: \.gemini\/settings\.json and the extension -> node .*--remove --hooks/,
  ],
  [
    "hooks that are switched off",
    (machine) => machine.write(".claude/settings.local.json", '{"disableAllHooks": true}'),
    /hooks of Claude Code are switched off/,
  ],
  [
    "a hook that failed",
    (machine) =>
      machine.write(".consulta/errors/hook.txt", "2026-11-22 hook claude Stop: it broke\n"),
    /the last hook that failed: 2026-11-22 hook claude Stop: it broke -> rm '.*hook\.txt'/,
  ],
  [
    "versions beside each other",
    (machine) => {
      const stamp = JSON.stringify({ version: "0.0.9", build: "0123456789abcdef" });
      machine.write(".claude/skills/collaborate/scripts/version.json", stamp);
    },
    /versions differ: \.agents\/skills\/consulta in this project has .* is the one that skills run; \.claude\/skills\/collaborate in this project has 0\.0\.9 \(build 01234567\) -> node .*install\.cjs/,
  ],
  [
    "a link that leads nowhere",
    (machine) => {
      mkdirSync(join(machine.project, ".gemini/skills"), { recursive: true });
      symlinkSync("../../gone", join(machine.project, ".gemini/skills/consulta"));
    },
    /\.gemini\/skills\/consulta is a link that leads nowhere -> rm /,
  ],
  [
    "a config that is no JSON",
    (machine) => machine.write(".consulta/config.json", "{"),
    /config\.json is not JSON.* -> mend \.consulta\/config\.json/,
  ],
  [
    "a config of the user that is wrong",
    (machine) => machine.write(".consulta/config.yaml", "drivers: 7\n", machine.home),
    /drivers.* -> mend ~\/\.consulta\/config\.yaml/,
  ],
];

describe("doctor", () => {
  it("finds nothing wrong where all is well, and says what it saw", () => {
    const machine = wellMachine();
    const { code, stdout } = machine.run("doctor");
    assert.equal(code, 0, stdout);
    for (const seen of [
      /^ok {3}Node \d+/m,
      /^ok {3}\.claude\/skills\/consulta in this project: consulta \d+\.\d+\.\d+ \(build [0-9a-f]{8}\)/m,
      /^ok {3}claude 2\.1\.330/m,
      /^ok {3}gemini: looks signed in \(GEMINI_API_KEY is set\)/m,
      /^ok {3}claude: trusts this folder/m,
      /^ok {3}hooks of Gemini CLI: active, from \.gemini\/settings\.json/m,
      /^note codex: not installed -> npm install/m,
      /^note Claude Code asks before.* -> add to \.claude\/settings\.json/m,
      /^all is well$/m,
    ]) {
      assert.match(stdout, seen);
    }
  });

  for (const [name, spoil, fault] of sick) {
    it(`finds ${name}`, () => {
      const machine = wellMachine();
      spoil(machine);
      const faults = faultsOf(machine);
      assert.equal(faults.length, 1, faults.join("\n"));
      assert.match(faults[0] ?? "", fault);
    });
  }

  it("finds an open session that is damaged", () => {
    const machine = wellMachine();
    const names = ["--participant", "claude", "--participant", "gemini"];
    machine.run("init", ["--topic", "Files?", "--session", "talk", ...names]);
    assert.deepEqual(faultsOf(machine), []);
    machine.write(".consulta/sessions/talk/events.jsonl", "{\n");
    const [fault] = faultsOf(machine);
    assert.match(fault ?? "", /session talk: .* -> node .*validate\.cjs --session talk --repair/);
  });

  it("says on a machine without anything what to do first", () => {
    const faults = faultsOf(new Machine());
    assert.match(faults[0] ?? "", /no copy for a CLI.* -> node .*install\.cjs/);
    assert.match(faults[1] ?? "", /takes two CLIs; .* there is none -> npm install -g/);
    assert.equal(faults.length, 2);
  });

  it("tells programs the same", () => {
    const machine = new Machine();
    const { code, stdout } = machine.run("doctor", ["--json"]);
    const { faults, found } = JSON.parse(stdout);
    assert.deepEqual([code, faults], [1, 2]);
    for (const { level, command } of found)
      assert.equal(level === "fix" ? typeof command : "string", "string");
  });
});
