import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { skillNames } from "../../scripts-src/clis/skill-names.ts";
import { filesBelow } from "../../scripts-src/pack/pack.ts";
import { sqliteFile } from "../../scripts-src/script/launch.ts";
import { runInThread } from "../script-host.ts";
import { repository } from "./machine.ts";

const scripts = readdirSync(join(repository, "scripts-src/cli"))
  .filter((it) => it.endsWith(".ts"))
  .map((it) => basename(it, ".ts"));

/** What a skill's texts tell an agent or a user to run. */
function namedBy(skill: string): string[] {
  const folder = join(repository, "skills", skill);
  const texts = filesBelow(folder).filter((path) => path.endsWith(".md"));
  return texts.flatMap((path) =>
    [...readFileSync(join(folder, path), "utf8").matchAll(/([a-z-]+)\\?\.cjs\b/g)].map(
      ([, name = ""]) => name,
    ),
  );
}

describe("what ships", () => {
  for (const skill of skillNames) {
    const folder = join(repository, "skills", skill);
    const shipped = filesBelow(join(folder, "scripts"));

    it(`gives ${skill} the scripts that its texts name, what they need, and nothing else`, () => {
      const named = skill === "consulta" ? skillNames.flatMap(namedBy) : namedBy(skill);
      for (const name of named) assert(scripts.includes(name), name);
      const wanted = new Set(["consulta", "run", ...named]);
      const files = [...wanted].map((name) => `${name}.cjs`);
      assert.deepEqual(shipped, ["bell.sh", "opencode.mjs", sqliteFile, ...files].sort());
      // A line's end would become one of Windows in a checkout there, which no shell reads.
      assert.doesNotMatch(readFileSync(join(folder, "scripts", "bell.sh"), "utf8"), /[\r\n]/);
    });

    it(`runs every script of ${skill} in its copy`, () => {
      const own = join(folder, "scripts");
      const program = (folder: string, name: string) => readFileSync(join(folder, `${name}.cjs`));
      for (const name of scripts) {
        const asked = { script: name, args: ["--help"], input: "", environment: process.env };
        const { code, stderr } = runInThread({ ...asked, scripts: own }, repository);
        assert.equal(code, 0, `${name}: ${stderr}`);
        if (!shipped.includes(`${name}.cjs`)) continue;
        assert(program(own, name).equals(program(join(repository, "dist"), name)), name);
      }
      for (const words of [["brain.cjs"], ["run.cjs", "view"]]) {
        const [path = "", ...rest] = words;
        const ran = spawnSync(process.execPath, [join(own, path), ...rest, "--help"]);
        assert.equal(ran.status, 0, `${words}: ${ran.stderr}`);
      }
    });
  }

  it("has at most 88 files in all skills, and 3 MB in one", () => {
    const skills = join(repository, "skills");
    assert(filesBelow(skills).length <= 88, `${filesBelow(skills).length} files`);
    for (const skill of skillNames) {
      const files = filesBelow(join(skills, skill)).map((path) => join(skills, skill, path));
      const bytes = files.reduce((sum, path) => sum + readFileSync(path).length, 0);
      assert(bytes <= 3_000_000, `${skill} has ${bytes} bytes`);
    }
  });

  it("gives a workspace the watchers alone", () => {
    assert.deepEqual(filesBelow(join(repository, ".consulta/scripts")), [
      "wait-for-message.sh",
      "watcher.ps1",
      "watcher.sh",
    ]);
  });

  it("has each script in plain ASCII, and of a bounded size in all", () => {
    let bytes = 0;
    for (const path of filesBelow(join(repository, "dist"))) {
      const content = readFileSync(join(repository, "dist", path));
      assert(
        content.every((byte) => byte <= 0x7e),
        path,
      );
      if (path !== sqliteFile) bytes += content.length;
    }
    assert(bytes < 1_640_000, `dist/ has ${bytes} bytes beside ${sqliteFile}`);
  });

  it("has SQLite as WebAssembly in dist/ and in the skill brain alone", () => {
    const sizes = ["dist", ...skillNames.map((skill) => `skills/${skill}/scripts`)].map(
      (folder) => [folder, readFileSync(join(repository, folder, sqliteFile)).length] as const,
    );
    const large = sizes.filter(([, bytes]) => bytes > 300);
    assert.deepEqual(
      large.map(([folder]) => folder),
      ["dist", "skills/brain/scripts"],
    );
    assert(large.every(([, bytes]) => bytes < 650_000));
  });
});
