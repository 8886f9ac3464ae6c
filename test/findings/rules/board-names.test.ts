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

const long = (letter: string, count: number) => letter.repeat(count);

describe("an agent's name", () => {
  for (const name of ["a", "agent-alpha", "b2", "bob-", "a--b", long("x", 64), "console"]) {
    it(`may be ${name.slice(0, 12)}`, () => {
      assert.equal(parseAgentName(name), name);
      assert.equal(isAgentName(name), true);
    });
  }

  const bad: [fault: RegExp, names: string[]][] = [
    [/^"" cannot name an agent \(it is empty\)/, [""]],
    [/\(it has 65 characters\)/, [long("x", 65)]],
    [/does not begin with a lower case letter/, ["Bob", "2b", "-a", " a", "../a", "\u00e4"]],
    [/a character is not allowed/, ["a b", "a/b", "a.b", "a_b", "a\n", "a\r", "a\0", "x\ny"]],
    [/reserved, or a device name on Windows/, ["con", "lpt1", "user", "consulta", "all"]],
  ];
  for (const [fault, names] of bad) {
    for (const name of names) {
      it(`is not ${JSON.stringify(name.slice(0, 12))}`, () => {
        assert.throws(() => parseAgentName(name), hasCode("REFUSED", fault));
        assert.throws(() => parseAgentName(name), hasCode("REFUSED", /such as agent-alpha$/));
        assert.equal(isAgentName(name), false);
      });
    }
  }

  it("matches the seed's grammar as a whole, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."aZ0-_.\n /"), maxLength: 6 }), (name) => {
        if (isAgentName(name)) assert.match(name, /^[a-z][a-z0-9-]*$/);
      }),
    );
  });
});

describe("the slug of a topic", () => {
  const slugs: [topic: string, slug: string][] = [
    // Taken from runs of the original's post.sh.
    ["Root Cause", "root-cause"],
    ["a  b", "a--b"],
    [" lead trail ", "-lead-trail-"],
    ["a_b.c", "abc"],
    ["x--y", "x--y"],
    ["../../etc", "etc"],
    ["what's (really) wrong?", "whats-really-wrong"],
    // Where the original drops letters.
    ["caf\u00e9", "cafe"],
    ["cafe\u0301", "cafe"],
    ["\u00dcber Stra\u00dfe", "uber-strae"],
    ["\u0130stanbul", "istanbul"],
    ["\uff21\ufb01x", "afix"],
    ["\u65e5\u672c 7", "-7"],
    [long("x", 100), long("x", 100)],
  ];
  for (const [topic, slug] of slugs) {
    it(`is ${slug.slice(0, 20)} for ${JSON.stringify(topic.slice(0, 20))}`, () => {
      assert.equal(slugOfTopic(topic), slug);
    });
  }

  const bad: [fault: RegExp, topics: string[]][] = [
    [/is no topic \(it is empty\)/, ["", "   "]],
    [/no letter of a to z and no digit/, ["../", "- -", "_", "\u{1f600}", "\u65e5\u672c"]],
    [/control characters/, ["a\nb", "a\tb", "a\u0000", "a\u2028b", "a\u009bb"]],
    [/it has 10[12] characters/, [long("x", 101), long("\ufb01", 51), `a${long("\u65e5", 100)}`]],
  ];
  for (const [fault, topics] of bad) {
    for (const topic of topics) {
      it(`is refused for ${JSON.stringify(topic.slice(0, 12))}`, () => {
        assert.throws(() => slugOfTopic(topic), hasCode("REFUSED", fault));
        assert.throws(() => slugOfTopic(topic), hasCode("REFUSED", /use 1 to 100 characters/));
      });
    }
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

describe("the number of a finding", () => {
  const numbers = {
    "01-x.md": 1,
    "07-.md": 7,
    "100-root-cause.md": 100,
    "0-x.md": 0,
    "08-9-x.md": 8,
  };
  for (const [file, number] of Object.entries(numbers)) {
    it(`is ${number} in ${file}`, () => assert.equal(numberOf(file), number));
  }

  const none = ["x.md", "01x.md", "01-x.txt", "01-x.md.bak", "-1-x.md", " 01-x.md", ".ready", ""];
  for (const file of [...none, `${long("9", 400)}-x.md`, "9007199254740993-x.md"]) {
    it(`is none in ${JSON.stringify(file.slice(0, 20))}`, () => {
      assert.equal(numberOf(file), undefined);
    });
  }

  it("has two digits below 100 and more from there, and is read back", () => {
    const files = [1, 9, 10, 99, 100, 1234].map((number) => findingFile(number, "x"));
    assert.deepEqual(files, ["01-x.md", "09-x.md", "10-x.md", "99-x.md", "100-x.md", "1234-x.md"]);
    assert.deepEqual(files.map(numberOf), [1, 9, 10, 99, 100, 1234]);
  });
});

describe("a reference to a finding", () => {
  const bob = ["bob/01-x.md", "bob/02-a.md", "bob/02-b.md", "bob/9-z.md"];
  const files = [...bob, "cy/01-x.md", "cy/notes.md"];
  const meant: Record<string, string[]> = {
    "bob/01-x.md": ["bob/01", "bob/1", "bob/001", "bob/01-x", "bob/01-x.md", " bob/01 "],
    "bob/9-z.md": ["bob/09"],
    "bob/02-b.md": ["bob/02-b"],
    "cy/notes.md": ["cy/notes"],
    "cy/01-x.md": [".consulta/sessions/b/findings/cy/01-x.md"],
    none: ["bob/02", "bob/03", "bo/01", "bob/01-", "bob/", "bob", "01", "", "dan/01"],
  };
  for (const [file, references] of Object.entries(meant)) {
    for (const reference of references) {
      it(`${JSON.stringify(reference)} means ${file}`, () => {
        assert.equal(resolveFinding(reference, files) ?? "none", file);
      });
    }
  }
});
