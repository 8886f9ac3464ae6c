import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { sha256 } from "../../scripts-src/files/hash.ts";
import { Machine, type Ran, repository } from "../install/machine.ts";
import { hasThreads, runInThread, runsInThread } from "../script-host.ts";

/** Below an AI CLI the scripts work in its project, and in what the user has let agents use. */

const machine = new Machine();
const other = join(machine.folder, "other");
const board = join(machine.folder, "board");
const secret = "the word that no other project may read";
const agent = { CLAUDECODE: "1" };

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
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...words], {
    cwd,
    env: environment,
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

const asAgent = (script: string, words: readonly string[], cwd = machine.project) =>
  run(cwd, script, words, agent);

/** The same, where it is refused before it does anything. */
const refusedAgent = (script: string, words: readonly string[]) =>
  run(machine.project, script, words, agent, hasThreads);

function done({ code, stdout, stderr }: Ran): string {
  assert.equal(code, 0, stderr);
  return stdout;
}

const two = ["--participant", "claude", "--participant", "gemini"];
const talk = (topic: string) => ["--topic", topic, "--session", "talk", ...two];
const terms = ["--objective", secret, "--completion", "it is done", ...two];
mkdirSync(other);
done(run(machine.project, "init", talk("mine")));
done(run(other, "init", talk(secret)));
done(run(other, "init", ["--folder", "docs/api", ...terms]));
done(run(other, "init", ["docs/board", "2"]));
// As the original scripts make one, of which this user's own know nothing.
done(run(other, "init", [board, "2"]));
const unknown = join(machine.folder, "unknown");
cpSync(board, unknown, { recursive: true });
symlinkSync(other, join(machine.project, "link"));
mkdirSync(join(machine.project, "sub"));

const inOther = (path: string) => join(other, path);
const session = inOther(".consulta/sessions/talk");
const by = ["--participant", "claude"];
const places: [name: string, words: string[], scripts: string[]][] = [
  [
    "the workspace of another project",
    ["--workspace", other],
    [
      "status",
      "report",
      "validate",
      "next-action",
      "append-event",
      "wait-for-turn",
      "profile",
    ].concat(["journal", "consult"]),
  ],
  ["the same by ..", ["--workspace", "../other"], ["status"]],
  ["the same by a link", ["--workspace", "link"], ["status"]],
  ["the same behind a link", ["--workspace", "link/docs"], ["status"]],
  ["the same by a prefix", [`--works=${other}`], ["status"]],
  ["what lies above", ["--workspace", ".."], ["status"]],
  [
    "a session of another project by its folder",
    ["--folder", session],
    ["status", "report", "validate", "next-action", "append-event", "wait-for-turn"],
  ],
  ["a collaboration of another project", ["--folder", inOther("docs/api")], ["status", "report"]],
  ["a collaboration by a link", ["--folder", "link/docs/api"], ["report"]],
  [
    "a board of another project",
    [inOther("docs/board"), "claude"],
    ["register", "poll", "read-all"],
  ],
  ["a board that somebody else made", [unknown, "claude"], ["register", "ready", "read-all"]],
  [
    "an inbox of another project",
    ["--inbox", inOther(".consulta/inbox-claude")],
    ["wait-for-turn"],
  ],
];

const needed: Readonly<Record<string, readonly string[]>> = {
  "next-action": by,
  "append-event": by,
  "wait-for-turn": [...by, "--timeout", "1"],
  journal: [...by, "--colleague", "gemini"],
  consult: ["Is it?"],
};

describe("an agent names", () => {
  for (const [name, words, scripts] of places) {
    for (const script of scripts) {
      it(`${name} to ${script}: rejected, with the command for the user`, () => {
        const before = snapshotOf(other);
        const { code, stdout, stderr } = refusedAgent(script, [
          ...words,
          ...(needed[script] ?? []),
        ]);
        // A board's poll says 2 for a deadline.
        assert.deepEqual([code, stdout], [script === "poll" ? 64 : 2, ""], stderr);
        assert.match(
          stderr,
          /outside of the project, which an agent may not .*in a terminal: (?:cd|node) /,
        );
        assert.doesNotMatch(stderr, new RegExp(secret));
        assert.equal(stderr.trim().split("\n").length, 1);
        assert.equal(snapshotOf(other), before);
      });
    }
  }

  it("a memory, a repository or files outside: rejected", () => {
    const external = [
      "--primary-deliverable-type",
      "documentation",
      "--deliverables-mode",
      "external",
    ];
    for (const [script, words] of [
      ["brain", ["process", "../secret"]],
      ["brain", ["import", "../secret"]],
      ["doctor", ["--into", other]],
      ["install", ["--dry-run", "--into", other]],
      ["init", ["--folder", "docs/x", ...terms, ...external, "--repo-root", "../../.."]],
      ["init", [...terms, ...external, "--repo-root", "../../../.."]],
      ["init", ["--folder", "~/x", ...terms]],
      ["init", [inOther("docs/board"), "2"]],
      ["wait-for-turn", ["--inbox", ".consulta/inbox-claude", "--presence", "../x.ready"]],
      ["wait-for-turn", ["--inbox", ".consulta/inbox-claude", "--presence", ".git/x.ready"]],
    ] as const) {
      const { code, stderr } = refusedAgent(script, words);
      assert.equal(code, 2, `${script} ${words.join(" ")}: ${stderr}`);
      assert.match(stderr, /which an agent may not/);
    }
    assert(!existsSync(join(machine.home, "x")));
  });
});

describe("an agent may use", () => {
  it("its own workspace, from the project, from below, and where a link leads to it", () => {
    symlinkSync(machine.project, join(machine.folder, "way"));
    for (const [words, cwd] of [
      [["--workspace", "."], machine.project],
      [["--workspace", machine.project], machine.project],
      [["--workspace", ".."], join(machine.project, "sub")],
      [[], join(machine.project, "sub")],
      [["--workspace", "."], join(machine.folder, "way")],
      [
        ["--folder", join(machine.project, ".consulta/sessions/talk")],
        join(machine.project, "sub"),
      ],
    ] as const) {
      assert.match(done(asAgent("status", words, cwd)), /mine/);
    }
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
    const { status, stderr } = spawnSync(
      "/bin/sh",
      ["-c", `PATH=${nodeFolder}:$PATH ${line}`],
      options,
    );
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
    const [main, tree] = ["main", "tree"].map((name) => join(machine.folder, name)) as [
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
    const liar = join(machine.folder, "liar");
    const isFar = (place: string, from: string) =>
      assert.match(
        asAgent("status", ["--workspace", place], from).stderr,
        /lies outside of the proj/,
      );
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
  it("whatever they like", () => {
    for (const words of [
      ["--workspace", other],
      ["--folder", session],
    ])
      assert.match(done(run(machine.project, "status", words)), new RegExp(secret));
  });

  it("a project whose own CLIs consult does not start, wherever PATH names them", () => {
    const modules = inOther("node_modules/.bin");
    mkdirSync(modules, { recursive: true });
    for (const name of ["claude", "gemini"])
      writeFileSync(join(modules, name), `#!/bin/sh\ntouch ${machine.folder}/ran\n`, {
        mode: 0o755,
      });
    for (const words of [
      ["--workspace", other, "Is it?"],
      ["--folder", session],
      [
        "--kind",
        "findings",
        "--participants",
        "a=claude,b=gemini",
        "--folder",
        inOther("b"),
        "Is it?",
      ],
    ]) {
      const { code, stderr } = run(machine.project, "consult", words, { PATH: modules });
      assert.equal(code, 4, stderr);
      assert.match(
        stderr,
        /was not found on PATH, nor where its installer puts it \(programs inside the project are never run\)/,
      );
    }
    assert(!existsSync(join(machine.folder, "ran")));
  });

  it("only a file for presence that holds nothing else", () => {
    mkdirSync(join(machine.project, ".consulta/inbox-claude"), { recursive: true });
    writeFileSync(join(machine.project, "kept.txt"), "kept");
    const words = ["--inbox", ".consulta/inbox-claude", "--timeout", "1", "--presence"];
    const { code, stderr } = run(machine.project, "wait-for-turn", [...words, "kept.txt"]);
    assert.equal(code, 2);
    assert.match(stderr, /NAME\.ready/);
    assert.equal(machine.read("kept.txt"), "kept");
    assert.equal(run(machine.project, "wait-for-turn", [...words, "x.ready"]).stdout, "TIMEOUT\n");
  });
});

const nodeFolder = join(process.execPath, "..");

/** The name of the note about a folder, as it was written when it was noted. */
function noteFor(folder: string): string {
  return `${sha256(folder).slice(0, 8)}.json`;
}

function snapshotOf(folder: string): string {
  return execFileSync("sh", ["-c", "find . -type f | sort | xargs md5sum"], {
    cwd: folder,
    encoding: "utf8",
  });
}
