import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, statSync, truncateSync, utimesSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

const runner = resolve(import.meta.dirname, "../../dist/run.cjs");
let folder = "";
beforeEach(() => {
  folder = makeScratchFolder();
});
afterEach(() => removeFolder(folder));

/** Runs `run.cjs`, whose caches are in this folder. */
function run(...words: string[]) {
  const env = { HOME: folder, PATH: process.env["PATH"], XDG_CACHE_HOME: join(folder, "caches") };
  const { status, stdout, stderr } = spawnSync(process.execPath, [runner, ...words], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("run.cjs", () => {
  it("runs the script that it is given", () => {
    assert.match(run("status", "--version").stdout, /^consulta \d/);
  });

  for (const [words, reason] of [
    [[], /^error: name a script, then its words: run\.cjs status --all\n$/],
    [["../../evil"], /^error: name a script/],
    [["evil"], /^error: there is no evil, but advise, append-event, .*\n$/],
  ] as const) {
    it(`says in one line what it runs: ${words}`, () => {
      const { status, stdout, stderr } = run(...words);
      assert.deepEqual([status, stdout], [4, ""]);
      assert.match(stderr, reason);
    });
  }
});

describe("compiled code", () => {
  const cacheFolder = () => join(folder, "caches/consulta");
  const cache = () => {
    const [name = "none", ...others] = readdirSync(cacheFolder());
    assert.deepEqual(others, []);
    return join(cacheFolder(), name);
  };
  const version = () => assert.match(run("status", "--version").stdout, /^consulta \d/);

  it("is kept by the first three runs, for its owner alone", () => {
    for (let runs = 0; runs < 3; runs += 1) {
      if (runs > 0) utimesSync(cache(), 1, 1);
      version();
      assert.notEqual(statSync(cache()).mtimeMs, 1_000);
    }
    utimesSync(cache(), 1, 1);
    version();
    assert.equal(statSync(cache()).mtimeMs, 1_000);
    assert.equal(statSync(cache()).mode & 0o077, 0);
    assert.equal(statSync(cacheFolder()).mode & 0o077, 0);
  });

  it("of another build, or torn, is made anew", () => {
    version();
    const { size } = statSync(cache());
    truncateSync(cache(), 10);
    version();
    assert.equal(statSync(cache()).size > size / 2, true);
  });

  for (const [place, mode] of [
    ["caches", 0o777],
    ["caches/consulta", 0o775],
  ] as const) {
    it(`is neither read nor kept where others may write to ${place}`, () => {
      mkdirSync(cacheFolder(), { recursive: true, mode: 0o700 });
      chmodSync(join(folder, place), mode);
      version();
      assert.deepEqual(readdirSync(cacheFolder()), []);
    });
  }
});
