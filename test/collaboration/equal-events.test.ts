import assert from "node:assert/strict";
import { it } from "node:test";
import { raceEqualWriters } from "./equal-events.ts";
import { collaborationAt } from "./folder.ts";

raceEqualWriters(1);

it("stores a review that one participant submits in 6 processes at once a single time", async () => {
  const at = collaborationAt("reviewing");
  const review = { summary: "Same.", review: at.review(), "reply-to": 2 };
  const ended = await Promise.all(
    Array.from({ length: 6 }, () => at.startAppend("b", "review_submitted", review).done),
  );
  assert.deepEqual(ended.map(({ code }) => code).sort(), [0, 2, 2, 2, 2, 2]);
  assert.equal(at.seq, 3);
  assert.equal(at.read("review.md").match(/^## .* - seq \d+$/gm)?.length, 1);
  at.checkValid();
});
