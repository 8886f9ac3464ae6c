import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../scripts-src/base/json.ts";
import { instantOf } from "../../../scripts-src/base/time.ts";
import { eventFaults } from "../../../scripts-src/collaboration/rules/machine.ts";
import { type Act, eventAt, folded, settingsFor } from "../acts.ts";

const settings = settingsFor(1, ["ana", "ben"]);

function faultsOf(fields: JsonObject, act: Act = ["ana", "proposal_submitted"]): string[] {
  const state = folded(settings, ["ana", "initialized"]);
  return eventFaults(state, { ...eventAt(2, act), ...fields });
}

const earlier = "reply_to must point to an earlier event";
const required = "reply_to is required after initialized";
const noTime = "at must be an ISO-8601 timestamp";
const backward = "at must not be earlier than the previous event";

const rows: [name: string, fields: JsonObject, faults: string[]][] = [
  ["nothing", {}, []],
  ["no reply", { reply_to: undefined }, [required]],
  ["a reply to null", { reply_to: null }, [required]],
  ["a reply to itself", { reply_to: 2 }, [earlier]],
  ["a reply to the future", { reply_to: 3 }, [earlier]],
  ["a reply to 0", { reply_to: 0 }, [earlier]],
  ["a reply to half", { reply_to: 1.5 }, [earlier]],
  ["a reply to a text", { reply_to: "1" }, [earlier]],
  ["a time without offset", { at: "2026-01-01T00:00:05" }, [noTime]],
  ["a date", { at: "2026-01-01" }, [noTime]],
  ["words", { at: "yesterday" }, [noTime]],
  ["the same time with an offset", { at: "2026-01-01T02:00:01+02:00" }, []],
  ["a time before in another offset", { at: "2026-01-01T01:00:00+02:00" }, [backward]],
  ["a fraction before", { at: "2026-01-01T00:00:00.999999Z" }, [backward]],
  ["the basic form", { at: "20260101T000002Z" }, []],
  [
    "everything at once, in the validator's order",
    { event: "invented", reply_to: 2, at: "" },
    ['unknown event "invented"', earlier, noTime],
  ],
  [
    "an event out of turn",
    { from: "ben", at: "2025-01-01T00:00:00Z" },
    [backward, "proposal_submitted is reserved for ana; got ben"],
  ],
  [
    "blocked by a ghost",
    { event: "blocked", from: "zoe" },
    ["blocked participant is not listed in protocol.json"],
  ],
];

describe("a stored event", () => {
  for (const [name, fields, faults] of rows) {
    it(`shows ${name}`, () => assert.deepEqual(faultsOf(fields), faults));
  }

  it("needs nothing to answer when it begins the log", () => {
    const state = folded(settings);
    assert.deepEqual(eventFaults(state, eventAt(1, ["ana", "initialized"])), []);
    assert.deepEqual(eventFaults(state, eventAt(1, ["ana", "blocked"])), [required]);
    const itself = { ...eventAt(1, ["ana", "initialized"]), reply_to: 1 };
    assert.deepEqual(eventFaults(state, itself), [earlier]);
  });

  it("is compared with the last valid time, not with the latest", () => {
    const ahead: Act = ["ben", "blocked", { at: "2030-01-01T00:00:00Z" }];
    const behind: Act = ["ben", "blocked", { at: "2026-06-01T00:00:00Z" }];
    const none: Act = ["ben", "blocked", { at: "soon" }];
    const state = folded(settings, ["ana", "initialized"], ahead, behind, none);
    assert.deepEqual(
      eventFaults(state, eventAt(5, ["ben", "blocked", { at: "2026-06-02T00:00:00Z" }])),
      [],
    );
    const before = eventAt(5, ["ben", "blocked", { at: "2026-05-31T00:00:00Z" }]);
    assert.deepEqual(eventFaults(state, before), [backward]);
  });
});

describe("a time", () => {
  /** Milliseconds since 1970. */
  const instants: Record<string, number> = {
    "1970-01-01T00:00:00Z": 0,
    "2026-11-22T10:00:00Z": 1_795_341_600_000,
    "2026-11-22T12:00:00+02:00": 1_795_341_600_000,
    "2026-11-22T12:00:00+0200": 1_795_341_600_000,
    "2026-11-22T12+02": 1_795_341_600_000,
    "20261122T100000Z": 1_795_341_600_000,
    "2026-11-22 10:00:00-00:00": 1_795_341_600_000,
    "2026-11-22T10:00:00.123456789Z": 1_795_341_600_123.456,
    "2026-11-22T10:00:00,5Z": 1_795_341_600_500,
    "2026-11-22T10:00:30+00:00:30": 1_795_341_600_000,
    "2024-02-29T00:00:00Z": 1_709_164_800_000,
    "0001-01-01T00:00:00Z": -62_135_596_800_000,
    "9999-12-31T23:59:59Z": 253_402_300_799_000,
  };
  for (const [text, milliseconds] of Object.entries(instants)) {
    it(`${text} is ${milliseconds}`, () => assert.equal(instantOf(text), milliseconds));
  }
  const none = [
    ...["", "2026-11-22", "2026-11-22T10:00:00", "2026-11-22T10:00:00z", " 2026-11-22T10:00:00Z"],
    ...["2026-11-22T10:00:00Z ", "2026-11-22T24:00:00Z", "2026-11-22T10:60:00Z", "1795341600000"],
    ...["2026-11-22T10:00:60Z", "2026-11-22T10:0000Z", "2026-11-22T10:00:00+24:00"],
    ...["2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z"],
    ...["2026-00-01T00:00:00Z", "2026-11-00T00:00:00Z", "0000-01-01T00:00:00Z"],
    ...["2026-W47-7T10:00Z", "22 November 2026 10:00 UTC", "2026-11-22T10:00:00 UTC"],
  ];
  for (const text of none) {
    it(`${JSON.stringify(text)} is none`, () => assert.equal(instantOf(text), undefined));
  }
});
