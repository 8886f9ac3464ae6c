import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { textOf, utf8Bytes } from "../../../scripts-src/brain/rules/searchable-text.ts";

describe("the text of a memory", () => {
  it("counts the bytes of UTF-8 as an encoder does", () => {
    const units = fc.string({ unit: "binary" });
    const halves = fc.string({
      unit: fc.constantFrom("a", "\u0436", "\u65e5", "\ud83d", "\ude00"),
    });
    fc.assert(
      fc.property(fc.oneof(units, halves), (text) => {
        assert.equal(utf8Bytes(text), Buffer.byteLength(text));
      }),
    );
  });

  it("is all that the value says", () => {
    assert.equal(textOf({ port: 3000, list: [true, null, "x"] }), "port\n3000\nlist\ntrue\nx");
    assert.equal(textOf("plain"), "plain");
  });
});
