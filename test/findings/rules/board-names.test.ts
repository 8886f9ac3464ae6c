import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  findingFile,
  isAgentName,
  numberOf,
  parseAgentName,
  resolveFinding,
  slugOfTopic,
} from "../../../scripts-src/findings/rules/board-names.ts";
import { hasCode } from "../../log/check-event-log.ts";

const names = ["a", "agent-alpha", "b2", "bob-", "a--b", "x".repeat(64), "console", "com"];

const badNames: [name: string, fault: RegExp][] = [
  ["", /"" cannot name an agent \(it is empty\)/],
  ["x".repeat(65), /it has 65 characters/],
  ["Bob", /does not begin with a lower case letter/],
  ["2b", /does not begin with a lower case letter/],
  ["-a", /does not begin with a lower case letter/],
  [" a", /does not begin with a lower case letter/],
  ["../a", /does not begin with a lower case letter/],
  ["\u00e4", /does not begin with a lower case letter/],
  ["a b", /a character is not allowed/],
  ["a/b", /a character is not allowed/],
  ["a.b", /a character is not allowed/],
  ["a_b", /a character is not allowed/],
  ["x\ny", /"x\\ny" cannot name an agent \(a character is not allowed\)/],
  ["a\n", /a character is not allowed/],
  ["a\r", /a character is not allowed/],
  ["a\0", /a character is not allowed/],
  ["con", /reserved, or a device name on Windows/],
  ["lpt1", /reserved, or a device name on Windows/],
  ["user", /reserved, or a device name on Windows/],
  ["consulta", /reserved, or a device name on Windows/],
];

describe("an agent's name", () => {
  for (const name of names) {
    it(`may be ${name.slice(0, 12)}`, () => {
      assert.equal(parseAgentName(name), name);
      assert.equal(isAgentName(name), true);
    });
  }

  for (const [name, fault] of badNames) {
    it(`is not ${JSON.stringify(name.slice(0, 12))}`, () => {
      assert.throws(() => parseAgentName(name), hasCode("REFUSED", fault));
      assert.throws(() => parseAgentName(name), hasCode("REFUSED", /such as agent-alpha$/));
      assert.equal(isAgentName(name), false);
    });
  }

  it("matches the seed's grammar as a whole, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."aZ0-_.\n /"), maxLength: 6 }), (name) => {
        if (isAgentName(name)) assert.match(name, /^[a-z][a-z0-9-]*$/);
      }),
    );
  });
});

// Taken from runs of the original's post.sh.
const originalSlugs: [topic: string, slug: string][] = [
  ["Root Cause", "root-cause"],
  ["a  b", "a--b"],
  [" lead trail ", "-lead-trail-"],
  ["a_b.c", "abc"],
  ["UPPER", "upper"],
  ["x--y", "x--y"],
  ["../../etc", "etc"],
  ["1 2 3", "1-2-3"],
  ["what's (really) wrong?", "whats-really-wrong"],
];

const ownSlugs: [topic: string, slug: string][] = [
  ["caf\u00e9", "cafe"],
  ["cafe\u0301", "cafe"],
  ["\u00dcber Stra\u00dfe", "uber-strae"],
  ["\u0130stanbul", "istanbul"],
  ["\uff21\uff22", "ab"],
  ["\ufb01x", "fix"],
  ["\u65e5\u672c 7", "-7"],
  ["x".repeat(100), "x".repeat(100)],
];

const badTopics: [topic: string, fault: RegExp][] = [
  ["", /"" is no topic \(it is empty\)/],
  ["   ", /it is empty/],
  ["../", /no letter of a to z and no digit/],
  ["- -", /no letter of a to z and no digit/],
  ["\u65e5\u672c", /no letter of a to z and no digit/],
  ["a\nb", /control characters/],
  ["a\tb", /control characters/],
  ["a\u0000", /control characters/],
  ["a\u2028b", /control characters/],
  ["a\u009bb", /control characters/],
  ["x".repeat(101), /it has 101 characters/],
  ["\ufb01".repeat(51), /it has 102 characters/],
  [`a${"\u65e5".repeat(100)}`, /it has 101 characters/],
];

describe("the slug of a topic", () => {
  for (const [topic, slug] of originalSlugs) {
    it(`is the original's for ${JSON.stringify(topic)}`, () => {
      assert.equal(slugOfTopic(topic), slug);
    });
  }

  for (const [topic, slug] of ownSlugs) {
    it(`keeps the letters of ${JSON.stringify(topic.slice(0, 20))}`, () => {
      assert.equal(slugOfTopic(topic), slug);
    });
  }

  for (const [topic, fault] of badTopics) {
    it(`is refused for ${JSON.stringify(topic.slice(0, 12))}`, () => {
      assert.throws(() => slugOfTopic(topic), hasCode("REFUSED", fault));
      assert.throws(() => slugOfTopic(topic), hasCode("REFUSED", /use 1 to 100 characters/));
    });
  }

  it("is safe in a file name and its own slug", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (tail) => {
        const topic = `a${tail.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "")}`.slice(0, 50);
        const slug = slugOfTopic(topic);
        assert.match(slug, /^[a-z0-9-]{1,100}$/);
        assert.equal(slugOfTopic(slug), slug);
      }),
    );
  });
});

const numbers: [file: string, number: number | undefined][] = [
  ["01-x.md", 1],
  ["07-.md", 7],
  ["100-root-cause.md", 100],
  ["1-x.md", 1],
  ["0-x.md", 0],
  ["08-9-x.md", 8],
  ["x.md", undefined],
  ["01x.md", undefined],
  ["01-x.txt", undefined],
  ["01-x.md.bak", undefined],
  ["-1-x.md", undefined],
  [" 01-x.md", undefined],
  [".ready", undefined],
  ["", undefined],
  [`${"9".repeat(400)}-x.md`, undefined],
  ["9007199254740993-x.md", undefined],
];

describe("the number of a finding", () => {
  for (const [file, number] of numbers) {
    it(`is ${number} in ${JSON.stringify(file.slice(0, 20))}`, () => {
      assert.equal(numberOf(file), number);
    });
  }

  it("has two digits below 100 and more from there", () => {
    const files = [1, 9, 10, 99, 100, 1234].map((number) => findingFile(number, "x"));
    assert.deepEqual(files, ["01-x.md", "09-x.md", "10-x.md", "99-x.md", "100-x.md", "1234-x.md"]);
  });

  it("is read back from the file it named", () => {
    fc.assert(
      fc.property(fc.nat(999_999), (number) => {
        assert.equal(numberOf(findingFile(number, "a-1")), number);
      }),
    );
  });
});

const files = [
  "bob/01-x.md",
  "bob/02-a.md",
  "bob/02-b.md",
  "cy/01-x.md",
  "cy/notes.md",
  "bob/9-z.md",
];

const references: [reference: string, file: string | undefined][] = [
  ["bob/01", "bob/01-x.md"],
  ["bob/1", "bob/01-x.md"],
  ["bob/001", "bob/01-x.md"],
  ["bob/01-x", "bob/01-x.md"],
  ["bob/01-x.md", "bob/01-x.md"],
  [" bob/01 ", "bob/01-x.md"],
  ["bob/09", "bob/9-z.md"],
  ["cy/notes", "cy/notes.md"],
  [".consulta/sessions/b/findings/cy/01-x.md", "cy/01-x.md"],
  ["bob/02-b", "bob/02-b.md"],
  ["bob/02", undefined],
  ["bob/03", undefined],
  ["bo/01", undefined],
  ["bob/01-", undefined],
  ["bob/", undefined],
  ["bob", undefined],
  ["01", undefined],
  ["", undefined],
  ["dan/01", undefined],
];

describe("a reference to a finding", () => {
  for (const [reference, file] of references) {
    it(`${JSON.stringify(reference)} means ${file ?? "none, or several"}`, () => {
      assert.equal(resolveFinding(reference, files), file);
    });
  }
});
