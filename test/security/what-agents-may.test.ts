import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { sha256 } from "../../scripts-src/files/hash.ts";
import { Machine, type Ran, repository } from "../install/machine.ts";
import { hasThreads, runInThread, runsInThread } from "../script-host.ts";

/** Below an AI CLI the scripts work in its project, and in what the user has let agents use. */

const machine = new Machine();
const other = join(machine.folder, "other");
const board = join(machine.folder, "board");
const secret = "the word that no other project may read";

function run(
  cwd: string,
  script: string,
  words: readonly string[],
  more = {},
  isThreaded = runsInThread(script, words),
): Ran {
  const environment = { ...machine.environment, ...more };
  if (isThreaded) return runInThread({ script, args: words, input: "", environment }, cwd);
  const file = join(repository, "dist", `${script}.cjs`);
  const options = { cwd, env: environment, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...words], options);
  return { code: status, stdout, stderr };
}

const asAgent = (script: string, words: readonly string[], cwd = machine.project) =>
  run(cwd, script, words, { CLAUDECODE: "1" });

function done({ code, stdout, stderr }: Ran): string {
  assert.equal(code, 0, stderr);
  return stdout;
}

/**
 * A process with the name of an AI CLI above the scripts, and nothing in the environment that tells of
 * it: what a model does that takes the CLI's variables away.
 */
function below(
  name: string,
  script: string,
  words: readonly string[],
  env = machine.environment,
): Ran {
  const program = join(machine.bin, name);
  if (!existsSync(program)) symlinkSync("/bin/sh", program);
  const file = join(repository, "dist", `${script}.cjs`);
  // It is not to become the script, as a shell does with its last command.
  const line = ["-c", '"$@"; exit $?', name, process.execPath, file, ...words];
  const options = { cwd: machine.project, env, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(program, line, options);
  return { code: status, stdout, stderr };
}

symlinkSync("/bin/sh", join(machine.bin, "claude"));
const cli = spawn(join(machine.bin, "claude"), ["-c", "read never"], { env: machine.environment });
after(() => cli.stdin.end());

/** A script below such a process that is refused before it does anything. */
function refused(script: string, words: readonly string[]): Ran {
  if (!hasThreads) return below("claude", script, words);
  const { environment } = machine;
  return runInThread(
    { script, args: words, input: "", environment, parent: cli.pid },
    machine.project,
  );
}

const two = ["--participant", "claude", "--participant", "gemini"];
const talk = (topic: string) => ["--topic", topic, "--session", "talk", ...two];
const terms = ["--objective", "It", "--completion", "it is done", ...two];
const by = ["--participant", "claude"];
const inTalk = ["--session", "talk", ...by];
mkdirSync(other);
mkdirSync(join(machine.project, ".git"));
for (const name of [".env", ".git/config"]) writeFileSync(join(machine.project, name), "{}");
writeFileSync(join(machine.folder, "secret"), "{}");
done(run(machine.project, "init", talk("mine")));
done(run(other, "init", talk(secret)));
done(run(other, "init", ["--folder", "docs/api", "--objective", secret, ...terms.slice(2)]));
done(run(other, "init", ["docs/board", "2"]));
// As the original scripts make one, of which this user's own know nothing.
done(run(other, "init", [board, "2"]));
const unknown = join(machine.folder, "unknown");
cpSync(board, unknown, { recursive: true });
symlinkSync(other, join(machine.project, "link"));
symlinkSync("..", join(machine.project, "up"));
mkdirSync(join(machine.project, "sub"));

const inOther = (path: string) => join(other, path);
const session = inOther(".consulta/sessions/talk");
const inbox = ["--inbox", ".consulta/inbox-claude"];
const advice = ["advise", "--participant", "a", "--colleague", "claude", "--advice", "x.md"];
const external = ["--primary-deliverable-type", "documentation", "--deliverables-mode", "external"];
/** What an agent may not name or do, and the commands that it would use. */
const rejected: readonly [what: string, ...commands: string[][]][] = [
  [
    "the workspace of another project",
    ["status", "--workspace", other],
    ["report", "--workspace", other],
    ["validate", "--workspace", other],
    ["next-action", "--workspace", other, ...by],
    ["append-event", "--workspace", other, ...by],
    ["wait-for-turn", "--workspace", other, ...by, "--timeout", "1"],
    ["profile", "--workspace", other],
    ["journal", "--workspace", other, ...by, "--colleague", "gemini"],
    ["consult", "--workspace", other, "Is it?"],
    ["init", "--workspace", "..", "--topic", "x", ...two],
  ],
  [
    "it by another path",
    ["status", "--workspace", "../other"],
    ["status", "--workspace", "link"],
    ["status", "--workspace", "link/docs"],
    ["status", `--works=${other}`],
    ["status", "--workspace", ".."],
  ],
  [
    "a session of another project",
    ["status", "--folder", session],
    ["report", "--folder", session],
    ["validate", "--folder", session],
    ["next-action", "--folder", session, ...by],
    ["append-event", "--folder", session, ...by],
    ["wait-for-turn", "--folder", session, ...by, "--timeout", "1"],
    ["report", "--folder", inOther("docs/api")],
    ["report", "--folder", "link/docs/api"],
  ],
  [
    "a board of another project, or one that somebody else made",
    ["register", inOther("docs/board"), "claude"],
    ["poll", inOther("docs/board"), "claude"],
    ["read-all", inOther("docs/board"), "claude"],
    ["init", inOther("docs/board"), "2"],
    ["register", unknown, "claude"],
    ["ready", unknown, "claude"],
    ["read-all", unknown, "claude"],
  ],
  [
    "an inbox or a presence elsewhere",
    ["wait-for-turn", "--inbox", inOther(".consulta/inbox-claude"), "--timeout", "1"],
    ["wait-for-turn", ...inbox, "--presence", "../x.ready"],
    ["wait-for-turn", ...inbox, "--presence", ".git/x.ready"],
  ],
  [
    "a place for something new outside, by a link, or among settings",
    ["init", "--folder", "../ran", ...terms],
    ["init", "--folder", "up/ran", ...terms],
    ["init", "--folder", "~/ran", ...terms],
    ["init", "--folder", ".claude/rules", ...terms],
    ["init", ".git/board", "3"],
    ["init", "--folder", "docs/x", ...terms, ...external, "--repo-root", "../../.."],
    ["init", ...terms, ...external, "--repo-root", "../../../.."],
  ],
  [
    "a file outside, by a link, or hidden",
    ["append-event", ...inTalk, "--message", "../secret"],
    ["append-event", ...inTalk, "--message", "up/secret"],
    ["append-event", ...inTalk, "--message", ".git/config"],
    ["profile", ...by, "--write", "../secret"],
    ["brain", "store", "k/x", "--file", ".env"],
    ["brain", "process", "../secret"],
    ["brain", "import", "../secret"],
  ],
  [
    "any program, an install, or advice that is written",
    ["consult", "--participants", "a=command:touch ran,b=command:true", "Is it?"],
    ["install", "--hooks"],
    ["install", "--permissions"],
    ["install", "--remove"],
    ["install", "--into", ".."],
    ["install", "--dry-run", "--into", other],
    ["doctor", "--into", other],
    [...advice, "--apply"],
    [...advice, "--app"],
  ],
  [
    "what is the user's to say or to run",
    ["view"],
    ["decide", "--session", "talk", "Yes."],
    ["step-in", "say", "Yes.", "--session", "talk"],
    ["step-in", "pause", "--session", "talk"],
    ["notify", "--test"],
    ["verdict", "--session", "talk", "kept"],
    ["audit", "--session", "talk"],
    ["bench-audit", "--cli", "claude"],
  ],
];

describe("an agent is rejected, with the command for the user, when it names", () => {
  for (const [what, ...commands] of rejected) {
    for (const [script = "", ...words] of commands) {
      const shown = words.join(" ").replaceAll(machine.folder, "");
      it(`${what}: ${script} ${shown}`, () => {
        const before = [snapshotOf(other), snapshotOf(machine.project)];
        const { code, stdout, stderr } = refused(script, words);
        // A board's poll says 2 for a deadline.
        assert.deepEqual([code, stdout], [script === "poll" ? 64 : 2, ""], stderr);
        assert.match(stderr, /which an agent may not .*in a terminal: (?:cd|node) /);
        assert.doesNotMatch(stderr, new RegExp(secret));
        assert.equal(stderr.trim().split("\n").length, 1);
        assert.deepEqual([snapshotOf(other), snapshotOf(machine.project)], before);
        assert(![machine.folder, machine.home].some((it) => readdirSync(it).includes("ran")));
      });
    }
  }

  for (const name of ["claude", "gemini", "codex", "opencode", "agy", "cursor-agent"]) {
    it(`whatever the environment says, below ${name}`, () => {
      assert.equal(below(name, "install", []).code, 2);
    });
  }

  for (const name of ["CLAUDECODE", "GEMINI_CLI", "CODEX_THREAD_ID", "OPENCODE", "CURSOR_AGENT"]) {
    it(`with ${name} in the environment`, () => {
      assert.equal(run(machine.project, "install", [], { [name]: "1" }).code, 2);
    });
  }

  it("--allow-shared, unless the user's environment says so", () => {
    chmodSync(join(machine.project, ".consulta"), 0o777);
    for (const flag of ["--allow-shared", "--allow"]) {
      const { code, stdout, stderr } = refused("next-action", [...inTalk, flag]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(
        stderr,
        /^error: --allow-shared .*an agent may not .*CONSULTA_ALLOW_SHARED=1 in its environment\n$/,
      );
    }
    const shared = [...inTalk, "--allow-shared"];
    const environment = { ...machine.environment, CONSULTA_ALLOW_SHARED: "1" };
    assert.equal(below("claude", "next-action", shared, environment).code, 0);
    assert.equal(below("vim", "next-action", shared).code, 0);
    chmodSync(join(machine.project, ".consulta"), 0o700);
  });
});

describe("an agent may use", () => {
  it("its own workspace, from the project, from below, and where a link leads to it", () => {
    symlinkSync(machine.project, join(machine.folder, "way"));
    const mine = join(machine.project, ".consulta/sessions/talk");
    for (const [words, cwd] of [
      [["--workspace", "."], machine.project],
      [["--workspace", machine.project], machine.project],
      [["--workspace", ".."], join(machine.project, "sub")],
      [[], join(machine.project, "sub")],
      [["--workspace", "."], join(machine.folder, "way")],
      [["--folder", mine], join(machine.project, "sub")],
    ] as const) {
      assert.match(done(asAgent("status", words, cwd)), /mine/);
    }
  });

  it("drafts, among which it finds no link", () => {
    const drafts = join(machine.project, ".consulta/drafts");
    mkdirSync(drafts, { recursive: true });
    for (const name of ["any.json", "any.md"]) symlinkSync("../../.git/config", join(drafts, name));
    done(run(machine.project, "next-action", inTalk));
    assert.deepEqual(readdirSync(drafts), []);
  });

  it("what it needs, and a person everything", () => {
    const message = { type: "REQUEST", question_or_proposal: { content: "Is it?" } };
    writeFileSync(join(machine.project, "m.json"), JSON.stringify(message));
    done(below("claude", "append-event", [...inTalk, "--message", "m.json"]));
    done(below("claude", "install", ["--dry-run"]));
    // A known CLI may be run; that it is not installed is another matter.
    const bare = { CLAUDECODE: "1", PATH: "/usr/bin:/bin" };
    assert.equal(run(machine.project, "consult", ["Is it?"], bare).code, 4);
    done(below("claude", "init", ["--folder", "docs/x", ...terms]));
    for (const words of [
      ["--workspace", other],
      ["--folder", session],
    ])
      assert.match(done(below("vim", "status", words)), new RegExp(secret));
  });

  it("a board that was made with the user's consent, from every project", () => {
    assert.match(done(asAgent("register", [board, "claude"])), /Registered/);
    const lines = asAgent("next-action", ["--folder", board, ...by]).stdout.match(/^node .*/gm);
    assert((lines ?? []).length > 0);
    done(asAgent("read-all", [board, "claude"]));
  });

  it("a session elsewhere once the user has run the line that the refusal names", () => {
    const words = ["--folder", inOther("docs/api"), ...by];
    const [, line = ""] =
      /in a terminal: (node .*)$/m.exec(asAgent("next-action", words).stderr) ?? [];
    const options = { env: machine.environment, encoding: "utf8", cwd: machine.home } as const;
    const path = `PATH=${join(process.execPath, "..")}:$PATH`;
    const { status, stderr } = spawnSync("/bin/sh", ["-c", `${path} ${line}`], options);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /agents of yours may use \S+docs\/api from now on/);
    assert.match(done(asAgent("next-action", words)), /objective/);
    assert.equal(asAgent("next-action", ["--workspace", other, ...by]).code, 2);
  });

  it("nothing by a note that this user's scripts did not write", () => {
    const notes = join(machine.home, ".consulta/places");
    const own = readFileSync(join(notes, noteFor(inOther("docs/api"))), "utf8");
    const forged = own.replace("docs/api", "docs/board");
    for (const name of ["00000000.json", noteFor(inOther("docs/board"))])
      writeFileSync(join(notes, name), forged);
    assert.equal(asAgent("read-all", [inOther("docs/board"), "claude"]).code, 2);
  });

  it("the other worktrees of its repository, and none that only says so", () => {
    const [main, tree, liar] = ["main", "tree", "liar"].map((it) => join(machine.folder, it)) as [
      string,
      string,
      string,
    ];
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", main, "-c", "user.name=a", "-c", "user.email=a@b", ...words]);
    mkdirSync(main);
    git("init", "--quiet");
    git("commit", "--quiet", "--allow-empty", "-m", "x");
    git("worktree", "add", "--quiet", tree);
    done(run(main, "init", talk("shared")));
    assert.match(done(asAgent("status", ["--workspace", main], tree)), /shared/);
    assert.match(done(asAgent("status", ["--workspace", tree], main)), /shared/);
    const isFar = (place: string, from: string) => {
      const { stderr } = asAgent("status", ["--workspace", place], from);
      assert.match(stderr, /lies outside of the proj/);
    };
    mkdirSync(liar);
    writeFileSync(join(liar, ".git"), readFileSync(join(tree, ".git")));
    isFar(main, liar);
    mkdirSync(join(liar, "git/worktrees/x"), { recursive: true });
    writeFileSync(join(liar, "git/worktrees/x/gitdir"), `${join(main, ".git")}\n`);
    isFar(liar, main);
    // A file that somebody could put where the user keeps other things makes no worktree of that folder.
    const admin = join(main, ".git/worktrees/note");
    mkdirSync(admin);
    writeFileSync(join(admin, "gitdir"), `${join(liar, "note.txt")}\n`);
    writeFileSync(join(liar, "note.txt"), `gitdir: ${admin}\n`);
    isFar(liar, main);
  });
});

describe("a person names", () => {
  it("a project whose own CLIs consult does not start, wherever PATH names them", () => {
    const modules = inOther("node_modules/.bin");
    mkdirSync(modules, { recursive: true });
    const program = `#!/bin/sh\ntouch ${machine.folder}/ran\n`;
    for (const name of ["claude", "gemini"])
      writeFileSync(join(modules, name), program, { mode: 0o755 });
    const findings = ["--kind", "findings", "--participants", "a=claude,b=gemini"];
    for (const words of [
      ["--workspace", other, "Is it?"],
      ["--folder", session],
      [...findings, "--folder", inOther("b"), "Is it?"],
    ]) {
      const { code, stderr } = run(machine.project, "consult", words, { PATH: modules });
      assert.equal(code, 4, stderr);
      assert.match(stderr, /was not found on PATH, .*programs inside the project are never run\)/);
    }
    assert(!existsSync(join(machine.folder, "ran")));
  });

  it("only a file for presence that holds nothing else", () => {
    mkdirSync(join(machine.project, ".consulta/inbox-claude"), { recursive: true });
    writeFileSync(join(machine.project, "kept.txt"), "kept");
    const words = [...inbox, "--timeout", "1", "--presence"];
    const { code, stderr } = run(machine.project, "wait-for-turn", [...words, "kept.txt"]);
    assert.equal(code, 2);
    assert.match(stderr, /NAME\.ready/);
    assert.equal(machine.read("kept.txt"), "kept");
    assert.equal(run(machine.project, "wait-for-turn", [...words, "x.ready"]).stdout, "TIMEOUT\n");
  });
});

/** The name of the note about a folder, as it was written when it was noted. */
function noteFor(folder: string): string {
  return `${sha256(folder).slice(0, 8)}.json`;
}

/** All files of a folder with what is in them. */
function snapshotOf(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = all.filter((it) => it.isFile()).map((it) => join(it.parentPath, it.name));
  return paths.sort().map((path) => `${path} ${sha256(readFileSync(path))}`);
}
