import assert from "node:assert/strict";
import { chmodSync, cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { hooksOf } from "../../scripts-src/clis/hook-entries.ts";
import { projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import { Machine, repository } from "./machine.ts";

const healthy = { GEMINI_API_KEY: "secret-of-mine", GEMINI_CLI_TRUST_WORKSPACE: "true" };

let model: Machine | undefined;

/** A machine with both CLIs, signed in, and the pack in its project: a copy of one that is made once. */
function wellMachine(): Machine {
  model ??= installedMachine();
  const machine = new Machine(healthy);
  cpSync(model.folder, machine.folder, { recursive: true, verbatimSymlinks: true });
  const projects = { [machine.project]: { hasTrustDialogAccepted: true } };
  machine.write(".claude.json", JSON.stringify({ projects }), machine.home);
  return machine;
}

function installedMachine(): Machine {
  const machine = new Machine(healthy);
  machine.addProgram("claude", "2.1.330 (Claude Code)");
  machine.addProgram("gemini", "0.61.0");
  symlinkSync(process.execPath, join(machine.bin, "node"));
  machine.write(".claude/.credentials.json", '{"token": "secret-of-mine"}', machine.home);
  assert.equal(machine.run("install", ["--hooks"]).code, 0);
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

const plugins = JSON.stringify({ plugins: { "consulta@consulta": [{ installPath: "PLUGIN" }] } });
const olderBundle = "/*0123456789abcdef consulta 0.0.9*/";

/** Files to write, those of the home as ~/; or what else spoils a machine. */
type Spoil = Record<string, string> | ((machine: Machine) => void);

const sick: [name: string, spoil: Spoil, fault: RegExp][] = [
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
    /the login in .*oauth_creds\.json may be rejected: personal Google logins/,
  ],
  [
    "a hook that points nowhere",
    (machine) => {
      const path = ".claude/settings.json";
      machine.write(path, machine.read(path).replaceAll(".agents/skills", "gone/skills"));
    },
    /\.claude\/settings\.json: its hook runs .*gone\/skills\/consulta\/scripts\/run\.cjs, which is not there -> node .*install\.cjs --hooks/,
  ],
  [
    "hooks in the project and in the plugin",
    {
      "~/.claude/plugins/installed_plugins.json": plugins,
      "~/plugin/consulta/scripts/run.cjs": "",
    },
    /Claude Code are there twice.*: \.claude\/settings\.json and plugin of Claude Code -> take the entries that name bell\.sh out of \.claude\/settings\.json/,
  ],
  [
    "hooks in the project and in the extension",
    { "~/.gemini/extensions/consulta/skills/consulta/scripts/run.cjs": "" },
    /Gemini CLI are there twice.*: \.gemini\/settings\.json and extension of Gemini CLI -> take the entries that name bell\.sh out of \.gemini\/settings\.json/,
  ],
  [
    "hooks in settings that are shared and in those that are not",
    (machine) =>
      machine.write(".claude/settings.local.json", machine.read(".claude/settings.json")),
    /there twice.*\.json and \.claude\/settings\.local\.json -> take the entries that name bell/,
  ],
  [
    "a hook that failed",
    { ".consulta/errors/hook.txt": "2026-11-22 hook claude Stop: it broke\n" },
    /the last hook that failed: 2026-11-22 hook claude Stop: it broke -> fix what it says, then: rm \S*hook\.txt/,
  ],
  [
    "a failure that is a link",
    (machine) => {
      mkdirSync(join(machine.project, ".consulta/errors"));
      symlinkSync("/etc/passwd", join(machine.project, ".consulta/errors/hook.txt"));
    },
    /hook\.txt is a link.* -> mv \S*errors \S*errors\.old/,
  ],
  [
    "versions beside each other",
    { ".claude/skills/collaborate/scripts/consulta.cjs": olderBundle },
    /versions differ: \.agents\/skills\/consulta in this project has .* is the one that skills run; \.claude\/skills\/collaborate in this project has 0\.0\.9 \(build 01234567\) -> rm -r \S+\.claude\/skills\/collaborate\/scripts$/m,
  ],
  [
    "a config that is no JSON",
    { ".consulta/config.json": "{" },
    /config\.json is not JSON.* -> fix \.consulta\/config\.json/,
  ],
  [
    "a config of the user that is wrong",
    { "~/.consulta/config.yaml": "drivers: 7\n" },
    /drivers.* -> fix ~\/\.consulta\/config\.yaml/,
  ],
  [
    "settings of the brain that are wrong",
    { "~/.consulta/config.yaml": "brain: {delegate: gemini}" },
    /config\.yaml: brain\.delegate is "gemini", expected a list.* -> name one in ~\/\.consulta\/config\.yaml/,
  ],
  [
    "a delegate of the brain that only the project has",
    (machine) => {
      machine.write("bin/digest", "#!/bin/sh\n");
      chmodSync(join(machine.project, "bin/digest"), 0o755);
      machine.environment["PATH"] += `:${join(machine.project, "bin")}`;
      machine.write(".consulta/config.yaml", "brain: {delegate: [digest]}", machine.home);
    },
    /the delegate digest is not to be found.* -> name one in ~\/\.consulta\/config\.yaml/,
  ],
  [
    "a file of the brain that others may read",
    (machine) => {
      machine.write(".consulta/brain/brain.db", "");
      chmodSync(join(machine.project, ".consulta/brain"), 0o700);
      chmodSync(join(machine.project, ".consulta/brain/brain.db"), 0o644);
    },
    /others on this machine may read .*brain\.db -> chmod -R go= \S*\.consulta\/brain$/,
  ],
  [
    "a brain's folder that is a link",
    (machine) => {
      mkdirSync(join(machine.home, "brain"), { mode: 0o700 });
      symlinkSync(join(machine.home, "brain"), join(machine.project, ".consulta/brain"));
    },
    /\.consulta\/brain is no folder of the project's own -> mv \S/,
  ],
  [
    "a brain that did not come up",
    (machine) => {
      const log = "2026-11-22 listens\n2026-11-22 failed: no room\n";
      machine.write(".consulta/brain/brain.log", log);
      chmodSync(join(machine.project, ".consulta/brain"), 0o700);
      chmodSync(join(machine.project, ".consulta/brain/brain.log"), 0o600);
    },
    /brain: its last start failed: no room -> node .*brain\.cjs serve/,
  ],
];

function spoilBy(machine: Machine, spoil: Spoil): void {
  if (typeof spoil === "function") spoil(machine);
  else
    for (const [path, text] of Object.entries(spoil)) {
      const isOfHome = path.startsWith("~/");
      const content = text.replace("PLUGIN", join(machine.home, "plugin"));
      machine.write(path.replace("~/", ""), content, isOfHome ? machine.home : machine.project);
    }
}

describe("doctor", () => {
  it("finds nothing wrong where all is well, and says what it saw", () => {
    const machine = wellMachine();
    const { code, stdout } = machine.run("doctor");
    assert.equal(code, 0, stdout);
    for (const seen of [
      /^ok {3}Node \d+/m,
      /^ok {3}\.agents\/skills\/consulta in this project: consulta \d+\.\d+\.\d+ \(build [0-9a-f]{8}\)/m,
      /^ok {3}claude 2\.1\.330/m,
      /^ok {3}gemini: looks signed in \(GEMINI_API_KEY is set\)/m,
      /^ok {3}hooks of Gemini CLI: set up, from \.gemini\/settings\.json; gemini runs them once/m,
      /^ok {3}brain: not running; what needs it first starts it$/m,
      /^ok {3}the brain's delegate: gemini$/m,
      /^note codex: not found -> npm install/m,
      /^ok {3}Claude Code runs the scripts without asking$/m,
      /^ok {3}Gemini CLI runs the scripts without asking$/m,
      /^all is well$/m,
    ]) {
      assert.match(stdout, seen);
    }
  });

  for (const [name, spoil, fault] of sick) {
    it(`finds ${name}`, () => {
      const machine = wellMachine();
      spoilBy(machine, spoil);
      // Settings that were written anew hold no rules either.
      const faults = faultsOf(machine).filter((it) => !/ asks before it /.test(it));
      assert.equal(faults.length, 1, faults.join("\n"));
      assert.match(faults[0] ?? "", fault);
    });
  }

  const trust = (...hooks: [event: string, status: string][]) => {
    const { command } = Object(hooksOf("codex", projectScripts)["Stop"]?.[0]?.hooks[0]);
    const found = hooks.map(([eventName, trustStatus]) => ({
      eventName,
      trustStatus,
      enabled: true,
      command,
    }));
    return JSON.stringify({ id: 2, result: { data: [{ hooks: found, warnings: [] }] } });
  };
  const servers: [name: string, answer: string, seen: RegExp][] = [
    [
      "too old for hooks",
      '{"id":2,"error":{"code":-32600,"message":"unknown"}}',
      /^FIX {2}codex codex-cli 0\.171\.0 does not say which hooks it trusts; one older .* -> npm install -g @openai\/codex$/m,
    ],
    [
      "that does not trust the folder",
      trust(),
      /^FIX {2}Codex finds no hooks of ours: .* -> codex, in .*: trust the folder/m,
    ],
    [
      "that trusts some of them",
      trust(["stop", "modified"], ["sessionStart", "trusted"]),
      /^FIX {2}Codex does not trust these hooks of ours, and passes over them: stop -> codex, .*\/hooks/m,
    ],
    [
      "that trusts them",
      trust(["stop", "trusted"]),
      /^ok {3}hooks of Codex: it trusts and runs them$/m,
    ],
    [
      "whose server prints banners and no answer",
      "Welcome!",
      /^note hooks of Codex: its app-server does not say which of them it trusts -> codex, in/m,
    ],
  ];
  for (const [name, answer, seen] of servers) {
    it(`asks a Codex ${name}`, () => {
      const machine = wellMachine();
      const server = `read -r a; read -r b; read -r c; echo 'not JSON'; echo '${answer.replaceAll("'", "'\\''")}'; read -r d`;
      const lines = [
        "#!/bin/sh",
        `[ "$1" = app-server ] || { echo codex-cli 0.171.0; exit; }`,
        server,
      ];
      machine.write("bin/codex", `${lines.join("\n")}\n`, machine.folder);
      chmodSync(join(machine.bin, "codex"), 0o755);
      assert.match(machine.run("doctor").stdout, seen);
    });
  }

  it("finds skills without rules", () => {
    const machine = wellMachine();
    machine.run("install", ["--remove", "--permissions"]);
    const [claude = "", gemini = "", ...others] = faultsOf(machine);
    assert.match(
      claude,
      /^FIX {2}Claude Code asks before .* -> node .*install\.cjs --permissions$/,
    );
    assert.match(gemini, /^FIX {2}Gemini CLI asks before .* -> node .*install\.cjs --permissions$/);
    assert.deepEqual(others, []);
  });

  for (const whose of ["project", "home"] as const) {
    it(`goes on where the folders of the ${whose} are files`, () => {
      const machine = new Machine();
      for (const path of [".claude", ".agents", ".gemini", ".consulta"])
        machine.write(path, "", machine[whose]);
      const { stdout, stderr } = machine.run("doctor");
      assert.equal(stderr, "");
      assert.match(stdout, /to fix$/m);
    });
  }

  it("asks nothing of a brain that is switched off", () => {
    const machine = wellMachine();
    machine.write(".consulta/config.json", '{"brain": false}');
    machine.write(".consulta/config.yaml", "brain: {delegate: [digest]}", machine.home);
    assert.deepEqual(faultsOf(machine), []);
    const { stdout } = machine.run("doctor");
    assert.match(
      stdout,
      /^ok {3}brain: switched off by "brain": false in \.consulta\/config\.json$/m,
    );
  });

  it("says on a machine without anything what to do first", () => {
    const faults = faultsOf(new Machine());
    const { stdout } = new Machine().run("doctor");
    assert.match(
      stdout,
      /^note no skills, plugin or extension for a CLI: .* -> node .*install\.cjs/m,
    );
    assert.match(
      faults[0] ?? "",
      /found no supported CLI; a consultation needs two .* -> npm install -g @anthropic-ai\S+; npm install -g @google\S+$/,
    );
    assert.equal(faults.length, 1);
  });

  it("looks at the project that is named, and mends that one", () => {
    const machine = new Machine();
    const project = join(machine.home, "shop");
    mkdirSync(project);
    const { stdout } = machine.run("doctor", ["--into", project]);
    const [, line = ""] =
      /no skills, plugin or extension.* -> node \S+install\.cjs (.*)$/m.exec(stdout) ?? [];
    assert.equal(line, `--into ${project}`);
    const ran = machine.run("doctor", ["--into", "nowhere"]);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /there is no folder .*nowhere/);
  });

  it("knows skills that came by themselves, from whichever it is run", () => {
    const machine = new Machine();
    cpSync(join(repository, "skills"), join(machine.project, ".agents/skills"), {
      recursive: true,
    });
    for (const skill of ["brain", "consulta"]) {
      const script = join(machine.project, `.agents/skills/${skill}/scripts/run.cjs`);
      const { stdout } = machine.run(script, ["doctor"]);
      assert.match(stdout, /^ok {3}\.agents\/skills\/share-findings in this project/m);
      assert.doesNotMatch(stdout, /differ/);
    }
  });

  it("tells programs the same", () => {
    const machine = new Machine();
    const { code, stdout } = machine.run("doctor", ["--json"]);
    const { faults, found } = JSON.parse(stdout);
    assert.deepEqual([code, faults], [1, 1]);
    for (const { level, command } of found)
      assert.equal(level === "fix" ? typeof command : "string", "string");
  });
});
