/** What git may start, whom it may ask, and what is shown of what it says. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { draft, scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { git, makeBareRepository } from "./git-remote.ts";
import { byHttp } from "./git-server.ts";
import { Laptop } from "./laptop.ts";
import { checkFailed } from "./sent-once.ts";

const who = ["--participant", "a", "--participant", "b"];
const opening = ["--topic", "Which store?", "--session", "talk", ...who, "--store", "git"];
const question = draft("REQUEST", "Files or SQLite?", { position: undefined });

const shellOnly = { skip: process.platform === "win32" && "needs a shell" };

function writeProgram(folder: string, name: string, ...lines: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${lines.join("\n")}\n`, { mode: 0o700 });
  return path;
}

describe("git and ssh", {
  skip: process.platform !== "linux" && "needs script of util-linux",
}, () => {
  it("find no terminal to ask at, also where the script was started at one", () => {
    const at = new Laptop(makeBareRepository());
    git(at.folder, "remote", "set-url", "origin", "ssh://host.invalid/x.git");
    const [bin, noted] = [makeScratchFolder(), join(at.home, "noted")];
    const ask = (name: string) =>
      `if (: </dev/tty) 2>/dev/null; then echo ${name} asks; else echo ${name} cannot; fi >>'${noted}'`;
    const own = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
    writeProgram(bin, "git", ask("git"), `exec ${own} "$@"`);
    const ssh = writeProgram(bin, "quiet-ssh", ask("ssh"), "exit 255");
    const atTerminal = (...words: string[]) => {
      const line = words.map((word) => `'${word}'`).join(" ");
      const PATH = `${bin}:${process.env["PATH"]}`;
      const env = { ...process.env, HOME: at.home, GIT_SSH_COMMAND: ssh, PATH };
      return spawnSync("script", ["-qec", line, "/dev/null"], {
        ...{ cwd: at.folder, encoding: "utf8", env },
      });
    };
    atTerminal("git", "ls-remote", "origin");
    const told = () => [...new Set(readFileSync(noted, "utf8").trim().split("\n"))].sort();
    assert.deepEqual(told(), ["git asks", "ssh asks"], "they would if they could");
    writeFileSync(noted, "");
    const { status, stdout } = atTerminal(process.execPath, scriptPath("init"), ...opening);
    assert.equal(status, 4, stdout);
    assert.deepEqual(told(), ["git cannot", "ssh cannot"]);
  });
});

describe("an address that the user's own settings turn into a program", shellOnly, () => {
  for (const [kind, said] of [
    ["insteadOf", /^error: "ext::\S+" is no address for sessions/],
    ["pushInsteadOf", /transport 'ext' not allowed/],
  ] as const)
    it(`runs nothing: ${kind}`, () => {
      const host = makeBareRepository();
      const at = new Laptop(host);
      const mark = join(at.home, "ran");
      const program = writeProgram(makeScratchFolder(), "program", `touch '${mark}'`);
      at.done("init", opening);
      const log = at.log("talk");
      at.set("protocol.ext.allow=always");
      at.set(`url.ext::${program}.${kind}=${host}`);
      git(at.folder, "commit", "--quiet", "--allow-empty", "-m", "one");
      const env = { ...process.env, HOME: at.home };
      spawnSync("git", ["push", host, "HEAD"], { cwd: at.folder, env });
      assert(existsSync(mark), "git alone does not run it");
      rmSync(mark);
      const sent = at.send("talk", "a", question);
      checkFailed(sent, { code: 4, said: /^error: .*transport 'ext' not allowed/ });
      const twice = at.run("init", [...opening.slice(0, 3), "other", ...opening.slice(4)]);
      checkFailed(twice, { code: kind === "insteadOf" ? 2 : 4, said });
      assert(!existsSync(mark), "it was run");
      assert.equal(at.log("talk"), log);
    });
});

it("what git says shows no token of the address that the user's own settings have", async () => {
  const way = await byHttp(makeBareRepository(), { password: "ana:open-sesame" });
  try {
    const at = new Laptop(makeBareRepository());
    git(at.folder, "remote", "set-url", "origin", way.url);
    at.set(`url.${way.url.replace("//", "//secret-token@")}.insteadOf=${way.url}`);
    const said = new RegExp(`could not read Password for '${new URL(way.url).origin}'`);
    checkFailed(at.run("init", opening), { code: 4, said });
  } finally {
    way.stop();
  }
});
