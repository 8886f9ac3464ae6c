import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isoSecond, isoTime } from "../../scripts-src/base/time.ts";

const dayMs = 86_400_000;
const lastDay = Math.floor(Date.UTC(9999, 11, 31) / dayMs);

describe("a time as text", () => {
  it("is what toISOString writes, on every day of 400 years, after which the calendar repeats", () => {
    for (let day = 0; day <= 146_097; day += 1) {
      const ms = day * dayMs + ((day * 7_919_777) % dayMs);
      assert.equal(isoTime(ms), new Date(ms).toISOString());
    }
  });

  it("has its first and last moment, also of a fraction", () => {
    for (const ms of [0, 1, 999, dayMs - 1, dayMs, 1.9, (lastDay + 1) * dayMs - 1]) {
      assert.equal(isoTime(ms), new Date(ms).toISOString());
    }
  });

  it("is the nearest that has this form", () => {
    assert.equal(isoSecond(-1), "1970-01-01T00:00:00Z");
    assert.equal(isoSecond(Number.POSITIVE_INFINITY), "9999-12-31T23:59:59Z");
    assert.throws(() => isoSecond(Number.NaN), RangeError);
  });
});
