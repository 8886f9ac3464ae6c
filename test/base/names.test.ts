import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseParticipant, parseSessionId, slugOf } from "../../scripts-src/base/names.ts";
import { hasCode } from "../log/check-event-log.ts";

const good = ["a", "9", "claude", "gemini-2", "a.b", "a_b-c.d", "x".repeat(64), "console", "com"];

const bad: [name: string, fault: RegExp][] = [
  ["", /is empty/],
  ["x".repeat(65), /65 characters/],
  ["Claude", /a character is not allowed/],
  ["-a", /a character is not allowed/],
  [".a", /a character is not allowed/],
  ["_a", /a character is not allowed/],
  ["a b", /a character is not allowed/],
  ["a/b", /a character is not allowed/],
  ["a\\b", /a character is not allowed/],
  ["a:b", /a character is not allowed/],
  ["a\n", /a character is not allowed/],
  ["a\0", /a character is not allowed/],
  ["клод", /a character is not allowed/],
  ["a\u0301", /a character is not allowed/],
  ["a..b", /contains '\.\.'/],
  ["a.", /ends with a dot/],
  ["con", /device name on Windows/],
  ["nul.txt", /device name on Windows/],
  ["com1", /device name on Windows/],
  ["lpt9.log", /device name on Windows/],
  ["aux", /device name on Windows/],
  ["prn.x", /device name on Windows/],
];

describe("names", () => {
  for (const name of good) {
    it(`let ${name.slice(0, 12)} name a participant and a session`, () => {
      assert.equal(parseParticipant(name), name);
      assert.equal(parseSessionId(name), name);
    });
  }

  for (const [name, fault] of bad) {
    it(`refuse ${JSON.stringify(name.slice(0, 12))} with the grammar`, () => {
      assert.throws(() => parseParticipant(name), hasCode("REFUSED", fault));
      assert.throws(() => parseParticipant(name), hasCode("REFUSED", /use 1 to 64 lower case/));
      assert.throws(() => parseSessionId(name), hasCode("REFUSED", fault));
      assert.throws(() => parseSessionId(name), hasCode("REFUSED", /such as auth-review/));
    });
  }

  for (const word of ["system", "user", "human", "all", "consulta"]) {
    it(`reserve ${word} as a participant, not as a session`, () => {
      assert.throws(() => parseParticipant(word), hasCode("REFUSED", /the word is reserved/));
      assert.equal(parseSessionId(word), word);
    });
  }
});

const slugs: [topic: string, slug: string][] = [
  ["Should we store sessions in SQLite or in files?", "should-we-store-sessions-in"],
  ["  Auth -- review!  ", "auth-review"],
  ["ＡＢＣ", "abc"],
  ["Совет по кэшу", "session"],
  ["???", "session"],
  ["CON", "session"],
  ["abcdefghijklmnopqrstuvwxyz abc defg", "abcdefghijklmnopqrstuvwxyz-abc"],
  ["abcdefghijklmnopqrstuvwxyz abcd", "abcdefghijklmnopqrstuvwxyz"],
  ["abcdefghijklmnopqrstuvwxyzabc d", "abcdefghijklmnopqrstuvwxyzabc"],
];

describe("a slug", () => {
  for (const [topic, slug] of slugs) {
    it(`of ${JSON.stringify(topic)} is ${slug}`, () => assert.equal(slugOf(topic), slug));
  }

  it("is always a session id of at most 30 characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (topic) => {
        const slug = slugOf(topic);
        assert.equal(parseSessionId(slug), slug);
        assert(slug.length <= 30);
      }),
    );
  });

  it("keeps a word whole whose letters carry marks", () => {
    assert.equal(slugOf("Éclair"), "eclair");
    assert.equal(slugOf("déjà vu"), "deja-vu");
  });
});
