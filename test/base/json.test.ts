import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseJson, parseJsonObject, parseStrictJson, quote } from "../../scripts-src/base/json.ts";
import { limits } from "../../scripts-src/base/limits.ts";
import { visibleText } from "../../scripts-src/base/visible-text.ts";
import { cpuMs } from "../cpu-time.ts";
import { hasCode } from "../log/check-event-log.ts";

const parse = (text: string) => parseStrictJson(text, "the message");
const nested = (open: string, close: string, levels: number) =>
  open.repeat(levels) + close.repeat(levels);
const deepObject = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;

describe("JSON that may be half written", () => {
  it("is what it holds, or nothing", () => {
    assert.deepEqual([parseJson('{"a":[1]}'), parseJson("null")], [{ a: [1] }, null]);
    for (const torn of ["", '{"a":', "\0\0"]) assert.equal(parseJson(torn), undefined);
  });

  it("is an object, or nothing", () => {
    assert.deepEqual(parseJsonObject('{"a":1}'), { a: 1 });
    for (const other of ["[1]", "null", "1", '"a"', '{"a":'])
      assert.equal(parseJsonObject(other), undefined);
  });
});

describe("strict JSON", () => {
  it("gives what JSON.parse gives for any value without repeated keys", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        assert.deepEqual(parse(text), JSON.parse(text));
      }),
    );
  });

  it("takes what looks like structure inside strings for text", () => {
    const value = { 'a"{[': '{"a":1,"a":2}', "\\": ["]", '\\"}: '], b: '": "b": ' };
    assert.deepEqual(parse(JSON.stringify(value)), value);
  });

  it("reads the same key in different objects", () => {
    assert.deepEqual(parse('[{"a":1},{"a":{"a":2}}]'), [{ a: 1 }, { a: { a: 2 } }]);
  });

  it("keeps __proto__ as a plain key", () => {
    const value = parse('{"__proto__":{"polluted":true}}');
    assert(typeof value === "object" && value !== null);
    assert(Object.hasOwn(value, "__proto__"));
    assert.equal("polluted" in value, false);
  });

  const repeated: [name: string, text: string][] = [
    ["as it stands", '{"a":1,"b":2,"a":3}'],
    ["escaped", '{"a":1,"\\u0061":2}'],
    ["with an escaped solidus", '{"/":1,"\\/":2}'],
    ["deep inside", '[{"x":[{"a":1,\n "a" : 2}]}]'],
    ["after an inner object", '{"a":{"b":1},"a":2}'],
    ["named __proto__", '{"__proto__":1,"__proto__":2}'],
    ["empty", '{"":1,"":2}'],
    ["after 64 blanks", `{"a"${" ".repeat(64)}:1,"a":2}`],
    ["after a thousand line feeds", `{"a"${"\n".repeat(1_000)}:1,"a":2}`],
  ];
  for (const [name, text] of repeated) {
    it(`refuses a repeated key ${name}`, () => {
      assert.throws(() => parse(text), hasCode("REFUSED", /^the message has the key .* twice/));
    });
  }

  it("reads as many levels as the limit and not one more", () => {
    const { depthLevels } = limits;
    assert(parse(nested("[", "]", depthLevels)));
    assert(parse(deepObject(depthLevels)));
    const fault = hasCode("REFUSED", /nested deeper than 32 levels; flatten it/);
    assert.throws(() => parse(nested("[", "]", depthLevels + 1)), fault);
    assert.throws(() => parse(deepObject(depthLevels + 1)), fault);
    assert.throws(() => parse(nested("[", "]", 500_000)), fault);
  });

  for (const text of ["", " ", "{", "{'a':1}", "NaN", "[1,]", '{"a":1}x', '"\n"', "\u0000"]) {
    it(`refuses ${JSON.stringify(text)} as no JSON`, () => {
      assert.throws(() => parse(text), hasCode("REFUSED", /^the message is not JSON: /));
    });
  }

  const large: [name: string, text: string][] = [
    ["plain letters", JSON.stringify("a".repeat(limits.messageBytes - 2))],
    ["escaped quotes", `"${'\\"'.repeat(limits.messageBytes / 2 - 1)}"`],
    ["escaped backslashes", `"${"\\\\".repeat(limits.messageBytes / 2 - 1)}"`],
    ["short keys", `{${Array.from({ length: 80_000 }, (_, at) => `"k${at}":0`).join()}}`],
    ["empty strings", `[${'"",'.repeat(300_000)}""]`],
    ["blanks", `[1${" ".repeat(limits.messageBytes - 4)}]`],
  ];
  for (const [name, text] of large) {
    it(`reads a mebibyte of ${name} in a moment`, { timeout: 60_000 }, () => {
      const started = cpuMs();
      parse(text);
      assert(cpuMs() - started < 1_500);
    });
  }
});

describe("a quoted value", () => {
  it("is short and shows controls and directions as escapes", () => {
    assert.equal(quote("a\u001b[31m\n\u202eb"), '"a\\u001b[31m\\n\\u202eb"');
    assert.equal(quote(undefined), "undefined");
    assert.equal(quote("x".repeat(1_000)).length, 80);
  });

  it("leaves line feeds and tabs of running text alone", () => {
    assert.equal(visibleText("a\n\tb\r\u0085\u2028"), "a\n\tb\\u000d\\u0085\\u2028");
  });
});
