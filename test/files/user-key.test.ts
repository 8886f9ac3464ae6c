import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { makeOwnKey, readOwnKey } from "../../scripts-src/files/user-key.ts";
import { hasCode } from "../log/check-event-log.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

const key = { file: "some.key", bytes: 4, why: "it is a test's" };
const fresh = (bytes: number) => new Uint8Array(bytes).fill(0xab);

let home: string;
beforeEach(() => {
  home = makeScratchFolder();
});
afterEach(() => removeFolder(home));

function leave(content: string): string {
  const folder = join(home, ".consulta");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, key.file), content, { mode: 0o600 });
  return folder;
}

describe("a user's key", () => {
  for (const [what, content] of [
    ["empty", ""],
    ["zeros", "\0".repeat(9)],
  ] as const) {
    it(`that a power cut left ${what} is made anew`, () => {
      const folder = leave(content);
      assert.equal(readOwnKey(key, home), undefined);
      assert.equal(makeOwnKey(key, fresh, home), "abababab");
      assert.equal(readFileSync(join(folder, key.file), "utf8"), "abababab\n");
      assert.deepEqual(readdirSync(folder), [key.file]);
      assert.equal(
        makeOwnKey(key, () => assert.fail("there is one"), home),
        "abababab",
      );
    });
  }

  for (const content of ["x", "abab", "abab\0\0\0\0\n"]) {
    it(`that says ${JSON.stringify(content)} is left for its user to look at`, () => {
      const folder = leave(content);
      assert.throws(() => makeOwnKey(key, fresh, home), hasCode("REFUSED", /holds no key: remove/));
      assert.equal(readFileSync(join(folder, key.file), "utf8"), content);
    });
  }
});
