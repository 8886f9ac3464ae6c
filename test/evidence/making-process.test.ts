import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ConsultaError } from "../../scripts-src/base/errors.ts";
import { readCitedLines } from "../../scripts-src/evidence/read-cited-file.ts";
import { scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { recordIn, Stage } from "./stage.ts";

const node = process.execPath;
const touch = [node, "-e", "require('fs').writeFileSync('made','')"];
const isMade = (at: Stage) => existsSync(join(at.folder, "made"));
const quoted = (words: string[]) => words.map((it) => `'${it.replaceAll("'", "'\\''")}'`).join(" ");

/** Runs check at a terminal where somebody types a line. */
function typed(at: Stage, line: string, env: Record<string, string> = {}) {
  const words = ["--session", "talk", "--participant", "gemini", "--run", "--", ...touch];
  const command = quoted([node, scriptPath("check"), ...words]);
  return spawnSync("script", ["-qec", command, "/dev/null"], {
    cwd: at.folder,
    input: `${line}\n`,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], ...at.variables(env) },
  });
}

describe("a person at a terminal", { skip: process.platform !== "linux" }, () => {
  it("is asked, and yes lets the command run once", () => {
    const at = new Stage();
    const ran = typed(at, "y");
    assert.equal(ran.status, 0, ran.stdout);
    assert.match(ran.stdout, /Run .* in .*\? It runs with all that you may do/);
    assert(isMade(at));
    assert.equal(at.records()[0]?.["met"], true);
  });

  it("did not allow it with anything but yes", () => {
    const at = new Stage();
    for (const said of ["n", "", "yess"]) {
      const ran = typed(at, said);
      assert.equal(ran.status, 2, ran.stdout);
      assert.match(ran.stdout, /you said no; the user can allow it: checks:/);
    }
    assert(!isMade(at));
    assert.deepEqual(at.records(), []);
  });

  it("is no AI CLI that types", () => {
    const at = new Stage();
    const ran = typed(at, "y", { GEMINI_CLI: "1" });
    assert.equal(ran.status, 2, ran.stdout);
    assert.doesNotMatch(ran.stdout, /\[y\/N\]/);
    assert(!isMade(at));
  });
});

/** Runs check as a child of a process that is called as a CLI is. */
function below(at: Stage, home: string, ...words: string[]) {
  const args = [scriptPath("check"), "--session", "talk", "--participant", "gemini", ...words];
  const code = `
    const { spawnSync } = require("child_process");
    const { PATH } = process.env;
    const ran = spawnSync(${JSON.stringify(node)}, ${JSON.stringify(args)}, { encoding: "utf8", env: { PATH, HOME: ${JSON.stringify(home)} } });
    console.log(JSON.stringify({ code: ran.status, stdout: ran.stdout, stderr: ran.stderr, pid: process.pid }));
  `;
  const { stdout, stderr } = spawnSync(node, ["-e", code], {
    argv0: "claude",
    cwd: at.folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], ...at.variables() },
  });
  assert.notEqual(stdout, "", stderr);
  return JSON.parse(stdout);
}

describe("an AI CLI", { skip: process.platform !== "linux" }, () => {
  it("stands in the records that it had made", () => {
    const at = new Stage();
    const ran = below(at, at.home, "--cite", "src/cache.ts:2", "--json");
    assert.equal(ran.code, 0, ran.stderr);
    const { process: made } = recordIn(ran);
    assert(typeof made === "object" && made !== null && "cli" in made, ran.stdout);
    const { cli } = made;
    assert(typeof cli === "object" && cli !== null && "pid" in cli);
    assert.equal(cli.pid, ran.pid);
  });

  it("cannot bring settings of its own in another home", () => {
    const at = new Stage();
    const forged = new Stage();
    forged.allow(touch);
    const ran = below(at, forged.home, "--run", "--", ...touch);
    assert.deepEqual([ran.code, isMade(at)], [2, false], ran.stderr);
    assert.match(ran.stderr, /HOME is another one here than that of Claude Code/);
    at.allow(touch);
    assert.equal(below(at, at.home, "--run", "--", ...touch).code, 0);
    assert(isMade(at));
  });
});

/** What stands before the last of so many lines, each of which holds its number. */
function lastTwoOf(count: number): string[] {
  return [count - 3, count - 2].filter((it) => it >= 0).map(String);
}

describe("a file that changes while it is read", () => {
  it("is read as it was at one moment, or refused", async () => {
    const project = makeScratchFolder();
    const code = `
      const fs = require("fs");
      const file = fs.openSync("text.txt", "a");
      console.log("ready");
      for (let next = 0; ; next += 100) {
        if (next % 200000 === 0) {
          fs.ftruncateSync(file, 0);
          next = 0;
        }
        fs.writeSync(file, Array.from({ length: 100 }, (_, at) => next + at + "\\n").join(""));
      }
    `;
    const writer = spawn(node, ["-e", code], {
      cwd: project,
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((done) => writer.stdout.once("data", done));
    let refused = 0;
    try {
      const until = Date.now() + 20_000;
      for (let round = 0; round < 40 || (refused === 0 && Date.now() < until); round += 1) {
        try {
          const lines = readCitedLines(project, "text.txt") ?? [];
          // The last line may be half written; those before it are in their order.
          assert.deepEqual(lines.slice(-3, -1), lastTwoOf(lines.length));
        } catch (cause) {
          assert(cause instanceof ConsultaError, String(cause));
          assert.match(cause.message, /changed while it was read/);
          refused += 1;
        }
      }
    } finally {
      writer.kill("SIGKILL");
    }
    assert(refused > 0, "the writer was too slow to show anything");
  });

  it("is refused when a link took the place of its folder", () => {
    const at = new Stage();
    const other = makeScratchFolder();
    renameSync(join(at.folder, "src"), join(other, "src"));
    spawnSync("ln", ["-s", join(other, "src"), join(at.folder, "src")]);
    const ran = at.check("gemini", "--cite", "src/cache.ts:2");
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /link/);
  });
});
