import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { takesUp } from "../../scripts-src/dialogue/synthesis-words.ts";

const side = (position: string, said = "") => ({ position, said });
const keep = side("Keep the cap of 30 seconds", "It is what the code has.");
const lower = side("Lower the cap to 10 seconds", "Interactive people leave after that.");

describe("a synthesis takes up a side", () => {
  const taken: [text: string, one: typeof keep, other: typeof keep][] = [
    ["Keeping it for batch jobs alone", keep, lower],
    ["30 in batch jobs, less elsewhere", keep, lower],
    ["A low cap where the work is interactive", lower, keep],
    ["Yes for writers alone", side("Yes"), side("No")],
    ["What A has, behind a flag", side("Option A"), side("Option B")],
    [
      "\u4fdd\u6301\u8d85\u65f6\uff0c\u7a0d\u540e\u518d\u770b",
      side("\u4fdd\u6301\u4e09\u5341\u79d2"),
      side("\u964d\u5230\u5341\u79d2"),
    ],
    [
      "SQLite\u3092\u4f7f\u3044\u307e\u3059",
      side("SQLite\u3067\u3059"),
      side("\u30d5\u30a1\u30a4\u30eb\u3067\u3059"),
    ],
    [
      "\u041e\u0441\u0442\u0430\u0432\u0438\u0442\u044c \u0432\u0441\u0451",
      side("\u041e\u0441\u0442\u0430\u0432\u043b\u044f\u0435\u043c"),
      side("\u0421\u043d\u0438\u0437\u0438\u0442\u044c"),
    ],
  ];
  for (const [text, one, other] of taken)
    it(`in ${JSON.stringify(text)}`, () => assert(takesUp(text, one, other)));
});

describe("a synthesis takes up nothing of a side", () => {
  const empty: [text: string, one: typeof keep, other: typeof keep][] = [
    ["We combine the best of both worlds.", keep, lower],
    ["We combine the best of both worlds.", lower, keep],
    // The words of both are those of the question.
    ["Lower the cap to 10 seconds, fine", keep, lower],
    ["The cap is some seconds", lower, keep],
    ["It is what the two of us want", keep, lower],
    ["Something of the two", side("Yes"), side("No")],
    ["\u6298\u8877", side("\u4fdd\u6301\u4e09\u5341\u79d2"), side("\u964d\u5230\u5341\u79d2")],
  ];
  for (const [text, one, other] of empty)
    it(`in ${JSON.stringify(text)}`, () => assert(!takesUp(text, one, other)));
});
