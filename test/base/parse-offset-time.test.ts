import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instantOf } from "../../scripts-src/base/time.ts";

describe("a time as our own events have it", () => {
  const dates = [
    "2026-11-22",
    "2024-02-29",
    "2026-02-29",
    "2026-02-31",
    "0000-01-01",
    "9999-12-31",
  ];
  const clocks = [
    ...["00:00:00", "23:59:59.999", "24:00:00", "12:60:00", "12:00:60", "::::::::"],
    ...["12:00:00.000", "24:00:00.000", "12:60:00.000", "12:00:60.000", "1e:00:00.000"],
    ...["+1:00:00.000", "12:00:00.1e1", "12:00:00. 10", "12:00:00,123", "12:00.00.123"],
  ];
  for (const text of dates.flatMap((date) => clocks.map((clock) => `${date}T${clock}Z`))) {
    it(`is read like the same time in another form: ${text}`, () => {
      assert.equal(instantOf(text), instantOf(text.replace("Z", "+00:00")));
    });
  }

  it("is no time where the calendar lacks the day", () => {
    assert.equal(instantOf("2026-02-29T00:00:00Z"), undefined);
    assert.equal(instantOf("2024-02-29T00:00:00Z"), Date.UTC(2024, 1, 29));
  });
});
