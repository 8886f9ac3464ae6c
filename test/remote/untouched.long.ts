/** A project in the middle of its user's work is left as it was, whatever is done in its sessions. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { draft } from "../dialogue/project.ts";
import { reportText } from "../findings/board.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { makeBareRepository, setHook } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const hooks = [
  ...["applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-checkout", "post-commit"],
  ...["post-index-change", "post-merge", "post-receive", "post-rewrite", "post-update"],
  ...["pre-auto-gc", "pre-commit", "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg"],
  ...["proc-receive", "push-to-checkout", "reference-transaction", "update"],
];

/** git in a project, as its user has it. */
function own(at: Pick<Laptop, "folder">, ...words: string[]): string {
  const who = ["-c", "user.name=ana", "-c", "user.email=ana@localhost"];
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_EDITOR: "true" };
  const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
  return execFileSync("git", ["-C", at.folder, ...who, ...words], { env, stdio }).toString();
}

/** A host with two commits on main. */
function makeHost(): string {
  const host = makeBareRepository();
  const seed = { folder: makeScratchFolder() };
  const write = (name: string, text: string) => writeFileSync(join(seed.folder, name), text);
  own(seed, "init", "--quiet", "--initial-branch=main");
  for (const name of ["a.txt", "b.txt", "d.txt"]) write(name, `${name}\n`);
  write(".gitignore", "*.log\n.consulta/\n");
  own(seed, "add", ".");
  own(seed, "commit", "--quiet", "-m", "one");
  write("a.txt", "theirs\n");
  own(seed, "commit", "--quiet", "-am", "two");
  own(seed, "push", "--quiet", host, "main");
  own({ folder: host }, "symbolic-ref", "HEAD", "refs/heads/main");
  return host;
}

/** Leaves a rebase in the middle, with all that a person may have in a project then. */
function work(at: Laptop): void {
  const write = (name: string, text: string) => writeFileSync(join(at.folder, name), text);
  own(at, "config", "gc.auto", "1");
  own(at, "config", "user.signingkey", "none");
  own(at, "checkout", "--quiet", "-b", "side", "HEAD~1");
  write("a.txt", "ours\n");
  own(at, "commit", "--quiet", "-am", "mine");
  write("b.txt", "stashed\n");
  write("u.txt", "stashed as well\n");
  own(at, "stash", "push", "--quiet", "--include-untracked");
  own(at, "tag", "here");
  const rebase = spawnSync("git", ["-C", at.folder, "rebase", "main"], {
    env: { ...process.env, GIT_COMMITTER_NAME: "ana", GIT_COMMITTER_EMAIL: "ana@localhost" },
  });
  assert.equal(rebase.status, 1, "it stops at a conflict");
  write("c.txt", "staged\n");
  own(at, "add", "c.txt");
  write("c.txt", "staged, then changed\n");
  write("d.txt", "changed\n");
  write("e.txt", "untracked\n");
  write("f.log", "ignored\n");
  for (const name of hooks) setHook(join(at.folder, ".git"), name, `echo ${name} >>'${mark(at)}'`);
}

const mark = ({ home }: Laptop) => join(home, "hooks-that-ran");

/** All of a project but what Consulta has there: each file with its bytes, its mode and when it was written. */
function stateOf(at: Laptop) {
  const files: Record<string, string> = {};
  const look = (folder: string, within: string) => {
    for (const name of readdirSync(folder)) {
      if (within === "" && name === ".consulta") continue;
      const path = join(folder, name);
      const status = lstatSync(path);
      if (status.isDirectory()) look(path, `${within}${name}/`);
      const hash = status.isFile() && createHash("sha256").update(readFileSync(path)).digest("hex");
      const when = status.isFile() ? status.mtimeMs : "";
      files[`${within}${name}`] = `${status.mode.toString(8)} ${when} ${hash}`;
    }
  };
  look(at.folder, "");
  const status = own(at, "status", "--porcelain=v2", "--branch", "--show-stash", "--ignored");
  return {
    files,
    status: status.split("\n").filter((line) => line !== "! .consulta/"),
    index: own(at, "ls-files", "--stage"),
    refs: own(at, "for-each-ref"),
    head: own(at, "rev-parse", "HEAD"),
    config: own(at, "config", "--local", "--list"),
    stash: own(at, "stash", "list"),
    hooks: spawnSync("cat", [mark(at)]).stdout.toString(),
  };
}

/** A dialogue of two machines, waited for, answered and ended. */
function talk(ana: Laptop, bo: Laptop): void {
  const who = ["--participant", "a", "--participant", "b"];
  const opening = ["--topic", "Which store?", "--session", "store", ...who, "--store", "git"];
  ana.done("init", opening);
  bo.done("join", ["store"]);
  ana.say("store", "a", draft("REQUEST", "Files or SQLite?", { position: undefined }));
  bo.done("wait-for-turn", ["--session", "store", "--participant", "b", "--timeout", "60"]);
  bo.say("store", "b", draft("RESPONSE", "Files."));
  assert.match(ana.next("store", "a").stdout, /Files\./);
  ana.say("store", "a", draft("AGREE", "Files it is."));
  bo.next("store", "b");
  bo.say("store", "b", draft("AGREE", "So be it."));
}

const skip = process.platform === "win32" && "needs hooks of a shell";
it("a project in the middle of work is left as it was", { skip, timeout: 240_000 }, () => {
  const host = makeHost();
  const machines = [new Laptop(host), new Laptop(host)] as const;
  const [ana, bo] = machines;
  for (const at of machines) work(at);
  const before = machines.map(stateOf);
  for (const { status, stash } of before) {
    const said = status.join("\n");
    for (const line of [/^u UU /m, /^1 AM /m, /^1 \.M /m, /^\? e\.txt$/m, /^! f\.log$/m])
      assert.match(said, line);
    assert.match(stash, /stash@\{0\}/);
  }

  const who = ["--participant", "a", "--participant", "b"];
  talk(ana, bo);
  const gates = ["--objective", "Agree", "--completion", "Agreed", "--session", "sync"];
  ana.done("init", [...gates, ...who, "--store", "git"]);
  bo.done("join", ["sync"]);
  ana.done("step-in", ["say", "Keep it short.", "--session", "sync"]);
  const blocked = ["--event", "blocked", "--reply-to", "1", "--summary", "Nothing goes"];
  bo.done("append-event", ["--session", "sync", "--participant", "b", ...blocked]);
  const board = ".consulta/sessions/causes";
  ana.done("init", [board, "2", "600", "--store", "git"]);
  bo.done("join", ["causes"]);
  bo.done("register", [board, "b"]);
  bo.done("post", [board, "b", "a cause", "--file", "-"], reportText());
  for (const at of machines) {
    for (const id of ["store", "sync", "causes"])
      assert.match(at.run("validate", ["--session", id]).stdout, /^validation passed/, id);
    at.done("status", ["--store", "git"]);
  }

  for (const [index, at] of machines.entries()) assert.deepEqual(stateOf(at), before[index]);
  // git itself still goes on from there, and runs the hooks.
  writeFileSync(join(ana.folder, "a.txt"), "both\n");
  own(ana, "add", "--all");
  own(ana, "rebase", "--continue");
  assert.match(stateOf(ana).hooks, /^reference-transaction$/m);
});

it("a session begun by a hook of another repository knows nothing of that", { skip }, () => {
  const [host, other] = [makeHost(), makeHost()];
  const hooked = new Laptop(other);
  const folder = join(hooked.folder, ".git");
  // What git tells its hooks.
  const environment = {
    ...{ GIT_DIR: folder, GIT_WORK_TREE: hooked.folder, GIT_INDEX_FILE: join(folder, "index") },
    ...{ GIT_OBJECT_DIRECTORY: join(folder, "objects"), GIT_PREFIX: "", GIT_EDITOR: ":" },
  };
  const [ana, bo] = [new Laptop(host, [], environment), new Laptop(host)];
  const before = [hooked, ana].map(stateOf);
  talk(ana, bo);
  assert.deepEqual([hooked, ana].map(stateOf), before);
  assert.equal(own({ folder: other }, "for-each-ref", "refs/consulta"), "");
});
