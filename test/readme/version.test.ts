import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { bundleFile, sqliteFile } from "../../scripts-src/script/launch.ts";
import { root } from "./documents.ts";

const others = ["run.cjs", bundleFile, sqliteFile];
const isScript = (name: string) => name.endsWith(".cjs") && !others.includes(name);

it("each script tells its version", () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const script of readdirSync(join(root, "dist")).filter(isScript)) {
    const words = [join(root, "dist", script), "--version"];
    const { status, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
    assert.deepEqual([status, stdout], [0, `consulta ${version}\n`], script);
  }
});
