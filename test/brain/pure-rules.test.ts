import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { partsOf, wordsInNames } from "../../scripts-src/base/name-words.ts";
import { echoOf } from "../../scripts-src/brain/rules/echo.ts";
import { brainLimits } from "../../scripts-src/brain/rules/limits.ts";
import { fitsPattern, literalStart } from "../../scripts-src/brain/rules/memory-change.ts";
import { textOf, utf8Bytes } from "../../scripts-src/brain/rules/memory-text.ts";
import {
  commonFrom,
  type Fit,
  isRelevant,
  queryWords,
  relevance,
  relevantScore,
  typicalCharacters,
  type WordCount,
} from "../../scripts-src/brain/rules/relevance.ts";
import { searchWords } from "../../scripts-src/brain/rules/search-words.ts";
import { cpuMs } from "../cpu-time.ts";

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
    const from = cpuMs();
    for (const word of ["a", "A", "\u0436", "aA", "Aa0"]) wordsInNames(word.repeat(65_536));
    assert(cpuMs() - from < 2_000, "it takes longer than its length");
  });
});

describe("the words of a query", () => {
  it("are those that say something, each once", () => {
    const words = queryWords("How do I run the TESTS of parseConfig, and the tests again?");
    assert.deepEqual(words, ["run", "tests", "parseconfig", "parse", "config"]);
  });

  it("are bounded", () => {
    const text = Array.from({ length: 500 }, (_, index) => `oneTwo${index}`).join(" ");
    assert.equal(queryWords(text).length, brainLimits.queryTerms);
  });

  const forms = (query: string) => searchWords(query, "telling").map((it) => it.forms.join("|"));
  const queries: [name: string, query: string, expected: string[]][] = [
    ["German", "warum sind die Rechnungen kaputt?", ["rechnungen|rechnung", "kaputt"]],
    [
      "Russian",
      "\u043f\u043e\u0447\u0435\u043c\u0443 \u043f\u0430\u0434\u0430\u0435\u0442 \u0442\u0435\u0441\u0442\u043e\u0432\u0430\u044f \u0431\u0430\u0437\u0430",
      [
        "\u043f\u0430\u0434\u0430\u0435\u0442|\u043f\u0430\u0434\u0430",
        "\u0442\u0435\u0441\u0442\u043e\u0432\u0430\u044f|\u0442\u0435\u0441\u0442\u043e\u0432",
        "\u0431\u0430\u0437\u0430|\u0431\u0430\u0437",
      ],
    ],
    [
      "Chinese",
      "\u63a8\u9001\u8bc1\u4e66\u8fc7\u671f\u4e86\u600e\u4e48\u529e",
      ["\u63a8\u9001", "\u8bc1\u4e66", "\u8fc7\u671f"],
    ],
    [
      "Japanese",
      "\u30c6\u30b9\u30c8\u306f\u3069\u3053\u3067\u3059\u304b",
      ["\u30c6\u30b9 \u30b9\u30c8"],
    ],
    ["names that say nothing by their words", "what is the getName of macOS", ["getname", "macos"]],
  ];
  for (const [name, query, expected] of queries) {
    it(`are told in ${name}`, () => assert.deepEqual(forms(query), expected));
  }

  it("are whatever was said for who asks by hand and says nothing else", () => {
    assert.deepEqual(forms("uno"), []);
    assert.deepEqual(searchWords("uno", "any")[0]?.forms, ["uno"]);
    const query = "\u3053\u308c\u306f";
    assert.deepEqual(forms(query), []);
    const any = searchWords(query, "any").map((it) => it.forms.join("|"));
    assert.deepEqual(any, ["\u3053\u308c", "\u308c\u306f"]);
  });

  it("are looked up unless too many memories hold them", () => {
    assert.deepEqual([10, 1_000, 100_000, 1_000_000].map(commonFrom), [50, 100, 10_000, 10_000]);
  });
});

describe("what is relevant", () => {
  const word = (memories: number, isEveryday = false): WordCount => ({ memories, isEveryday });
  const [staging, canary, test, unknown] = [word(2), word(2), word(2, true), word(0)];
  const sizes = { memories: 220, characters: 150, charactersTypical: 200 };
  const both = { ...sizes, held: [staging, canary], all: [staging, canary, test] };
  const unsaid = (count: number) => Array.from({ length: count }, () => unknown);
  const parts = Array.from({ length: 5 }, () => word(2));
  const factor = relevance.factor;
  const fits: [name: string, fit: Fit, expected: boolean][] = [
    ["enough", both, true],
    ["one word", { ...both, held: [staging], all: [staging, test] }, false],
    ["no telling word", { ...both, held: [test], all: [test] }, false],
    ["a small part of a long prompt", { ...both, all: [staging, canary, ...parts] }, false],
    ["chatter that no memory holds", { ...both, all: [staging, canary, ...unsaid(4)] }, true],
    ["much that no memory holds", { ...both, all: [staging, canary, ...unsaid(12)] }, false],
    ["the only memory there is", { ...both, memories: 1, held: [word(1), word(1)] }, true],
    ["one word of the only memory", { ...both, memories: 1, held: [word(1)] }, false],
    ["words that each of nine memories holds", { ...both, memories: 9, held: [word(9)] }, false],
    ["a memory that is stuffed with words", { ...both, characters: 20_000 }, false],
  ];
  for (const [name, fit, expected] of fits) {
    it(`is judged by ${name}`, () => assert.equal(isRelevant(fit, factor), expected));
  }

  it("is judged by its subject as well where much is said of it", () => {
    const long = { ...both, characters: 2_000 };
    const score = (whole: Fit, subject: Fit) => relevantScore(whole, () => subject, factor);
    assert.equal(score(long, { ...long, held: [staging] }), undefined);
    assert.equal(
      score(long, { ...both, characters: 20 }),
      score({ ...both, characters: 20 }, long),
    );
    assert.equal(score({ ...long, held: [staging] }, both), undefined);
  });

  it("needs rarer words among more memories", () => {
    assert.equal(isRelevant({ ...both, held: [word(2), word(100)] }, factor), false);
    assert.equal(isRelevant({ ...both, memories: 1_000_000 }, 2.5), false);
  });

  it("takes no length of a stuffed memory for usual", () => {
    assert.equal(typicalCharacters([]), 200);
    assert.equal(typicalCharacters([65_536]), 400);
    assert.equal(typicalCharacters([100, 300, 300, 300]), 250);
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
    const from = cpuMs();
    fitsPattern("a".repeat(512), `${"*a".repeat(200)}b`);
    assert(cpuMs() - from < 500);
  });
});
