import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeScratchFolder } from "../scratch-folder.ts";
import { reportText } from "./board.ts";

// Folders that reports are about, with git and without.

export const scratch = makeScratchFolder();

export function git(dir: string, ...words: string[]): string {
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=m"];
  // Neither the machine's own settings nor a hook that runs the tests have a say in them.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  const alone = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const env = { ...Object.fromEntries(inherited), ...alone };
  return execFileSync("git", ["-C", dir, ...who, ...words], { env, encoding: "utf8" }).trim();
}

export function write(path: string, ...lines: string[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
}

export const source = ["one", "two", "three", "four", "five", "six"];
let count = 0;

/**
 * A folder of its own with `src/a.rs`; with a commit unless told otherwise. Readers compare lines only
 * where it lies `within` their project.
 */
export function worktree(name = "pika", { commits = true, within = scratch } = {}): string {
  count += 1;
  const dir = join(within, String(count), name);
  write(join(dir, "src/a.rs"), ...source);
  write(join(dir, "src/b.rs"), "b one", "b two");
  if (!commits) return dir;
  git(dir, "init", "-q");
  git(dir, "add", ".");
  git(dir, "commit", "-qm", "first");
  return dir;
}

export function reportOn(dirs: string[], summary: string, investigated: string[] = []): string {
  return reportText({ directories: dirs, summary, investigated });
}
