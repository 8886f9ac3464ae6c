/** What Consulta asks of git, looked at from the oldest git that it promises to work with. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { it } from "node:test";
import { draft } from "../dialogue/project.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const oldest = "2.25";

/**
 * Every command and option that git 2.25 has of those that we use. Before another one is added here it is
 * looked up in git's release notes: what came later makes sessions fail where git is old.
 */
const known: Readonly<Record<string, readonly string[]>> = {
  "cat-file": ["--batch", "--batch-check"],
  config: ["--get", "--get-all", "--null"],
  "diff-tree": ["--stdin", "-r", "--root", "--no-renames", "-z"],
  "fast-import": ["--quiet", "--done", "--force", "--date-format"],
  fetch: ["--quiet", "--no-tags"],
  "for-each-ref": ["--count", "--format"],
  "hash-object": ["-t", "-w", "--stdin"],
  init: ["--quiet", "--bare", "--template"],
  "ls-remote": ["--refs", "--get-url"],
  "ls-tree": ["-r", "-t", "-z", "-l", "--full-tree"],
  "merge-base": ["--is-ancestor"],
  push: ["--no-verify", "--no-signed", "--porcelain", "--quiet"],
  remote: ["--push"],
  repack: ["-a", "-d", "-k", "-l", "-n", "-q"],
  "rev-list": ["--topo-order", "--reverse", "--parents", "--max-count"],
  "rev-parse": ["--verify", "--quiet", "--git-common-dir"],
  "update-ref": [],
};

/** A git that writes down how it is called, and does it. */
class WatchedGit {
  readonly folder = join(makeScratchFolder(), "bin");
  readonly #calls = join(this.folder, "calls");

  constructor() {
    mkdirSync(this.folder, { recursive: true });
    const real = execFileSync("sh", ["-c", "command -v git"]).toString().trim();
    const note = `printf '%s\\037' "$@" >> '${this.#calls}'; printf '\\n' >> '${this.#calls}'`;
    writeFileSync(join(this.folder, "git"), `#!/bin/sh\n${note}\nexec '${real}' "$@"\n`);
    chmodSync(join(this.folder, "git"), 0o755);
  }

  get environment(): Record<string, string> {
    return { PATH: `${this.folder}${delimiter}${process.env["PATH"]}` };
  }

  /** The command of each call, and its options. */
  calls(): { command: string; options: string[] }[] {
    return readFileSync(this.#calls, "utf8")
      .split("\u001f\n")
      .filter((line) => line !== "")
      .map((line) => {
        const words = line.split("\u001f");
        while (words[0] === "-c") words.splice(0, 2);
        const [command = "", ...rest] = words;
        const end = rest.indexOf("--");
        const options = (end < 0 ? rest : rest.slice(0, end)).filter((it) => it.startsWith("-"));
        return { command, options: options.map((it) => it.split("=")[0] ?? "") };
      });
  }
}

it(`asks nothing of git that ${oldest} does not have`, {
  skip: process.platform === "win32",
}, () => {
  const watched = new WatchedGit();
  const host = makeBareRepository();
  const [ana, bo] = [new Laptop(host), new Laptop(host)];
  const key = join(ana.home, "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key]);
  for (const { home } of [ana, bo]) {
    writeFileSync(join(home, ".gitconfig"), `[user]\n\tsigningkey = ${key}\n`);
    mkdirSync(join(home, ".consulta"), { mode: 0o700 });
    const line = `claude,gemini,user ${readFileSync(`${key}.pub`, "utf8")}`;
    writeFileSync(join(home, ".consulta", "allowed_signers"), line, { mode: 0o600 });
  }
  const run = (at: Laptop, script: string, words: string[], input = "") => {
    const ran = at.run(script, words, input, { env: watched.environment });
    assert.equal(ran.code, 0, `${script} ${words.join(" ")}: ${ran.stderr}`);
  };
  const who = ["--participant", "claude", "--participant", "gemini"];
  const question = JSON.stringify(draft("REQUEST", "Files or SQLite?", { position: undefined }));
  for (const [id, signed] of [
    ["plain", []],
    ["signed", ["--signed"]],
  ] as const) {
    const at = ["--session", id];
    run(ana, "init", ["--topic", "Which store?", ...at, ...who, "--store", "git", ...signed]);
    run(bo, "join", [id, ...signed]);
    const append = [...at, "--participant", "claude", "--message", "-"];
    run(ana, "append-event", append, question);
    run(bo, "wait-for-turn", [...at, "--participant", "gemini", "--timeout", "30"]);
    run(bo, "step-in", ["say", "Keep it short.", ...at]);
    run(ana, "validate", at);
  }
  const board = [".consulta/sessions/causes", "2", "600"];
  run(ana, "init", [...board, "--store", "git"]);
  run(bo, "status", ["--store", "git"]);
  const calls = watched.calls();
  const used = new Set(calls.map(({ command }) => command));
  for (const command of ["push", "fetch", "fast-import", "hash-object", "ls-tree"])
    assert(used.has(command), `${command} was looked at`);
  const later = calls.flatMap(({ command, options }) => {
    const there = known[command];
    if (there === undefined) return [command];
    return options.filter((it) => !there.includes(it)).map((it) => `${command} ${it}`);
  });
  assert.deepEqual([...new Set(later)], [], `not known to be in git ${oldest}`);
});
