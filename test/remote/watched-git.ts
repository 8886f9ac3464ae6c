/** What Consulta asks of git, looked at from the oldest git that it promises to work with. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { makeScratchFolder } from "../scratch-folder.ts";

export const oldest = "2.25";

/**
 * Every command and option that git 2.25 has of those that we use. Before another one is added here it is
 * looked up in git's release notes: what came later makes sessions fail where git is old.
 */
const known: Readonly<Record<string, readonly string[]>> = {
  "cat-file": ["--batch", "--batch-check", "-t"],
  config: ["--get", "--get-regexp", "--null"],
  "diff-tree": ["--stdin", "-r", "--root", "--no-renames", "-z"],
  "fast-import": ["--quiet", "--done", "--force", "--date-format"],
  fetch: ["--progress", "--no-tags"],
  "for-each-ref": ["--count", "--format"],
  "hash-object": ["-t", "-w", "--stdin"],
  init: ["--quiet", "--bare", "--template"],
  "ls-remote": ["--get-url"],
  "ls-tree": ["-r", "-t", "-z", "-l", "--full-tree"],
  "merge-base": ["--is-ancestor"],
  push: ["--no-verify", "--no-signed", "--porcelain", "--quiet"],
  remote: ["--push"],
  repack: ["-a", "-d", "-k", "-l", "-n", "-q"],
  "rev-list": ["--topo-order", "--reverse", "--parents", "--max-count"],
  "rev-parse": ["--verify", "--quiet", "--git-common-dir", "--show-prefix"],
  "update-ref": ["--stdin"],
};

/** A git that notes how it is called, and does it. */
export class WatchedGit {
  readonly folder = join(makeScratchFolder(), "bin");
  readonly #calls = join(this.folder, "calls");

  constructor() {
    mkdirSync(this.folder, { recursive: true });
    const real = execFileSync("sh", ["-c", "command -v git"]).toString().trim();
    // One write for each call: several run at once.
    const note = `words=$(printf '%s\\037' "$@")\nprintf '%s\\036\\n' "$words" >> '${this.#calls}'`;
    writeFileSync(join(this.folder, "git"), `#!/bin/sh\n${note}\nexec '${real}' "$@"\n`);
    chmodSync(join(this.folder, "git"), 0o755);
  }

  get environment(): Record<string, string> {
    return { PATH: `${this.folder}${delimiter}${process.env["PATH"]}` };
  }

  /** The command of each call, and its options. */
  calls(): { command: string; options: string[] }[] {
    return readFileSync(this.#calls, "utf8")
      .split("\u001f\u001e\n")
      .filter((line) => line !== "")
      .map((line) => {
        const words = line.split("\u001f");
        while (/^-c$/i.test(words[0] ?? "")) words.splice(0, 2);
        const [command = "", ...rest] = words;
        const end = rest.indexOf("--");
        const options = (end < 0 ? rest : rest.slice(0, end)).filter((it) => it.startsWith("-"));
        return { command, options: options.map((it) => it.split("=")[0] ?? "") };
      });
  }

  /** Fails where something was asked that the oldest git does not have, or where one of these was never asked. */
  check(...commands: readonly string[]): void {
    const calls = this.calls();
    const used = new Set(calls.map(({ command }) => command));
    for (const command of ["push", "fetch", "fast-import", "ls-tree", ...commands])
      assert(used.has(command), `${command} was looked at`);
    // A hook of the user's would look at what is no work of theirs.
    for (const { command, options } of calls)
      if (command === "push") assert(options.includes("--no-verify"), options.join(" "));
    const later = calls.flatMap(({ command, options }) => {
      const there = known[command];
      if (there === undefined) return [command];
      return options.filter((it) => !there.includes(it)).map((it) => `${command} ${it}`);
    });
    assert.deepEqual([...new Set(later)], [], `not known to be in git ${oldest}`);
  }
}
