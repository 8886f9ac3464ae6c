import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { searchWords } from "../../../scripts-src/brain/rules/search-words.ts";

describe("the words of a query", () => {
  const forms = (query: string) => searchWords(query, "telling").map((it) => it.forms.join("|"));
  const queries: [name: string, query: string, expected: string[]][] = [
    [
      "German",
      "warum sind die Rechnungen kaputt?",
      ["warum|war*", "rechnungen|rechnun*", "kaputt|kap*"],
    ],
    [
      "Russian",
      "\u043f\u043e\u0447\u0435\u043c\u0443 \u043f\u0430\u0434\u0430\u0435\u0442 \u0442\u0435\u0441\u0442\u043e\u0432\u0430\u044f \u0431\u0430\u0437\u0430",
      [
        "\u043f\u043e\u0447\u0435\u043c\u0443|\u043f\u043e\u0447*",
        "\u043f\u0430\u0434\u0430\u0435\u0442|\u043f\u0430\u0434*",
        "\u0442\u0435\u0441\u0442\u043e\u0432\u0430\u044f|\u0442\u0435\u0441\u0442\u043e*",
        "\u0431\u0430\u0437\u0430|\u0431\u0430\u0437*",
      ],
    ],
    [
      "Chinese",
      "\u63a8\u9001\u8bc1\u4e66\u8fc7\u671f\u4e86\u600e\u4e48\u529e",
      ["\u63a8\u9001", "\u8bc1\u4e66", "\u8fc7\u671f", "\u600e\u4e48"],
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
    for (const single of ["\u8336", "\u7f13", "\ud798"]) {
      assert.deepEqual(forms(single), []);
      assert.deepEqual(searchWords(single, "any")[0]?.forms, [single]);
    }
  });
});
