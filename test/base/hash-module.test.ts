import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { hashModuleSource } from "../../build/hash-module.ts";

describe("the module that hashes", () => {
  it("is what build/hash-module.ts makes", () => {
    const path = `${import.meta.dirname}/../../scripts-src/base/hash-module.ts`;
    assert.equal(readFileSync(path, "utf8"), hashModuleSource(), "run npm run build");
  });
});
