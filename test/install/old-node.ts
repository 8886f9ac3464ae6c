import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { bundleFile, sqliteFile } from "../../scripts-src/script/launch.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { repository } from "./machine.ts";

const scripts = readdirSync(join(repository, "dist"))
  .filter((name) => name.endsWith(".cjs") && !["run.cjs", bundleFile, sqliteFile].includes(name))
  .map((name) => name.slice(0, -".cjs".length));

/** Runs each script by a Node that is too old for it: it says so and does nothing, a hook in silence. */
export function checkOldNode(version: string, node: string, ...words: string[]): void {
  const folder = makeScratchFolder();
  try {
    for (const script of scripts) {
      const file = join(repository, "dist", `${script}.cjs`);
      const args = script === "init" ? ["--topic", "Which?"] : ["claude"];
      const { status, stdout, stderr } = spawnSync(node, [...words, file, ...args], {
        cwd: folder,
        env: { HOME: folder, PATH: process.env["PATH"] },
        input: JSON.stringify({ hook_event_name: "SessionStart", cwd: folder }),
        encoding: "utf8",
      });
      assert.deepEqual([status, stdout], [script === "hook" ? 0 : 4, ""], `${script}: ${stderr}`);
      const need = `error: Consulta needs Node 20.11 or newer, this is Node ${version} in `;
      const isTold = stderr.startsWith(need) && stderr.trimEnd().split("\n").length === 1;
      assert(script === "hook" ? stderr === "" : isTold, `${script}: ${stderr}`);
    }
    assert.deepEqual(readdirSync(folder), []);
  } finally {
    removeFolder(folder);
  }
}
