import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { isInstalled } from "./is-installed.ts";

const before = process.env["CONSULTA_NO_SKIPS"];

describe("a program that is missing", () => {
  afterEach(() => {
    if (before === undefined) delete process.env["CONSULTA_NO_SKIPS"];
    else process.env["CONSULTA_NO_SKIPS"] = before;
  });

  it("lets the tests that need it be skipped", () => {
    delete process.env["CONSULTA_NO_SKIPS"];
    assert.equal(isInstalled("tmux", false), false);
  });

  it("is an error that names it where nothing may be skipped", () => {
    process.env["CONSULTA_NO_SKIPS"] = "1";
    assert.throws(() => isInstalled("tmux", false), /^Error: tmux is missing/);
    assert.equal(isInstalled("tmux", true), true);
  });
});
