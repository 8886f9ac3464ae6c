import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { readFiles } from "../../scripts-src/session/read-files.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

describe("the hash of a file", () => {
  let folder: string;
  before(() => {
    folder = makeScratchFolder();
  });
  after(() => removeFolder(folder));

  // Both what is read whole and what is not, and both what is hashed here and by node:crypto.
  for (const bytes of [0, 1, 63, 64, 65_535, 65_536, 65_537, 1_100_000]) {
    it(`is its SHA-256 for ${bytes} bytes`, async () => {
      const content = randomBytes(bytes);
      writeFileSync(join(folder, "artifact"), content);
      const files = await readFiles(folder, [{ path: "artifact", as: "sha256" }]);
      const sha256 = createHash("sha256").update(content).digest("hex");
      assert.deepEqual(files.get("artifact"), { bytes, sha256 });
    });
  }

  it("is missing for what is not there, no file, or a link", async () => {
    mkdirSync(join(folder, "folder"));
    writeFileSync(join(folder, "file"), "text");
    symlinkSync("file", join(folder, "link"));
    const wanted = ["absent", "folder", "link"].map((path) => ({ path, as: "sha256" }) as const);
    const files = await readFiles(folder, wanted);
    assert.equal(files.get("absent"), undefined);
    assert.equal(files.get("folder")?.fault, "is not a regular file");
    assert.match(files.get("link")?.fault ?? "", /is a link/);
    for (const fact of files.values()) assert.equal(fact.sha256, undefined);
  });
});
