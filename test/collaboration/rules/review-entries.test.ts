import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reviewHeading, reviewHeadings } from "../../../scripts-src/collaboration/rules/reviews.ts";

describe("a review heading", () => {
  const cases: [line: string, participant: string | undefined, seq?: number][] = [
    ["## 2026-11-22T02:20:00Z - ben - seq 3", "ben", 3],
    ["## x - ben - seq 3\r", "ben", 3],
    ["\ufeff## x - ben - seq 3", "ben", 3],
    ["##  x  -  ben  -  seq  3  ", "ben", 3],
    ["##   - ben - seq 3", "ben", 3],
    ["## x - ben - of - us - seq 3", "ben - of - us", 3],
    ["## x - a-b - seq 03", "a-b", 3],
    ["## x - \u00e4 b, c - seq 12", "\u00e4 b, c", 12],
    ["## - ben - seq 3", undefined],
    ["## x - - seq 3", undefined],
    ["## x -- ben - seq 3", undefined],
    ["## x - ben- seq 3", undefined],
    ["## x - ben -seq 3", undefined],
    ["## x - ben - seq3", undefined],
    ["## x - ben - Seq 3", undefined],
    ["## x - ben - seq 3.", undefined],
    ["## x - ben - seq 3a", undefined],
    ["## x - ben - seq -3", undefined],
    ["## x - ben - seq <event seq>", undefined],
    ["## ben - seq 3", undefined],
    ["### x - ben - seq 3", undefined],
    ["# x - ben - seq 3", undefined],
    [" ## x - ben - seq 3", undefined],
    ["##x - ben - seq 3", undefined],
    ["", undefined],
  ];
  for (const [line, participant, seq = 0] of cases) {
    it(`${participant === undefined ? "is not" : "is"} ${JSON.stringify(line)}`, () => {
      const expected = participant === undefined ? undefined : { participant, seq };
      assert.deepEqual(reviewHeading(line), expected);
    });
  }

  it("counts where it stands last for its seq", () => {
    const text = "## x - ana - seq 3\r\ntext\n## x - ben - seq 4\n## y - ben - seq 3";
    assert.deepEqual(
      [...reviewHeadings(text)],
      [
        [3, "ben"],
        [4, "ben"],
      ],
    );
  });
});
