import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { exampleNames, playExample, reportFile } from "./examples.ts";

describe("the sessions of examples/, played anew", () => {
  for (const name of exampleNames) {
    it(`${name} ends in the report that lies beside it`, () => {
      const kept = readFileSync(reportFile(name), "utf8");
      const report = playExample(name);
      // What changed can be read, and kept, with `git diff`.
      if (report !== kept) writeFileSync(reportFile(name), report);
      assert.equal(report, kept);
    });
  }
});
