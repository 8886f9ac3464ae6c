import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { hookTrial, type SettingsCli, settingsClis } from "../../scripts-src/clis/hook-entries.ts";
import { Project } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { repository } from "./machine.ts";

interface Hook {
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
}

const events = { claude: "SessionStart", gemini: "BeforeAgent", codex: "SessionStart" };
const settings = {
  claude: ".claude/settings.json",
  gemini: ".gemini/settings.json",
  codex: ".codex/hooks.json",
};
/** What others' hooks say depends on their process: of them a trial is enough. */
const answered = {
  claude: [events.claude, /talk/],
  gemini: [hookTrial.event, /^works\n$/],
  codex: [hookTrial.event, /^works\n$/],
} as const;
/** Where Claude Code and Codex keep their plugins, and Gemini CLI its extension. */
const packages = {
  claude: [join(repository, "skills"), ".claude-plugin/hooks.json", "CLAUDE_PLUGIN_ROOT"],
  gemini: [repository, "hooks/hooks.json", "extensionPath"],
  codex: [join(repository, "skills"), ".codex-plugin/hooks.json", "PLUGIN_ROOT"],
} as const;

const folder = makeScratchFolder();
const place = (name: string) => join(folder, name);
const [home, bare, withNode, withOldNode] = [
  place("home"),
  place("bare"),
  place("new"),
  place("old"),
];
/** Gemini CLI puts it into quotes of its own where a command names it. */
const project = new Project(place("a project"));
const [ofStranger, withoutSkills] = [place("stranger's"), place("without")];
const stranger = 54_321;
const isRoot = process.getuid?.() === 0;

/** What a CLI finds in its settings, or in the hooks of the plugin or the extension. */
function hookIn(path: string, cli: SettingsCli): Hook {
  return JSON.parse(readFileSync(path, "utf8")).hooks[events[cli]][0].hooks[0];
}

/** Those that install and the pack bring. */
function hooksOf(cli: SettingsCli): [ofSettings: Hook, ofPackage: Hook] {
  const [root, path, variable] = packages[cli];
  const { command, ...rest } = hookIn(join(root, path), cli);
  return [
    hookIn(join(project.folder, settings[cli]), cli),
    {
      command: command.replaceAll(`\${${variable}}`, root),
      ...rest,
      env: { ...rest.env, [variable]: root },
    },
  ];
}

interface Situation {
  /** The folder of the project. */
  readonly cwd?: string;
  readonly path?: string;
  readonly event?: string;
  /** All that the CLI writes, in place of the event. */
  readonly input?: string;
  readonly staysOpen?: true;
  /** Another user, without HOME. */
  readonly uid?: number;
}

/** Runs a hook as Claude Code 2.1.330 and Gemini CLI 0.61.0 do. */
async function fire(cli: SettingsCli, { command, env }: Hook, situation: Situation = {}) {
  const { cwd = project.folder, path = withNode, event = events[cli], uid } = situation;
  const names = { CLAUDE_PROJECT_DIR: cwd, GEMINI_PROJECT_DIR: cwd };
  const line = cli === "claude" ? command : command.replaceAll("$GEMINI_PROJECT_DIR", `'${cwd}'`);
  const child = spawn(cli === "claude" ? "/bin/sh" : "/bin/bash", ["-c", line], {
    cwd,
    env: { PATH: path, ...(uid === undefined ? { HOME: home } : {}), ...names, ...env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const started = performance.now();
  const fields = { hook_event_name: event, session_id: "s1", cwd, prompt: "{" };
  child.stdin.on("error", () => undefined);
  child.stdin.write(situation.input ?? JSON.stringify(fields));
  if (!situation.staysOpen) child.stdin.end();
  const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, "close");
  const [stdout, stderr] = await outputs;
  return { ran: { code, stdout, stderr }, tookMs: performance.now() - started };
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode: 0o755 });
}

before(() => {
  for (const each of [home, bare]) mkdirSync(each);
  write(join(withNode, "node"), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  const version = `Object.defineProperty(process.versions, "node", { value: "18.20.8" });`;
  write(join(folder, "old.cjs"), version);
  const asOld = `exec '${process.execPath}' --require '${folder}/old.cjs' "$@"`;
  write(join(withOldNode, "node"), `#!/bin/sh\n${asOld}\n`);
  mkdirSync(project.folder);
  const who = ["--participant", "claude", "--participant", "gemini"];
  const init = ["init", "--session", "talk", "--topic", "SQLite or files?", ...who];
  for (const [script = "", ...args] of [["install", "--hooks"], init]) {
    const ran = project.run(script, args, "", { env: { HOME: home } });
    assert.equal(ran.code, 0, ran.stderr);
  }
  // The first event would start it.
  writeFileSync(project.path("config.json"), '{"brain": false}');
  // Of a stranger everything, so that it is the missing home alone that is in the way.
  cpSync(project.folder, ofStranger, { recursive: true });
  if (isRoot) execFileSync("chown", ["-R", `${stranger}:${stranger}`, ofStranger]);
  chmodSync(folder, 0o711);
  mkdirSync(withoutSkills);
});
after(() => removeFolder(folder));

const silences: [name: string, situation: Situation, only?: "settings"][] = [
  ["there is no Node on its PATH", { path: bare }],
  ["the Node on its PATH is too old", { path: withOldNode }],
  ["the project has the settings but not the skills", { cwd: withoutSkills }, "settings"],
  ["the user has no home, in no list either", { uid: stranger, cwd: ofStranger }],
  ["no event comes", { input: "" }],
  ["something else comes", { input: "[]" }],
];

for (const cli of settingsClis) {
  describe(`the hook of ${cli}, run as its CLI runs it`, () => {
    it("answers as soon as the whole event is there, also where the pipe stays open", async () => {
      for (const hook of hooksOf(cli)) {
        for (const more of [{}, { staysOpen: true }] as const) {
          const [event, answer] = answered[cli];
          const { ran, tookMs } = await fire(cli, hook, { event, ...more });
          assert.deepEqual([ran.code, ran.stderr], [0, ""]);
          assert.match(ran.stdout, answer);
          assert(tookMs < 3_500, `it took ${tookMs} ms`);
        }
      }
    });

    for (const [name, situation, only] of silences) {
      it(`is silent and no failure where ${name}`, async (t) => {
        if (situation.uid !== undefined && !isRoot) return t.skip("needs root, to be another user");
        const [ofSettings, ofPackage] = hooksOf(cli);
        for (const hook of only === "settings" ? [ofSettings] : [ofSettings, ofPackage]) {
          const { ran } = await fire(cli, hook, situation);
          assert.deepEqual(ran, { code: 0, stdout: "", stderr: "" }, hook.command);
        }
      });
    }
  });
}
