import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { draft } from "../dialogue/project.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";
import { oldest, WatchedGit } from "./watched-git.ts";

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
  watched.check("hash-object");
});
