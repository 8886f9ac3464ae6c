import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Ran, runProgram } from "./client.ts";
import type { Stage } from "./stage.ts";

const repository = resolve(import.meta.dirname, "../..");

/** What a clone has that matters to those who install it. */
const parts = [
  ...[".claude", ".claude-plugin", ".consulta/scripts", ".gemini", "commands", "dist", "hooks"],
  ...["skills", "README.md", "gemini-extension.json", "package.json"],
];

/** What `npm run extension` puts into the archive of a release. */
const ofExtension = [
  "LICENSE",
  "README.md",
  "gemini-extension.json",
  "commands",
  "hooks",
  "skills",
];

/** The extension as a release has it. */
export function copyExtension(folder: string): string {
  return copyPack(folder, ofExtension);
}

/** A copy of the pack as it is now, in a folder that only this test has. */
export function copyPack(folder: string, wanted = parts): string {
  const pack = join(folder, "pack");
  for (const part of wanted) {
    cpSync(join(repository, part), join(pack, part), { recursive: true });
  }
  return pack;
}

/** The same as a repository that can be cloned, by the address that Git takes. */
export function publishPack(folder: string): string {
  const pack = copyPack(join(folder, "published"));
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...words], {
      cwd: pack,
      env: { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: "pipe",
    });
  git("init", "-q", "-b", "main");
  git("add", "-A", "-f");
  git("commit", "-q", "-m", "the pack");
  mkdirSync(join(folder, "bare"));
  git("clone", "-q", "--bare", ".", join(folder, "bare", "pack.git"));
  return `file://${join(folder, "bare", "pack.git")}`;
}

/** Below the stage's own folder, so that it goes with it. */
export function besides(stage: Stage): string {
  return dirname(stage.project);
}

/** Runs a program in the project as its user does; it ends well. */
export async function run(stage: Stage, program: string, ...words: string[]): Promise<Ran> {
  const ran = await runProgram(program, words, stage.project, stage.environment());
  assert.equal(ran.exitCode, 0, `${program} ${words.join(" ")}\n${ran.stdout}\n${ran.stderr}`);
  return ran;
}
