import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { canRunBrain } from "../../scripts-src/brain/rules/node-version.ts";
import { Machine, repository } from "./machine.ts";

const isLinux = process.platform === "linux";
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

const olderBundle = "/*0123456789abcdef consulta 0.0.9*/";

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
    /the login in .*oauth_creds\.json may be rejected: personal Google logins/,
  ],
  [
    "a hook that points nowhere",
    (machine) => {
      const path = ".claude/settings.json";
      machine.write(path, machine.read(path).replaceAll(".agents/skills", "gone/skills"));
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
    /\.gemini\/settings\.json: its hooks are not those of this version -> node .*install\.cjs --hooks/,
  ],
  [
    "hooks in the project and in the plugin",
    (machine) => {
      const plugins = { "consulta@consulta": [{ installPath: join(machine.home, "plugin") }] };
      const enabledPlugins = { "consulta@consulta": true };
      machine.write(".claude/settings.json", JSON.stringify({ enabledPlugins }), machine.home);
      const list = ".claude/plugins/installed_plugins.json";
      machine.write(list, JSON.stringify({ plugins }), machine.home);
      machine.write("plugin/consulta/scripts/hook.cjs", "", machine.home);
    },
    /Claude Code are there twice.*: \.claude\/settings\.json and the plugin -> take the entries that name hook\.cjs out of \.claude\/settings\.json/,
  ],
  [
    "hooks in the project and in the extension",
    (machine) => {
      const script = ".gemini/extensions/consulta/skills/consulta/scripts/hook.cjs";
      machine.write(script, "", machine.home);
    },
    /Gemini CLI are there twice.*: \.gemini\/settings\.json and the extension -> take the entries that name hook\.cjs out of \.gemini\/settings\.json/,
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
    /the last hook that failed: 2026-11-22 hook claude Stop: it broke -> fix what it says, then: rm \S*hook\.txt/,
  ],
  [
    "versions beside each other",
    (machine) => {
      machine.write(".claude/skills/collaborate/scripts/consulta.cjs", olderBundle);
    },
    /versions differ: \.agents\/skills\/consulta in this project has .* is the one that skills run; \.claude\/skills\/collaborate in this project has 0\.0\.9 \(build 01234567\) -> node .*install\.cjs/,
  ],
  [
    "versions beside each other, the first of them linked by a later folder",
    (machine) => {
      mkdirSync(join(machine.project, ".gemini/skills"), { recursive: true });
      const link = join(machine.project, ".gemini/skills/consulta");
      symlinkSync("../../.agents/skills/consulta", link);
      machine.write(".claude/skills/collaborate/scripts/consulta.cjs", olderBundle);
    },
    /versions differ: \.agents\/skills\/consulta in this project has .* is the one that skills run; \.claude\/skills\/collaborate in this project has 0\.0\.9/,
  ],
  [
    "a copy that only claims to be this build",
    (machine) => machine.write(".agents/skills/consulta/scripts/hook.cjs", "evil"),
    /FIX {2}\.agents\/skills\/consulta in this project: hook\.cjs differs from that of consulta \S+ \(build \w+\), which it claims to be -> rm -r \S+\/\.agents\/skills\/consulta\/scripts && node \S+install\.cjs$/,
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
    /config\.json is not JSON.* -> fix \.consulta\/config\.json/,
  ],
  [
    "a config of the user that is wrong",
    (machine) => machine.write(".consulta/config.yaml", "drivers: 7\n", machine.home),
    /drivers.* -> fix ~\/\.consulta\/config\.yaml/,
  ],
  [
    "hooks in settings that are shared and in those that are not",
    (machine) =>
      machine.write(".claude/settings.local.json", machine.read(".claude/settings.json")),
    /there twice.*\.json and \.claude\/settings\.local\.json -> node .*install\.cjs --hooks$/,
  ],
  [
    "settings that are broken",
    (machine) =>
      machine.write(".gemini/settings.json", `{${machine.read(".gemini/settings.json")}`),
    /\.gemini\/settings\.json: it is not JSON \(line 1\), so Gemini CLI may pass it over -> fix/,
  ],
  [
    "a hook whose time is too short",
    (machine) => {
      const path = ".claude/settings.json";
      machine.write(path, machine.read(path).replace("1860", "5"));
    },
    /\.claude\/settings\.json: its hooks are not those of this version -> node .*install\.cjs --hooks$/,
  ],
  [
    "a hook of the other CLI",
    (machine) => {
      const path = ".claude/settings.json";
      const wrong = machine
        .read(path)
        .replace(/hook=(.*cjs\\").*exit 0/, "$$consulta; node $1 gemini");
      machine.write(path, wrong);
    },
    /\.claude\/settings\.json: its hooks are not those of this version -> node .*install\.cjs --hooks$/,
  ],
  [
    "a hook at an event too many",
    (machine) => {
      const { hooks } = JSON.parse(machine.read(".claude/settings.json"));
      hooks.PreCompact = hooks.Stop;
      machine.write(".claude/settings.json", JSON.stringify({ hooks }));
    },
    /\.claude\/settings\.json: its hooks are not those of this version -> node .*install\.cjs --hooks$/,
  ],
  [
    "hooks of one project in the user's settings",
    (machine) => {
      machine.write(".claude/settings.json", machine.read(".claude/settings.json"), machine.home);
      machine.write(".claude/settings.json", "{}");
    },
    /~\/\.claude\/settings\.json: its hooks run a script of one project.* -> take the entries/,
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
    "a failure that is a folder",
    (machine) => mkdirSync(join(machine.project, ".consulta/errors/hook.txt"), { recursive: true }),
    /hook\.txt is not a regular file.* -> mv \S*errors /,
  ],
  [
    "failures that lie elsewhere",
    (machine) => {
      machine.write("errors/hook.txt", "secret-of-mine", machine.home);
      symlinkSync(join(machine.home, "errors"), join(machine.project, ".consulta/errors"));
    },
    /errors is a link.* -> mv \S*errors /,
  ],
  [
    "settings nested without end",
    (machine) => machine.write(".claude/settings.local.json", '{"a":'.repeat(50_000)),
    /settings\.local\.json: it is nested too deeply, so Claude Code may pass it over/,
  ],
  [
    "settings of the brain that are wrong",
    (machine) => machine.write(".consulta/config.yaml", "brain: {delegate: gemini}", machine.home),
    /config\.yaml: brain\.delegate is "gemini", expected a list.* -> fix ~\/\.consulta\/config\.yaml/,
  ],
  [
    "a delegate of the brain that is not there",
    (machine) =>
      machine.write(".consulta/config.yaml", "brain: {delegate: [digest, -x]}", machine.home),
    /the brain's delegate digest is not to be found.* -> name one in ~\/\.consulta\/config\.yaml/,
  ],
  [
    "a delegate that the project brings along",
    (machine) => {
      machine.write("bin/digest", "#!/bin/sh\n");
      chmodSync(join(machine.project, "bin/digest"), 0o755);
      machine.environment["PATH"] += `:${join(machine.project, "bin")}`;
      machine.write(".consulta/config.yaml", "brain: {delegate: [digest]}", machine.home);
    },
    /the brain's delegate digest is not to be found/,
  ],
  [
    "a brain's folder that others may read",
    (machine) => {
      machine.write(".consulta/brain/brain.db", "");
      chmodSync(join(machine.project, ".consulta/brain/brain.db"), 0o600);
      chmodSync(join(machine.project, ".consulta/brain"), 0o755);
    },
    /others on this machine may read .*\.consulta\/brain -> chmod -R go= \S*\.consulta\/brain$/,
  ],
  [
    "a file of the brain that others may read",
    (machine) => {
      machine.write(".consulta/brain/brain.db", "");
      chmodSync(join(machine.project, ".consulta/brain"), 0o700);
      chmodSync(join(machine.project, ".consulta/brain/brain.db"), 0o644);
    },
    /others on this machine may read .*brain\.db -> chmod/,
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
      machine.write(
        ".consulta/brain/brain.log",
        "2026-11-22 listens\n2026-11-22 failed: no room\n",
      );
      chmodSync(join(machine.project, ".consulta/brain"), 0o700);
      chmodSync(join(machine.project, ".consulta/brain/brain.log"), 0o600);
    },
    /brain: its last start failed: no room -> node .*brain\.cjs serve/,
  ],
];

/** What permits too little, or more than the scripts, with what doctor says of it. */
const permitted: [name: string, spoil: (machine: Machine) => void, faults: RegExp[]][] = [
  [
    "skills without rules",
    (machine) => machine.run("install", ["--remove", "--permissions"]),
    [
      /^FIX {2}Claude Code asks before .* -> node .*install\.cjs --permissions$/,
      /^FIX {2}Gemini CLI asks before .* -> node .*install\.cjs --permissions$/,
    ],
  ],
];

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
      /^ok {3}the brain's delegate: .*\/bin\/gemini$/m,
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
      spoil(machine);
      // Settings that were written anew hold no rules either.
      const faults = faultsOf(machine).filter((it) => !/ asks before it /.test(it));
      assert.equal(faults.length, 1, faults.join("\n"));
      assert.match(faults[0] ?? "", fault);
    });
  }

  /** What its own PATH finds for `node`, and what is said of it. */
  const nodes: [program: string | undefined, fault: RegExp][] = [
    [undefined, /do nothing with this PATH: there is no node -> PATH=\/\S+:"\$PATH" \w+$/],
    [
      "echo v18.20.8",
      /this PATH: Consulta needs Node 20\.11 or newer, this is Node 18\.20\.8 -> PATH=/,
    ],
    ["echo v20.11.0", /this PATH: exit 0 and not a word -> PATH=/],
  ];
  for (const [program, fault] of nodes) {
    it(`runs the hooks, and says what they lack where node is ${program ?? "not to be found"}`, () => {
      const machine = wellMachine();
      machine.environment["PATH"] = machine.bin;
      rmSync(join(machine.bin, "node"));
      if (program !== undefined) {
        writeFileSync(join(machine.bin, "node"), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
      }
      const faults = faultsOf(machine);
      assert.equal(faults.length, 2, faults.join("\n"));
      for (const it of faults) assert.match(it, fault);
    });
  }

  it("runs the hooks with the PATH of the CLI that runs", { skip: !isLinux }, async () => {
    const machine = wellMachine();
    const names = ["--participant", "claude", "--participant", "gemini"];
    machine.run("init", ["--topic", "Files?", "--session", "talk", ...names]);
    // Stands for a CLI: it was started with another PATH, and its agent has run a script.
    const script = join(repository, "dist", "next-action.cjs");
    const words = [script, "--session", "talk", "--participant", "claude"];
    const program = `
      const env = { ...process.env, CLAUDECODE: "1", CLAUDE_PID: String(process.pid) };
      const { spawnSync } = require("node:child_process");
      spawnSync(process.execPath, ${JSON.stringify(words)}, { env });
      console.log("ready");
      setInterval(() => {}, 1_000);
    `;
    const cli = spawn(process.execPath, ["-e", program], {
      cwd: machine.project,
      env: { ...machine.environment, PATH: "/nothing" },
    });
    await once(cli.stdout, "data");
    const faults = faultsOf(machine);
    cli.kill("SIGKILL");
    assert.equal(faults.length, 1, faults.join("\n"));
    const known = new RegExp(
      `hooks of claude do nothing with the PATH of process ${cli.pid}: there is no`,
    );
    assert.match(faults[0] ?? "", known);
  });

  it("runs no hook that a project has brought", () => {
    const machine = wellMachine();
    const mark = join(machine.folder, "was-run");
    const evil = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "");`;
    const bundle = ".agents/skills/consulta/scripts/consulta.cjs";
    machine.write(bundle, `${machine.read(bundle).split("*/", 1)[0]}*/${evil}`);
    const brought = faultsOf(machine);
    assert.equal(brought.length, 1, brought.join("\n"));
    assert(!existsSync(mark));
    // Nor what the name of a folder makes of a command that is ours to the letter.
    const named = wellMachine();
    const scripts = "$(echo>was-run)/consulta/scripts";
    cpSync(join(repository, "dist"), join(named.project, scripts), { recursive: true });
    for (const path of [".claude/settings.json", ".gemini/settings.json"])
      named.write(
        path,
        named.read(path).replace(/\.agents\/skills\/consulta\/scripts/g, () => scripts),
      );
    named.run("doctor");
    assert(!existsSync(join(named.project, "was-run")));
  });

  for (const [name, spoil, expected] of permitted) {
    it(`finds ${name}`, () => {
      const machine = wellMachine();
      spoil(machine);
      const faults = faultsOf(machine);
      assert.equal(faults.length, expected.length, faults.join("\n"));
      for (const [index, fault] of faults.entries()) assert.match(fault, expected[index] ?? /^$/);
    });
  }

  it("takes settings of Gemini CLI with comments for sound", () => {
    const machine = wellMachine();
    const path = ".gemini/settings.json";
    machine.write(path, `// mine\n${machine.read(path)}`);
    assert.deepEqual(faultsOf(machine), []);
  });

  for (const path of [".claude", ".agents", ".gemini", ".consulta"]) {
    for (const whose of ["project", "home"] as const) {
      it(`goes on where ${path} of the ${whose} is a file`, () => {
        const machine = new Machine();
        machine.write(path, "", machine[whose]);
        const { stdout, stderr } = machine.run("doctor");
        assert.equal(stderr, "");
        assert.match(stdout, /to fix$/m);
      });
    }
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

  it("names the Node that the brain needs, where this one is older", () => {
    const said = /^note the brain needs Node 22\.16 or later, this is \S+$/m;
    assert.equal(
      said.test(wellMachine().run("doctor").stdout),
      !canRunBrain(process.versions.node),
    );
  });

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

  it("names one CLI more where there is one", () => {
    const machine = new Machine();
    machine.addProgram("gemini", "0.61.0");
    const fault = faultsOf(machine).find((it) => it.includes("a consultation needs two"));
    assert.match(
      fault ?? "",
      /found only gemini; a consultation needs two .* -> npm install -g @anthropic-ai\S+$/,
    );
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
