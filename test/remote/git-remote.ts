import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeScratchFolder } from "../scratch-folder.ts";

/** A bare repository, as a host keeps one. */
export function makeBareRepository(): string {
  const folder = join(makeScratchFolder(), "host.git");
  git(".", "init", "--quiet", "--bare", folder);
  git(folder, "config", "http.receivepack", "true");
  return folder;
}

export function git(folder: string, ...words: readonly string[]): string {
  return gitWith(folder, "", ...words);
}

export function gitWith(
  folder: string,
  input: string | Uint8Array,
  ...words: readonly string[]
): string {
  const who = ["-c", "user.name=mallory", "-c", "user.email=m@localhost"];
  const stdio = ["pipe", "pipe", "ignore"] as const;
  const printed = execFileSync("git", ["-C", folder, ...who, ...words], {
    input,
    stdio: [...stdio],
  });
  return printed.toString().trim();
}

/** A hook of the host, as a line of a shell. */
export function setHook(host: string, name: string, line: string): void {
  const path = join(host, "hooks", name);
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}
