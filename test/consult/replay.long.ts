import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { codeCache } from "../code-cache.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { comparable } from "../trust/examples.ts";

const root = resolve(import.meta.dirname, "../..");
const example = "examples/durations-from-config";

/** A clone as it is before anything is installed: no node_modules, no CLI, no home. */
class Clone {
  readonly #scratch = makeScratchFolder();
  readonly folder = join(this.#scratch, "consulta");
  readonly temporary = join(this.#scratch, "tmp");

  constructor() {
    for (const name of ["dist", "examples", "skills"])
      cpSync(join(root, name), join(this.folder, name), { recursive: true });
    mkdirSync(this.temporary);
  }

  run(words: readonly string[], { cwd = this.folder, script = "dist/consult.cjs" } = {}) {
    const ran = spawnSync(process.execPath, [join(this.folder, script), ...words], {
      cwd,
      encoding: "utf8",
      env: {
        PATH: "/usr/bin:/bin",
        HOME: join(this.#scratch, "home"),
        XDG_CACHE_HOME: codeCache,
        TMPDIR: this.temporary,
      },
    });
    return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
  }

  edit(path: string, change: (text: string) => string): void {
    const file = join(this.folder, path);
    writeFileSync(file, change(readFileSync(file, "utf8")));
  }

  remove(): void {
    removeFolder(this.#scratch);
  }
}

describe("consult --replay", () => {
  let clone: Clone;
  before(() => {
    clone = new Clone();
  });
  after(() => clone.remove());

  it("plays the example of the README from a fresh clone, and ends in its report", () => {
    const { code, stdout, stderr } = clone.run(["--replay", example]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^REPLAY of a recorded session about ms 2\.1\.3.*: no model runs/);
    const numbers = [...stderr.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
    assert.deepEqual(
      numbers,
      Array.from({ length: 18 }, (_, index) => index + 2),
    );
    assert.match(stderr, /^16\. gemini runs node probe\.js: C9\.3 holds$/m);
    assert.match(
      stderr,
      /\nkept as .*report\.md\nCONSENSUS, 6 of 6 claims seen, 2 figures only said, not audited\n$/,
    );
    assert.match(
      stdout,
      /^\*\*CONSENSUS, 6 of 6 claims seen, 2 figures only said, not audited\*\*$/m,
    );
    assert.match(stdout, /^Nothing is only assumed\.$/m);
    assert.match(stdout, /^## What it rests on$/m);
    assert.doesNotMatch(stdout, /begun here/);
  });

  it("says the same every time, and leaves nothing in the folder that it runs in", () => {
    const names = readdirSync(clone.folder);
    const [one, other] = [clone.run(["--replay", example]), clone.run(["--replay", example])];
    assert.equal(comparable(one.stdout), comparable(other.stdout));
    assert.equal(comparable(one.stderr), comparable(other.stderr));
    assert.deepEqual(readdirSync(clone.folder), names);
  });

  it("runs an example's own probe as it is, also below a package of modules", () => {
    writeFileSync(join(clone.temporary, "package.json"), '{ "type": "module" }');
    for (const name of readdirSync(join(clone.folder, "examples"), { withFileTypes: true })) {
      if (!name.isDirectory()) continue;
      const { code, stdout, stderr } = clone.run(["--replay", `examples/${name.name}`]);
      assert.equal(code, 0, `${name.name}: ${stderr}`);
      assert.match(stdout, /^\*\*[A-Z]+.*\d of \d claims seen/m);
    }
    rmSync(join(clone.temporary, "package.json"));
  });

  it("leaves a session that the printed commands check", () => {
    const { stdout } = clone.run(["--replay", example]);
    const [, words = ""] =
      /replay every rule over it: node dist\/validate\.cjs (.*)$/m.exec(stdout) ?? [];
    const checked = clone.run(words.split(" "), { script: "dist/validate.cjs" });
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  });

  it("finds the examples by name, and beside a skill of the clone", () => {
    const elsewhere = { cwd: clone.temporary, script: "skills/consulta/scripts/consult.cjs" };
    const { code, stdout, stderr } = clone.run(["--replay", "escaping-names"], elsewhere);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^\*\*CONSENSUS, 3 of 4 claims seen, 1 assumed, not audited\*\*$/m);
  });

  it("plays no folder from elsewhere, whose commands nobody knows", () => {
    const copy = join(clone.temporary, "copy");
    cpSync(join(clone.folder, example), copy, { recursive: true });
    for (const given of [copy, "examples/durations"]) {
      const { code, stdout, stderr } = clone.run(["--replay", given]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /is no example of these scripts; .*examples\/durations-from-config/);
    }
  });

  it("stops at the step that the files no longer bear out", () => {
    const before = readdirSync(clone.temporary);
    clone.edit(`${example}/project/index.js`, (text) => text.replace("throw new Error", "return"));
    const { code, stdout, stderr } = clone.run(["--replay", example]);
    cpSync(join(root, "examples"), join(clone.folder, "examples"), { recursive: true });
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /step 2 of durations-from-config is no longer possible: /);
    assert.deepEqual(readdirSync(clone.temporary), before);
  });

  const wrong: [name: string, words: string[], reason: RegExp][] = [
    ["a question beside it", ["Why?", "--replay", example], /leave out a question/],
    ["another way to run", ["--replay", example, "--resume"], /leave out --resume/],
  ];
  for (const [name, words, reason] of wrong) {
    it(`rejects ${name}`, () => {
      const { code, stderr } = clone.run(words);
      assert.equal(code, 2);
      assert.match(stderr, reason);
    });
  }
});
