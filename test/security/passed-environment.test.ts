import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { codeCache } from "../code-cache.ts";
import { scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

const scratch = makeScratchFolder();
after(() => removeFolder(scratch));
let count = 0;

const given = {
  ...{ ANTHROPIC_API_KEY: "a", CLAUDE_CONFIG_DIR: "b", GEMINI_API_KEY: "c", OPENAI_API_KEY: "d" },
  ...{ AWS_SECRET_ACCESS_KEY: "e", GITHUB_TOKEN: "f", NODE_AUTH_TOKEN: "g", MY_PROXY_WORD: "h" },
  ...{ LANG: "C", LC_ALL: "C", https_proxy: "http://127.0.0.1:9", NODE_EXTRA_CA_CERTS: "/ca" },
};

/** What the programs of both sides saw, after one turn each that says nothing. */
function seen(participants: string, own = "", more: Record<string, string> = {}) {
  const folder = join(scratch, String(++count));
  const [home, bin, project] = ["home", "bin", "project"].map((name) => join(folder, name));
  assert(home !== undefined && bin !== undefined && project !== undefined);
  for (const path of [join(home, ".consulta"), bin, project])
    mkdirSync(path, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, ".consulta/config.yaml"), own);
  const file = join(folder, "seen");
  for (const name of ["claude", "gemini", "mine"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\nenv > "${file}-${name}"\nexit 1\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const words = ["--participants", participants, "--time-limit", "20", "Which?"];
  const ran = spawnSync(process.execPath, [scriptPath("consult"), ...words], {
    cwd: project,
    env: { PATH: `${bin}:/usr/bin:/bin`, HOME: home, XDG_CACHE_HOME: codeCache, ...given, ...more },
    timeout: 60_000,
    encoding: "utf8",
  });
  return (name: string) => {
    assert(existsSync(`${file}-${name}`), ran.stderr);
    const lines = readFileSync(`${file}-${name}`, "utf8").split("\n");
    return new Set(lines.map((line) => line.split("=")[0] ?? ""));
  };
}

function hasAll(names: ReadonlySet<string>, wanted: string[], unwanted: string[]): void {
  for (const name of wanted) assert(names.has(name), `${name} is missing`);
  for (const name of unwanted) assert(!names.has(name), `${name} was passed on`);
}

describe("a CLI that is driven", () => {
  it("has what every program needs and its own vendor's variables, and no others", () => {
    const claude = seen("a=claude,b=command:true")("claude");
    hasAll(
      claude,
      ["PATH", "HOME", "LANG", "LC_ALL", "https_proxy", "NODE_EXTRA_CA_CERTS", "CONSULTA_FOLDER"],
      ["GEMINI_API_KEY", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"],
    );
    hasAll(claude, ["ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR"], ["NODE_AUTH_TOKEN"]);
    const gemini = seen("a=gemini,b=command:true")("gemini");
    hasAll(gemini, ["GEMINI_API_KEY", "GEMINI_CLI_TRUST_WORKSPACE"], ["ANTHROPIC_API_KEY"]);
  });

  it("has AWS's where the user lets it work there", () => {
    const more = { CLAUDE_CODE_USE_BEDROCK: "1" };
    hasAll(seen("a=claude,b=command:true", "", more)("claude"), ["AWS_SECRET_ACCESS_KEY"], []);
  });

  it("has what the user names", () => {
    const named = "environment: [MY_PROXY_WORD]\n";
    const names = seen("a=claude,b=command:true", named)("claude");
    hasAll(names, ["MY_PROXY_WORD"], ["GITHUB_TOKEN"]);
  });

  it("has what the user's profile of it names", () => {
    const own = 'drivers: {mine: {command: mine, variables: ["MY_*"]}}\n';
    const names = seen("a=mine,b=command:true", own)("mine");
    hasAll(names, ["MY_PROXY_WORD", "PATH"], ["GITHUB_TOKEN", "ANTHROPIC_API_KEY"]);
  });
});

describe("a command line of the user", () => {
  it("has the whole environment", () => {
    hasAll(seen("a=command:mine,b=command:true")("mine"), Object.keys(given), []);
  });
});
