/**
 * An annex can be removed: its folder, the scripts that are about it, and in what is left the lines that name it.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, describe, it } from "node:test";
import { makeScratchFolder, removeFolder } from "./scratch-folder.ts";

const annexes: readonly [
  folder: string,
  scripts: readonly string[],
  lines: number,
  named: RegExp,
][] = [
  ["brain", ["brain"], 6, /\.\.\/brain\/|checkBrain|brainModel|brainForHooks/],
  ["consult", ["audit", "bench-audit", "consult"], 0, /\/consult\//],
  ["pack", ["doctor", "install"], 0, /\/pack\//],
  ["remote", ["join"], 1, /\/remote\//],
  ["view", ["view"], 2, /\/view\/|keepExportedPage/],
];

const folder = makeScratchFolder();
after(() => removeFolder(folder));

function withoutAnnex(name: string, scripts: readonly string[], named: RegExp): number {
  cpSync("scripts-src", join(folder, "scripts-src"), { recursive: true });
  const gone = [name, ...scripts.map((it) => `cli/${it}.ts`)];
  for (const it of gone) rmSync(join(folder, "scripts-src", it), { recursive: true });
  let count = 0;
  const files = readdirSync(join(folder, "scripts-src"), { recursive: true, encoding: "utf8" });
  for (const file of files.filter((it) => /\.tsx?$/.test(it))) {
    const path = join(folder, "scripts-src", file);
    const lines = readFileSync(path, "utf8").split("\n");
    const kept = lines.filter((line) => !named.test(line) || /^\s*(?:\/\/|\/?\*)/.test(line));
    count += lines.length - kept.length;
    writeFileSync(path, kept.join("\n"));
  }
  return count;
}

describe("what is left compiles", () => {
  for (const [name, scripts, lines, named] of annexes)
    it(`without ${name}`, () => {
      rmSync(join(folder, "scripts-src"), { recursive: true, force: true });
      assert.equal(withoutAnnex(name, scripts, named), lines, "lines that name it");
      const config = JSON.parse(readFileSync("tsconfig.json", "utf8"));
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ ...config, include: ["scripts-src"] }),
      );
      cpSync("package.json", join(folder, "package.json"));
      if (!readdirSync(folder).includes("node_modules"))
        symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
      const tsc = join("node_modules", "typescript", "bin", "tsc");
      const ran = spawnSync(process.execPath, [tsc, "--noEmit"], { cwd: folder, encoding: "utf8" });
      assert.equal(ran.status, 0, ran.stdout);
    });
});
