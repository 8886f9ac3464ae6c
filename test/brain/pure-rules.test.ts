import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { echoOf } from "../../scripts-src/core/brain/echo.ts";
import { fitsPattern, literalStart } from "../../scripts-src/core/brain/key-pattern.ts";
import {
  partsOf,
  textOf,
  utf8Bytes,
  wordsInNames,
} from "../../scripts-src/core/brain/memory-text.ts";
import {
  commonFrom,
  isRelevant,
  queryWords,
  type WordCount,
} from "../../scripts-src/core/brain/relevance.ts";
import { limits } from "../../scripts-src/core/limits.ts";

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

  const names: [name: string, parts: string[]][] = [
    ["parseHTTPHeader", ["parse", "HTTP", "Header"]],
    ["getURL", ["get", "URL"]],
    ["iPhone15Pro", ["i", "Phone15", "Pro"]],
    ["plain", ["plain"]],
  ];
  for (const [name, parts] of names) {
    it(`takes ${name} apart`, () => assert.deepEqual(partsOf(name), parts));
  }

  it("names only the words of compound names, in linear time", () => {
    assert.deepEqual(wordsInNames("use withTenant() and app_tenant, HTTP"), ["with", "Tenant"]);
    const from = performance.now();
    for (const word of ["a", "A", "\u0436", "aA", "Aa0"]) wordsInNames(word.repeat(65_536));
    assert(performance.now() - from < 2_000, "it takes longer than its length");
  });
});

describe("the words of a query", () => {
  it("are those that say something, each once", () => {
    const words = queryWords("How do I run the TESTS of parseConfig, and the tests again?");
    assert.deepEqual(words, ["run", "tests", "parseconfig", "parse", "config"]);
  });

  it("are bounded", () => {
    const text = Array.from({ length: 500 }, (_, index) => `oneTwo${index}`).join(" ");
    assert.equal(queryWords(text).length, limits.queryTerms);
  });

  it("are looked up unless too many memories hold them", () => {
    assert.deepEqual([10, 1_000, 100_000, 1_000_000].map(commonFrom), [50, 100, 10_000, 10_000]);
  });
});

describe("what is relevant", () => {
  const word = (name: string, isEveryday = false): WordCount => ({
    word: name,
    memories: 2,
    isEveryday,
  });
  const [staging, canary, test] = [word("staging"), word("canary"), word("test", true)];
  const parts = ["a", "b", "c", "d", "e"].map((name) => word(name));
  const fits: [name: string, fit: Parameters<typeof isRelevant>[0], expected: boolean][] = [
    ["enough", { score: 12, held: [staging, canary], all: [staging, canary, test] }, true],
    ["a low score", { score: 8, held: [staging, canary], all: [staging, canary] }, false],
    ["no telling word", { score: 12, held: [test], all: [test] }, false],
    [
      "a small part of a long prompt",
      { score: 12, held: [staging, canary], all: [staging, canary, ...parts] },
      false,
    ],
  ];
  for (const [name, fit, expected] of fits) {
    it(`is judged by ${name}`, () => assert.equal(isRelevant(fit, 220, 1.7), expected));
  }

  it("needs a higher score among more memories", () => {
    const fit = { score: 12, held: [staging, canary], all: [staging, canary] };
    assert.equal(isRelevant(fit, 1_000_000, 1.7), false);
  });

  it("knows an echo in other case and spacing, unless it is too short to tell", () => {
    assert.equal(echoOf(" Ship\n to  STAGING with make ship"), "ship to staging with make ship");
    assert.equal(echoOf("port 3000"), undefined);
  });
});

describe("a pattern of keys", () => {
  it("fits as a regular expression would", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "/", "\u{1f600}"), maxLength: 8 });
    const signs = fc.string({ unit: fc.constantFrom("a", "b", "/", "*", "?"), maxLength: 8 });
    fc.assert(
      fc.property(letters, signs, (key, pattern) => {
        const expression = pattern.replaceAll("*", ".*").replaceAll("?", ".");
        assert.equal(fitsPattern(key, pattern), new RegExp(`^${expression}$`, "u").test(key));
        if (fitsPattern(key, pattern)) assert(key.startsWith(literalStart(pattern)));
      }),
    );
  });

  it("takes bounded time", () => {
    const from = performance.now();
    fitsPattern("a".repeat(512), `${"*a".repeat(200)}b`);
    assert(performance.now() - from < 500);
  });
});
