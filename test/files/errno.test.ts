import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { ConsultaError } from "../../scripts-src/base/errors.ts";
import { orNothing, orNothingAsync } from "../../scripts-src/files/errno.ts";

const refuse = () => {
  throw new ConsultaError("REFUSED", "it is a link");
};
const missing = () => readFileSync("/nowhere/at/all");
const bug = () => {
  throw new TypeError("x is not a function");
};

describe("a look that may find nothing", () => {
  for (const [name, look] of Object.entries({ refuse, missing })) {
    it(`finds nothing where it fails for what is on the disk: ${name}`, async () => {
      assert.equal(orNothing(look), undefined);
      assert.equal(await orNothingAsync(async () => look()), undefined);
    });
  }

  it("finds what is there", async () => {
    assert.equal(
      orNothing(() => 1),
      1,
    );
    assert.equal(await orNothingAsync(async () => 1), 1);
  });

  it("throws a bug on", async () => {
    assert.throws(() => orNothing(bug), TypeError);
    await assert.rejects(
      orNothingAsync(async () => bug()),
      TypeError,
    );
  });
});
