import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  makeUserKey,
  readSignedFile,
  readUserKey,
  writeSignedFile,
} from "../../scripts-src/files/user-key.ts";
import { hasCode } from "../log/check-event-log.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

let home: string;
beforeEach(() => {
  home = makeScratchFolder();
});
afterEach(() => removeFolder(home));

it("a file that was signed counts at its own path, as it was written, and under no other key", () => {
  const former = process.env["HOME"];
  process.env["HOME"] = home;
  const [path, other] = [join(home, "note"), join(home, "other")];
  writeSignedFile(path, "it");
  const signed = readFileSync(path, "utf8");
  assert.equal(readSignedFile(path, 1_000), "it");
  for (const forged of [`${signed}s`, `${"0".repeat(32)}\nit`, "it"]) {
    writeFileSync(path, forged);
    assert.equal(readSignedFile(path, 1_000), undefined, forged);
  }
  writeFileSync(other, signed);
  assert.equal(readSignedFile(other, 1_000), undefined, "at another path");
  process.env["HOME"] = former;
});

describe("a user's key", () => {
  it("is made once", () => {
    assert.equal(readUserKey(home), undefined);
    const key = makeUserKey(home);
    assert.match(key, /^[0-9a-f]{64}$/);
    assert.deepEqual([readUserKey(home), makeUserKey(home)], [key, key]);
  });

  for (const content of ["", "x", "ab".repeat(16), `${"ab".repeat(31)}\0\0\n`]) {
    it(`that says ${JSON.stringify(content)} is left for its user to look at`, () => {
      const folder = join(home, ".consulta");
      mkdirSync(folder, { mode: 0o700 });
      writeFileSync(join(folder, "user.key"), content, { mode: 0o600 });
      assert.throws(() => makeUserKey(home), hasCode("REFUSED", /holds no key: remove/));
      assert.equal(readFileSync(join(folder, "user.key"), "utf8"), content);
    });
  }
});
