import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCheckSpec } from "../../scripts-src/protocol/check-spec.ts";
import { doubtsOf, figuresIn, heldBy, lackingIn } from "../../scripts-src/protocol/figures.ts";

/** What a claim says and the lines, with their check, do not hold. */
function lacks(claim: string, seen: string, check = "src/a.ts:1"): string {
  const spec = parseCheckSpec(check);
  assert(!("fault" in spec));
  return lackingIn(figuresIn(claim), heldBy(spec, "", seen), spec.kind === "lines")
    .map(({ text }) => text)
    .join(" ");
}

const limit = "export const limit = 3;";

describe("figures", () => {
  const texts: [text: string, figures: string][] = [
    ["the limit is 3", "3"],
    ["retries at most three times, since 2026-11-23 at 10:30", ""],
    ["1. First, (2) then, the 3rd, la 4e, 5-й, 第6, #7 and src/a.ts:8-9", "src/a.ts"],
    ["UTF-8, SHA-256, Apache-2.0, v2, x86_64 and E9", "x86_64"],
    ["上限は5です", "5"],
    ["January 15, 2027, am 15. Januar 2027, 15 января 2027 года, 2027年1月15日, in March 2027", ""],
    ["2048 entries in 2000 ms, Limit 2000 ms", "2048 2000"],
    ["100 % or 100% of all, 50/50, 24/7", ""],
    ["waits ３０秒", "30"],
    ["since 1.4.0, from 1_000 to 2.5e3", "1_000 2.5e3 1.4.0"],
    [
      "`recall(key)`, recall(), --no-cache, snake_case, camelCase",
      "recall --no-cache snake_case camelCase",
    ],
    ["iOS, GitHub, Node.js, and/or, e.g. _this_ of https://a.example/b.html", ""],
    ["it says 'gave-up', «сдался» and 「失敗」, and can't say what doesn't", "gave-up сдался 失敗"],
    ["docs/limits.md, ./run and src/.", "docs/limits.md ./run src/"],
  ];
  for (const [text, figures] of texts)
    it(`of ${text}`, () => {
      const found = figuresIn(text).map((it) => it.text);
      assert.deepEqual(found.sort(), figures === "" ? [] : figures.split(" ").sort());
    });
});

describe("what a claim says and the evidence lacks", () => {
  const cases: [name: string, claim: string, seen: string, lacking: string, check?: string][] = [
    ["the number that is there", "the limit is 3", limit, ""],
    ["another number", "the limit is 5", limit, "5"],
    ["the number of another line", "line 5 throws", limit, "5", "src/a.ts:6"],
    ["a line that is named", "line 16 throws", "throw error;", "", "src/a.ts:15-18"],
    ["lines that are named", "lines 9-11 throw", "throw error;", "", "src/a.ts:9-11"],
    ["a line for a quantity of another unit", "after 3 s", "throw error;", "3", "src/a.ts:3"],
    ["seconds for milliseconds", "waits 30 s", "Math.min(30_000, delay)", ""],
    ["a part of a hundred", "80 % of them", "share: 0.8", ""],
    ["what was measured, rounded", "takes 12.3 ms and 42 MB", "12.345 ms, 41.7 MB", ""],
    ["thousands as another country writes them", "1.000 Einträge", "max = 1000", ""],
    [
      "a version by its beginning",
      "Node 20, version 1.4",
      '"node": ">=20", "version": "1.4.0"',
      "",
    ],
    ["a number of a list", "10 is allowed", "[5,10,15]", ""],
    [
      "a name that is not there",
      "it calls timingSafeEqual()",
      "return given === stored;",
      "timingSafeEqual",
    ],
    ["the file that is cited", "src/a.ts has it", limit, ""],
    ["another file", "src/b.ts has it", limit, "src/b.ts"],
    [
      "quoted words that are there in other letters",
      "throws 'Gave  up'",
      'throw new Error("gave up")',
      "",
    ],
    ["quoted words that are not there", "пишет «сдался»", 'throw new Error("gave up")', "сдался"],
    [
      "how often a search found it",
      "stands at 2 places",
      "a.ts:7: x\nb.ts:9: x",
      "",
      'find "x y" src',
    ],
    ["the place of a hit", "line 7 has the limit", "a.ts:7: limit", "", 'find "limit" src'],
    ["another place", "line 8 has the limit", "a.ts:7: limit", "8", 'find "limit" src'],
    ["the place of a hit in another unit", "7 minutes", "a.ts:420: limit", "7", 'find "limit" src'],
    ["another version", "tagged v9.9.9", '"version": "2.4.1"', "9.9.9"],
    ["the version with a v", "tagged `v2.4.1`", '"version": "2.4.1"', ""],
    ["an abbreviation of elsewhere", "429, see RFC 6585", "status(429)", ""],
    ["an abbreviation that is spoken of", "HTTP 413", "an HTTP 429 comes", "413"],
    ["a name with what it is of", "uploadLimits.retries is 3", "retries: 3", ""],
    [
      "a name of something else",
      "uploadLimits.attempts is 3",
      "retries: 3",
      "uploadLimits.attempts",
    ],
    ["a file of such a name", "it is in store.ts", "class Store", "store.ts"],
    ...[
      "300 s",
      "500 ms",
      "0.5 s",
      "30 ms",
      "8 h",
      "29.9 s",
      "30 %",
      "30 minutes",
      "3 Sekunden",
    ].map((it): [string, string, string, string] => [
      `${it} for milliseconds`,
      `the timeout is ${it}`,
      "timeoutMs: 30_000",
      it.split(" ")[0] ?? "",
    ]),
    ...["30 s", "0.5 min", "30.0 s", "30 000 ms", "30 Sekunden"].map(
      (it): [string, string, string, string] => [
        `${it} for milliseconds`,
        `the timeout is ${it}`,
        "timeoutMs: 30_000",
        "",
      ],
    ),
    ["5 MiB for bytes", "5 MiB at most", "maxBytes: 5_242_880", ""],
  ];
  for (const [name, claim, seen, lacking, check] of cases)
    it(name, () => assert.equal(lacks(claim, seen, check), lacking));
});

describe("what is told of a record", () => {
  const lines = { kind: "lines" as const, spec: "src/a.ts:1" };
  const search = { kind: "search" as const, spec: 'find "retry" src' };
  const cases: [record: Parameters<typeof doubtsOf>[0], claim: string, told: RegExp | undefined][] =
    [
      [
        { ...lines, expect: "limit = 3", lacks: ["5"] },
        "it is 5",
        /^the claim says 5; what was seen has no 5$/,
      ],
      [{ ...lines, expect: "limit = 3" }, "it is 3", undefined],
      [lines, "it is 3", /^it expects no words of its lines$/],
      [{ ...lines, expect: "key" }, "entries age", /^it expects "key", fewer than 4 characters$/],
      [{ ...lines, expect: "上限" }, "上限がある", undefined],
      [
        { ...lines, expect: "const", places: 12 },
        "it is const",
        /^it expects "const", which 12 lines of the project hold$/,
      ],
      [
        { ...search, expect: "retry" },
        "it backs off",
        /^it expects "retry", which are the words that it searches for$/,
      ],
      [search, "it backs off", /^it expects "retry", which are the words that it searches for$/],
      [search, "retry stands in src", undefined],
      [{ ...search, expect: "retry(call)" }, "it backs off", undefined],
    ];
  for (const [record, claim, told] of cases)
    it(`${record.spec}, ${record.expect}: ${claim}`, () => {
      const found = doubtsOf(record, claim);
      assert.equal(found.length, told === undefined ? 0 : 1, found.join());
      if (told !== undefined) assert.match(found.join(), told);
    });
});
