import assert from "node:assert/strict";
import { chownSync, existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { removeTree } from "../../scripts-src/files/safe-open.ts";
import { Project } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

const old = new Date("2020-01-01T00:00:00Z");

describe("removing a folder with all that it holds", () => {
  it("takes links away, and leaves what they lead to", (t) => {
    const scratch = makeScratchFolder();
    t.after(() => removeFolder(scratch));
    const [tree, loot] = [join(scratch, "tree"), join(scratch, "loot")];
    mkdirSync(join(tree, "deep", "deeper"), { recursive: true });
    mkdirSync(loot);
    writeFileSync(join(loot, "kept"), "kept");
    writeFileSync(join(tree, "deep", "gone"), "gone");
    symlinkSync(loot, join(tree, "deep", "link"));
    removeTree(tree);
    assert.deepEqual([existsSync(tree), existsSync(join(loot, "kept"))], [false, true]);
    symlinkSync(loot, tree);
    removeTree(tree);
    assert.deepEqual([existsSync(tree), existsSync(join(loot, "kept"))], [false, true]);
    removeTree(tree);
  });

  it("sweeps no half-made board of another user, and one's own", (t) => {
    if (process.getuid?.() !== 0) return t.skip("needs root, to be another user");
    const project = new Project();
    t.after(() => removeFolder(project.folder));
    const names = [".consulta-board-mine", ".consulta-board-theirs"];
    const [mine = "", theirs = ""] = names.map((name) => join(project.folder, name));
    for (const folder of [mine, theirs]) mkdirSync(join(folder, "findings"), { recursive: true });
    chownSync(theirs, 65_534, 65_534);
    for (const folder of [mine, theirs]) utimesSync(folder, old, old);
    assert.equal(project.run("init", [join(project.folder, "board"), "2"]).code, 0);
    assert.deepEqual([existsSync(mine), existsSync(theirs)], [false, true]);
  });
});
