import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Alert,
  isBack,
  remindedBy,
  type WakeReason,
  type WakeReminders,
  type WakeState,
  wakeReasonOf,
} from "../../../scripts-src/wake/rules/wake-policy.ts";

const waiting: WakeState = {
  key: "now",
  ended: false,
  hasTurn: false,
  isKnown: false,
  absence: undefined,
  waitedMs: 5,
  waitMsMax: 10,
  isPaused: false,
};
const told = (rings: number, alert?: Alert, key = "now"): WakeReminders => ({
  key,
  rings,
  alert,
  announced: false,
});

const cases: [
  name: string,
  Partial<WakeState>,
  WakeReminders | undefined,
  WakeReason | "wait" | "rest",
][] = [
  ["waits while a colleague is at work", {}, undefined, "wait"],
  ["rings for the turn", { hasTurn: true }, undefined, "turn"],
  ["rings once more, and says that it is the last time", { hasTurn: true }, told(1), "last turn"],
  ["rests after that", { hasTurn: true }, told(2), "rest"],
  ["begins anew when something has changed", { hasTurn: true }, told(2, "limit", "before"), "turn"],
  ["tells of the end", { ended: true }, undefined, "ended"],
  ["tells of the end once", { ended: true }, told(0, "ended"), "rest"],
  ["tells of no end that the window has seen", { ended: true, isKnown: true }, undefined, "rest"],
  ["tells that everybody has ended", { absence: "gone" }, undefined, "gone"],
  ["tells that once, and waits on", { absence: "gone" }, told(0, "gone"), "wait"],
  ["tells that nobody gives a sign", { absence: "silent" }, undefined, "silent"],
  ["tells that once, and waits on for them too", { absence: "silent" }, told(0, "silent"), "wait"],
  ["tells that the silent have ended", { absence: "gone" }, told(0, "silent"), "gone"],
  ["does not call those silent who have ended", { absence: "silent" }, told(0, "gone"), "wait"],
  ["waits for who is back", {}, told(0, "gone"), "wait"],
  ["tells of the limit of that wait", { absence: "gone", waitedMs: 10 }, told(0, "gone"), "limit"],
  ["tells nothing else after the limit", { absence: "gone" }, told(0, "limit"), "rest"],
  ["tells of the limit", { waitedMs: 10 }, undefined, "limit"],
  [
    "tells of no limit while the user has paused",
    { waitedMs: 10, isPaused: true },
    undefined,
    "rest",
  ],
  ["tells of the limit once, and waits no more", {}, told(0, "limit"), "rest"],
  ["does not wait where nobody wants it to", { waitMsMax: 0 }, undefined, "rest"],
  ["rings for the turn even there", { waitMsMax: 0, hasTurn: true }, undefined, "turn"],
  ["rings for the turn after an alert", { hasTurn: true }, told(0, "limit"), "turn"],
];

describe("the bell", () => {
  for (const [name, given, heard, expected] of cases) {
    it(name, () => {
      assert.equal(wakeReasonOf({ ...waiting, ...given }, heard, true), expected);
    });
  }

  it("lets a turn rest that the model has seen while the hook waited, but not its stop", () => {
    const seen = { ...waiting, hasTurn: true, isKnown: true };
    assert.deepEqual(
      [wakeReasonOf(seen, undefined, false), wakeReasonOf(seen, undefined, true)],
      ["rest", "turn"],
    );
  });

  it("takes who was gone for back when nobody is any more, and nothing else", () => {
    const gone = { ...waiting, absence: "gone" as const };
    assert.deepEqual(
      [isBack(waiting, told(0, "gone")), isBack(waiting, told(0, "silent"))],
      [true, true],
    );
    assert.deepEqual(
      [
        isBack(gone, told(0, "gone")),
        isBack(waiting, told(0, "limit")),
        isBack(waiting, undefined),
      ],
      [false, false, false],
    );
  });

  it("counts what was rung as long as nothing changes", () => {
    const once = remindedBy("turn", "now", undefined);
    assert.deepEqual(once, told(1));
    assert.deepEqual(remindedBy("last turn", "now", once), told(2));
    assert.deepEqual(remindedBy("limit", "now", told(1)), told(1, "limit"));
    assert.deepEqual(remindedBy("turn", "later", told(2, "limit")), told(1, undefined, "later"));
  });
});
