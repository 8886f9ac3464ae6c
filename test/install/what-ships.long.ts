import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { skillNames } from "../../scripts-src/clis/skill-names.ts";
import { filesBelow } from "../../scripts-src/pack/pack.ts";
import { bundleFile } from "../../scripts-src/script/launch.ts";
import { repository } from "./machine.ts";

const scripts = readdirSync(join(repository, "scripts-src/cli"))
  .filter((it) => it.endsWith(".ts"))
  .map((it) => basename(it, ".ts"));

/** The scripts that a source names in a command: by file, by `commandLine`, or as a move's script. */
function printedBySources(): Set<string> {
  const folder = join(repository, "scripts-src");
  const text = filesBelow(folder)
    .filter((path) => path.endsWith(".ts") && !path.startsWith("cli/"))
    .map((path) => readFileSync(join(folder, path), "utf8"))
    .join("\n");
  const forms = [
    /([a-z-]+)\.cjs\b/g,
    /(?:commandLine|\bline|\bcommand)\(\s*"([a-z-]+)"/g,
    /\bname: "([a-z-]+)", words/g,
  ];
  const named = forms.flatMap((form) => [...text.matchAll(form)].map(([, name = ""]) => name));
  return new Set(named.filter((name) => scripts.includes(name)));
}

describe("what ships", () => {
  for (const skill of skillNames) {
    const folder = join(repository, "skills", skill);
    const shipped = filesBelow(join(folder, "scripts"));

    it(`gives ${skill} every script that its texts print`, () => {
      const texts = filesBelow(folder).filter((path) => !path.startsWith("scripts/"));
      const printed = texts.flatMap((path) =>
        [...readFileSync(join(folder, path), "utf8").matchAll(/([a-z-]+)\\?\.cjs\b/g)].map(
          ([, name = ""]) => name,
        ),
      );
      assert(printed.length > 0);
      for (const name of printed) assert(shipped.includes(`${name}.cjs`), name);
    });

    it(`gives ${skill} every script that its scripts print`, () => {
      const printed = printedBySources();
      for (const name of ["append-event", "hook", "install", "register", "wait-for-turn"])
        assert(printed.has(name), name);
      for (const name of printed) assert(shipped.includes(`${name}.cjs`), name);
    });

    it(`gives ${skill} the bundle, an entry for each script, and nothing else`, () => {
      const entries = scripts.map((name) => `${name}.cjs`);
      assert.deepEqual(shipped.toSorted(), [...entries, bundleFile, "version.json"].sort());
    });

    it(`runs every script of ${skill} in its copy`, () => {
      for (const name of scripts) {
        const path = `${name}.cjs`;
        const ran = spawnSync(process.execPath, [join(folder, "scripts", path), "--help"]);
        assert.equal(ran.status, 0, `${path}: ${ran.stderr}`);
      }
    });
  }

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
      bytes += content.length;
    }
    assert(bytes < 1_710_000, `dist/ has ${bytes} bytes`);
  });
});
