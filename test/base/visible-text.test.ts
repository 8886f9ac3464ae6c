import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { findSecret, withoutSecrets } from "../../scripts-src/base/secrets.ts";
import {
  asLine,
  oneLine,
  visibleText,
  withoutInvisible,
} from "../../scripts-src/base/visible-text.ts";
import { forbidden, forbiddenIn } from "../security/forbidden.ts";

/** Texts that people write: each stays as it is. */
const legitimate: [what: string, text: string][] = [
  ["Persian", "می‌خواهم خانه‌هایی را ببینم؛ سال ۱۴۰۳ ه‍.ش."],
  ["Arabic", "السلام عليكم، كيف حالك؟ ٢٠٢٦"],
  ["Hindi", "क्षत्रिय, श्री, ज्ञान; क्‍ष और क्‌ष अलग दिखते हैं।"],
  ["Bengali", "র‍্যাব এবং ক্ষ"],
  ["Malayalam", "ന്‍ ര്‍ ല്‍ അവന്‍"],
  ["Sinhala", "ශ්‍රී ලංකාව"],
  ["Hebrew", "שָׁלוֹם עוֹלָם; זה טקסט רגיל."],
  ["Russian", "Съешь ещё этих мягких французских булок, да выпей чаю — «ёлки»."],
  ["Chinese", "你好，世界！“引号”与　全角空格。"],
  ["Japanese", "カタカナ、ひらがな、漢字。"],
  ["Thai", "สวัสดีชาวโลก"],
  ["accents by combining marks", "e\u0301 n\u0303 a\u0308"],
  ["typography", "a\u00a0b — “c” … 10\u202f000 €"],
  ["emoji", "👍 ❤️ ☎︎ ©️ 1️⃣ #️⃣"],
  ["a family, a rainbow flag, skin tones", "👨‍👩‍👧‍👦 🏳️‍🌈 👩🏽‍🚀 🧑🏿‍🤝‍🧑🏻 ❤️‍🔥"],
  ["flags", "🇩🇪🇨🇿"],
  ["code", "if (a && b) {\n\treturn `x\\u0000`;\n}"],
];

/** What the same signs are where they make nothing that one could see. */
const smuggled: [what: string, text: string, shown: string][] = [
  ["a zero width space", "gh\u200bp", "gh\\u200bp"],
  ["a joiner between Latin letters", "a\u200db\u200cc", "a\\u200db\\u200cc"],
  ["a second joiner", "می\u200c\u200cخ", "می\\u200c\\u200cخ"],
  ["a joiner between a picture and a letter", "👍\u200da", "👍\\u200da"],
  ["a selector after a letter", "a\ufe0f", "a\\ufe0f"],
  ["a second selector", "❤\ufe0f\ufe0f", "❤\ufe0f\\ufe0f"],
  ["a selector after a digit without its key cap", "1\ufe0f", "1\\ufe0f"],
  ["a selector of another variant after a picture", "❤\ufe05", "❤\\ufe05"],
  ["tags after a flag that is none", "🏴\u{e0061}\u{e007f}", "🏴\\udb40\\udc61\\udb40\\udc7f"],
  ["tags after text", "a\u{e0041}", "a\\udb40\\udc41"],
  ["a supplementary selector", "葛\u{e0100}", "葛\\udb40\\udd00"],
  ["half a character", "a\ud83d b\udc4d", "a\\ud83d b\\udc4d"],
  ["no character", "a\ufffe\u{1ffff}", "a\\ufffe\\ud83f\\udfff"],
  ["soft hyphen and fillers", "a\u00ad\u115f\u3164\uffa0", "a\\u00ad\\u115f\\u3164\\uffa0"],
  ["a direction", "a\u202eb\u2066c", "a\\u202eb\\u2066c"],
  ["a terminal's sequence", "a\u001b[2Jb\u009b1m\r", "a\\u001b[2Jb\\u009b1m\\u000d"],
];

describe("visibleText", () => {
  for (const [what, text] of legitimate) {
    it(`leaves ${what} as it is`, () => assert.equal(visibleText(text), text));
  }

  for (const [what, text, shown] of smuggled) {
    it(`shows ${what}`, () => assert.equal(visibleText(text), shown));
  }

  const anyText = fc
    .array(
      fc.oneof(
        fc.constantFrom(...forbidden.map((code) => String.fromCodePoint(code))),
        fc.constantFrom(..."a1 \n\tم\u0915\u094d👍❤\u{1f3fd}\u{1f3f4}\u20e3"),
        fc.string({ unit: "binary", maxLength: 3 }),
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(""));

  it("lets no hidden sign through beside those that make a visible one", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        assert.deepEqual(forbiddenIn(visibleText(text)), []);
        assert.deepEqual(forbiddenIn(oneLine(text)), []);
        assert.doesNotMatch(asLine(text), /[\n\v\f\r\u0085\u2028\u2029]/);
      }),
      { numRuns: 2_000 },
    );
  });

  it("changes nothing that was made visible before", () => {
    fc.assert(
      fc.property(anyText, (text) =>
        assert.equal(visibleText(visibleText(text)), visibleText(text)),
      ),
    );
  });

  it("keeps the value of JSON", () => {
    fc.assert(
      fc.property(anyText, (text) =>
        assert.equal(JSON.parse(visibleText(JSON.stringify({ text }))).text, text),
      ),
    );
  });
});

describe("withoutInvisible", () => {
  it("puts together what invisible signs tore apart", () => {
    for (const code of forbidden) {
      const torn = `gh${String.fromCodePoint(code)}p_x`;
      assert.equal(withoutInvisible(torn), "ghp_x", code.toString(16));
    }
  });

  it("finds a token that an invisible sign tears apart", () => {
    const token = `ghp_${"aB3".repeat(12)}`;
    for (const sign of ["\u200b", "\u00ad", "\u2060", "\u{e0041}", "\ufe0f", "\u3164", "\u034f"]) {
      const torn = `${token.slice(0, 9)}${sign}${token.slice(9)}`;
      assert.equal(findSecret(`take ${torn} please`), "a GitHub token");
      assert.equal(withoutSecrets(`take ${torn} please`), "take [a GitHub token, left out] please");
    }
    const harmless = "a family 👨‍👩‍👧 and می‌خواهم";
    assert.equal(withoutSecrets(harmless), harmless);
  });
});
