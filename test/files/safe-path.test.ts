import assert from "node:assert/strict";
import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ensureFolder, resolveProjectFile, safeJoin } from "../../scripts-src/files/safe-path.ts";
import { hasCode } from "../log/check-event-log.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

describe("safe paths", () => {
  let root: string;
  before(() => {
    root = makeScratchFolder();
    mkdirSync(join(root, "real", "inner"), { recursive: true });
    writeFileSync(join(root, "file"), "");
    symlinkSync(join(root, "real"), join(root, "link"), "junction");
    symlinkSync(join(root, "nowhere"), join(root, "dangling"), "junction");
  });
  after(() => removeFolder(root));

  it("join plain names, whether they exist or not", () => {
    assert.equal(
      safeJoin(root, "real", "inner", "new.txt"),
      join(root, "real", "inner", "new.txt"),
    );
    assert.equal(safeJoin(join(root, "none"), "x", "..."), join(root, "none", "x", "..."));
    assert.equal(safeJoin(root), root);
    assert.equal(safeJoin(root, "file", "below"), join(root, "file", "below"));
  });

  for (const name of ["", ".", "..", "a/b", "a\\b", "a\0b", "../up", "/abs"]) {
    it(`refuse ${JSON.stringify(name)} as a name`, () => {
      assert.throws(
        () => safeJoin(root, "real", name),
        hasCode("REFUSED", /cannot be part of a p/),
      );
      assert.throws(() => ensureFolder(root, name, "x"), hasCode("REFUSED", /cannot be part of a/));
    });
  }

  it("refuse links anywhere on the way, the root included", () => {
    const refusal = hasCode(
      "REFUSED",
      /link is a link; Consulta does not follow links: replace it/,
    );
    assert.throws(() => safeJoin(root, "link"), refusal);
    assert.throws(() => safeJoin(root, "link", "inner", "x"), refusal);
    assert.throws(() => safeJoin(join(root, "link"), "inner"), refusal);
    assert.throws(() => ensureFolder(root, "link", "new"), refusal);
    assert.throws(() => resolveProjectFile(root, "link/inner/x"), refusal);
    assert.throws(() => safeJoin(root, "dangling"), hasCode("REFUSED", /dangling is a link/));
    assert.throws(() => ensureFolder(root, "dangling"), hasCode("REFUSED", /dangling is a link/));
  });

  it("make missing folders for the owner only", () => {
    const path = ensureFolder(join(root, "new"), "a", "b");
    assert.equal(path, join(root, "new", "a", "b"));
    assert.equal(ensureFolder(join(root, "new"), "a", "b"), path);
    assert(statSync(path).isDirectory());
    if (process.platform === "win32") return;
    for (const made of [path, join(root, "new", "a"), join(root, "new")]) {
      assert.equal(statSync(made).mode & 0o777, 0o700);
    }
  });

  it("refuse a file where a folder has to be", () => {
    assert.throws(() => ensureFolder(root, "file"), hasCode("REFUSED", /file is not a folder/));
    assert.throws(
      () => ensureFolder(root, "file", "x"),
      hasCode("REFUSED", /file is not a folder/),
    );
  });

  it("refuse to make folders below a link that leads nowhere", () => {
    const below = join(root, "dangling", "x");
    assert.throws(() => ensureFolder(below), hasCode("REFUSED", /dangling cannot hold folders/));
  });

  it("resolve a project file that an agent names", () => {
    assert.equal(resolveProjectFile(root, "real/inner/x.ts"), join(root, "real", "inner", "x.ts"));
    assert.equal(resolveProjectFile(root, "./real//x"), join(root, "real", "x"));
  });

  for (const path of ["/etc/passwd", "../x", "a/../../x", "a\\x", "a\0", "", ".", "./"]) {
    it(`refuse ${JSON.stringify(path)} as a project file`, () => {
      assert.throws(() => resolveProjectFile(root, path), hasCode("REFUSED"));
    });
  }
});
