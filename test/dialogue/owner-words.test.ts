import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { holdsWord } from "../../scripts-src/dialogue/owner-words.ts";

describe("a word of the user's", () => {
  const held: [text: string, word: string][] = [
    ["Which licences may we use?", "licence"],
    [
      "\u041a\u0430\u043a\u0443\u044e \u043b\u0438\u0446\u0435\u043d\u0437\u0438\u044e \u0432\u0437\u044f\u0442\u044c?",
      "\u043b\u0438\u0446\u0435\u043d\u0437\u0438\u044f",
    ],
    ["\u73b0\u5728\u53d1\u5e03\u5417\uff1f", "\u53d1\u5e03"],
    ["Shall we delete the data now?", "delete the data"],
  ];
  const other: [text: string, word: string][] = [
    ["Which part restarts?", "art"],
    ["It is apparently current", "rent"],
    ["Is it public?", "publish"],
    ["Delete it; the data stays", "delete the data"],
  ];
  for (const [text, word] of held)
    it(`${word} is in: ${text}`, () => assert(holdsWord(text, word)));
  for (const [text, word] of other)
    it(`${word} is not in: ${text}`, () => assert(!holdsWord(text, word)));
});
