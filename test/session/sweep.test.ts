import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { Project } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";

/** Puts a file there that a writer of two hours ago never gave its name. */
function leave(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const path = join(folder, `.tmp-${pid}-dead`);
  writeFileSync(path, "half");
  const then = Date.now() / 1_000 - 7_200;
  utimesSync(path, then, then);
  return path;
}

it("what a crash left is swept by validate --repair", (t) => {
  const project = new Project();
  t.after(() => removeFolder(project.folder));
  mkdirSync(project.path());
  project.open("talk");
  const folders = [
    "inbox-gemini",
    "archive",
    "presence",
    "sessions",
    "sessions/talk",
    "journal",
    "drafts",
    "boards",
  ];
  const others = folders.map((name) => leave(project.path(name)));
  assert.equal(project.run("validate", ["--repair"]).code, 0);
  assert.deepEqual(
    others.filter((path) => existsSync(path)),
    [],
  );
});
