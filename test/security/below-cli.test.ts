import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { Machine, type Ran, repository } from "../install/machine.ts";
import { hasThreads, runInThread } from "../script-host.ts";

/**
 * A process with the name of an AI CLI above the scripts, and nothing in the environment that tells of
 * it: what a model does that takes the CLI's variables away.
 */
function below(
  name: string,
  machine: Machine,
  script: string,
  words: readonly string[],
  environment = machine.environment,
): Ran {
  const program = join(machine.bin, name);
  if (!existsSync(program)) symlinkSync("/bin/sh", program);
  const file = join(repository, "dist", `${script}.cjs`);
  // It is not to become the script, as a shell does with its last command.
  const line = ["-c", '"$@"; exit $?', name, process.execPath, file, ...words];
  const options = { cwd: machine.project, env: environment, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(program, line, options);
  return { code: status, stdout, stderr };
}

/** Such a process, which lives as long as this file. */
const claude = new Machine();
symlinkSync("/bin/sh", join(claude.bin, "claude"));
const cli = spawn(join(claude.bin, "claude"), ["-c", "read never"], { env: claude.environment });
after(() => cli.stdin.end());

/** A script below it that is refused before it does anything. */
function refusedBelow(machine: Machine, script: string, words: readonly string[]): Ran {
  const { environment } = machine;
  if (!hasThreads) return below("claude", machine, script, words);
  const asked = { script, args: words, input: "", environment, parent: cli.pid };
  return runInThread(asked, machine.project);
}

const sessionOf = ["--objective", "x", "--completion", "y"].concat(
  "--participant",
  "a",
  "--participant",
  "b",
);
const rejected: [name: string, script: string, words: string[]][] = [
  [
    "any program as a participant",
    "consult",
    ["--participants", "a=command:touch ran,b=command:true", "Is it?"],
  ],
  ["an install", "install", ["--hooks"]],
  ["an install of rules", "install", ["--permissions"]],
  ["an install elsewhere", "install", ["--into", ".."]],
  ["a removal", "install", ["--remove"]],
  [
    "advice that is written",
    "advise",
    ["--participant", "a", "--colleague", "claude", "--advice", "x.md", "--apply"],
  ],
  [
    "the same by a prefix",
    "advise",
    ["--participant", "a", "--colleague", "claude", "--advice", "x.md", "--app"],
  ],
  ["the page, which acts for the user", "view", []],
  ["a decision of the user's", "decide", ["--session", "talk", "Yes."]],
  ["a word of the user's", "step-in", ["say", "Yes.", "--session", "talk"]],
  ["a pause by the user", "step-in", ["pause", "--session", "talk"]],
  ["a program of the user's", "notify", ["--test"]],
  ["a verdict of the user's", "verdict", ["--session", "talk", "kept"]],
  ["a collaboration outside", "init", ["--folder", "../ran", ...sessionOf]],
  ["a collaboration by a link", "init", ["--folder", "link/ran", ...sessionOf]],
  ["a collaboration among settings", "init", ["--folder", ".claude/rules", ...sessionOf]],
  ["a board among settings", "init", [".git/board", "3"]],
  ["a workspace outside", "init", ["--workspace", "..", "--topic", "x", ...sessionOf.slice(4)]],
  [
    "a message from outside",
    "append-event",
    ["--session", "talk", "--participant", "a", "--message", "../secret"],
  ],
  [
    "a message by a link",
    "append-event",
    ["--session", "talk", "--participant", "a", "--message", "link/secret"],
  ],
  ["a memory of a hidden file", "brain", ["store", "k/x", "--file", ".env"]],
  [
    "a message from a hidden folder",
    "append-event",
    ["--session", "talk", "--participant", "a", "--message", ".git/config"],
  ],
  ["a profile from outside", "profile", ["--participant", "a", "--write", "../secret"]],
];

function prepared(): Machine {
  const machine = new Machine();
  writeFileSync(join(machine.folder, "secret"), "{}");
  symlinkSync("..", join(machine.project, "link"));
  mkdirSync(join(machine.project, ".git"));
  for (const name of [".env", ".git/config"]) writeFileSync(join(machine.project, name), "{}");
  const opening = ["--topic", "x", "--session", "talk", "--participant", "a", "--participant", "b"];
  assert.equal(machine.run("init", opening).code, 0);
  return machine;
}

describe("below an AI CLI", () => {
  for (const [name, script, words] of rejected) {
    it(`rejects ${name}, with the command for the user`, () => {
      const machine = prepared();
      const before = machine.snapshot();
      const { code, stderr, stdout } = refusedBelow(machine, script, words);
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert.match(
        stderr,
        /an agent may not \(Claude Code runs this\).* in a terminal: cd \/\S+ && node \/\S+/,
      );
      assert.equal(stderr.trim().split("\n").length, 1);
      assert.deepEqual(machine.snapshot(), before);
      assert(!readdirSync(machine.folder).includes("ran"));
    });
  }

  for (const name of ["claude", "gemini", "codex", "opencode", "agy", "cursor-agent"]) {
    it(`knows ${name} by its process`, () => {
      assert.equal(below(name, prepared(), "install", []).code, 2);
    });
  }

  for (const name of ["CLAUDECODE", "GEMINI_CLI", "CODEX_THREAD_ID", "OPENCODE", "CURSOR_AGENT"]) {
    it(`knows it by ${name}`, () => {
      const machine = new Machine({ [name]: "1" });
      assert.equal(machine.run("install").code, 2);
    });
  }

  it("finds no link among the drafts, where a CLI lets it write to every name", () => {
    const machine = prepared();
    mkdirSync(join(machine.project, ".consulta/drafts"), { recursive: true });
    for (const name of ["any.json", "any.md"])
      symlinkSync("../../.git/config", join(machine.project, ".consulta/drafts", name));
    assert.equal(machine.run("next-action", ["--session", "talk", "--participant", "a"]).code, 0);
    assert.deepEqual(readdirSync(join(machine.project, ".consulta/drafts")), []);
  });

  it("rejects --allow-shared that an agent adds, and takes it where the user's environment says so", () => {
    const machine = prepared();
    chmodSync(join(machine.project, ".consulta"), 0o777);
    const next = ["--session", "talk", "--participant", "a"];
    for (const flag of ["--allow-shared", "--allow"]) {
      const { code, stdout, stderr } = refusedBelow(machine, "next-action", [...next, flag]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(
        stderr,
        /^error: --allow-shared .*an agent may not .*CONSULTA_ALLOW_SHARED=1 in its environment\n$/,
      );
    }
    const shared = [...next, "--allow-shared"];
    const own = new Machine({ CONSULTA_ALLOW_SHARED: "1" });
    assert.equal(below("claude", machine, "next-action", shared, own.environment).code, 0);
    assert.equal(below("vim", machine, "next-action", shared).code, 0);
  });

  it("leaves agents what they need, and a person everything", () => {
    const machine = prepared();
    writeFileSync(
      join(machine.project, "m.json"),
      '{"type":"REQUEST","question_or_proposal":{"content":"Is it?"}}',
    );
    const send = ["--session", "talk", "--participant", "a", "--message", "m.json"];
    assert.equal(below("claude", machine, "append-event", send).code, 0);
    assert.equal(below("claude", machine, "install", ["--dry-run"]).code, 0);
    // A known CLI may be run; that it is not installed is another matter.
    assert.equal(below("claude", machine, "consult", ["Is it?"]).code, 4);
    assert.equal(below("claude", machine, "init", ["--folder", "docs/x", ...sessionOf]).code, 0);
    assert.equal(below("vim", machine, "install", []).code, 0);
  });
});
