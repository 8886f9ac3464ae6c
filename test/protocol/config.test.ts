import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, JsonValue } from "../../scripts-src/base/json.ts";
import { defaultConfig, parseConfig } from "../../scripts-src/protocol/config.ts";
import { hasCode } from "../log/check-event-log.ts";

const seed: JsonObject = {
  protocol_version: "1.2",
  max_rounds: 10,
  polling_interval_seconds: 3,
  heartbeat_seconds: 30,
  presence_timeout_seconds: 60,
  message_timeout_seconds: 300,
  hook_wait_seconds: 1_800,
  consensus_confidence_threshold: 0.85,
  deadlock_detection_rounds: 3,
  auto_escalate_on_deadlock: true,
  max_concurrent_sessions: 3,
  modes_enabled: ["rapida", "profondo", "parallelo", "competitiva"],
  default_mode: "rapida",
  fallback_mode: "ask_user",
  artifacts_dir: "artifacts",
  log_level: "info",
  cleanup_completed_sessions_after_days: 30,
  brain: true,
  owner_words: [],
  store: "files",
};

const edges: [key: string, least: number, most: number, whole: boolean][] = [
  ["max_rounds", 1, 10_000_000, true],
  ["polling_interval_seconds", 0.1, 3_600, false],
  ["message_timeout_seconds", 0, 604_800, false],
  ["hook_wait_seconds", 0, 1_800, false],
  ["consensus_confidence_threshold", 0, 1, false],
  ["deadlock_detection_rounds", 1, 1_000, true],
  ["max_concurrent_sessions", 1, 1_000, true],
  ["cleanup_completed_sessions_after_days", 0, 36_500, false],
];

/** A user who lets projects do what they like. */
const everything = {
  max_rounds: 10_000_000,
  max_concurrent_sessions: 1_000,
  consensus_confidence_threshold: 0,
  deadlock_detection_rounds: 1_000,
  cleanup_completed_sessions_after_days: 1,
};

describe("the config", () => {
  it("has the seed's values where the file says nothing", () => {
    assert.deepEqual(parseConfig({}), seed);
    assert.deepEqual({ ...defaultConfig }, seed);
  });

  it("takes what the file says and keeps the rest", () => {
    const config = parseConfig({ max_rounds: 4, log_level: "debug" });
    assert.deepEqual(config, { ...seed, max_rounds: 4, log_level: "debug" });
  });

  for (const [key, least, most, whole] of edges) {
    it(`reads ${key} from ${least} to ${most} and nothing else`, () => {
      for (const value of [least, most]) {
        const config = parseConfig({ [key]: value }, everything);
        assert.deepEqual(config, { ...seed, [key]: value });
      }
      const outside: JsonValue[] = [least - 0.01, most + 1, String(least), null, true, [least]];
      for (const value of whole ? [...outside, least + 0.5] : outside) {
        assert.throws(
          () => parseConfig({ [key]: value }, everything),
          hasCode(
            "REFUSED",
            new RegExp(`^config\\.json: ${key} is .*, expected a .*; correct the`),
          ),
        );
      }
    });
  }

  const wrong: [key: string, value: JsonValue, fault: RegExp][] = [
    ["protocol_version", "2.0", /protocol_version is "2\.0", expected one of 1\.0, 1\.1, 1\.2/],
    ["heartbeat_seconds", 0.5, /heartbeat_seconds is 0\.5, expected a number from 1 to 3600/],
    ["heartbeat_seconds", 60, /presence_timeout_seconds must be more than heartbeat_seconds/],
    ["presence_timeout_seconds", 0, /presence_timeout_seconds is 0, expected a number from 1/],
    ["auto_escalate_on_deadlock", "yes", /is "yes", expected true or false/],
    [
      "modes_enabled",
      ["rapida", "lenta"],
      /modes_enabled\[1\] is "lenta", expected one of turns, deep/,
    ],
    ["modes_enabled", [], /default_mode is rapida, which modes_enabled does not list/],
    [
      "default_mode",
      "quick",
      /default_mode is "quick", expected one of turns, deep, async, blind, rapida, profondo/,
    ],
    ["fallback_mode", "yolo", /fallback_mode is "yolo", expected one of ask_user, headless, wait/],
    ["log_level", "verbose", /log_level is "verbose", expected one of error, warn, info, debug/],
    ["artifacts_dir", "", /artifacts_dir is "", expected some text/],
    ["artifacts_dir", "../out", /artifacts_dir must be one new folder name inside \.consulta/],
    ["artifacts_dir", "a/b", /artifacts_dir must be one new folder name/],
    ["artifacts_dir", ".hidden", /artifacts_dir must be one new folder name/],
    ["artifacts_dir", "archive", /artifacts_dir must be one new folder name/],
    ["artifacts_dir", "sessions", /artifacts_dir must be one new folder name/],
    ["artifacts_dir", "inbox-claude", /artifacts_dir must be one new folder name/],
    ["artifacts_dir", "Sessions", /artifacts_dir must be one new folder name/],
    ["artifacts_dir", "INBOX-claude", /artifacts_dir must be one new folder name/],
    ["artifacts_dir", "CON", /artifacts_dir must be one new folder name/],
    ["max_round", 3, /max_round is not a field \(did you mean max_rounds\?\)/],
    ["maxRounds", 3, /maxRounds is not a field \(did you mean max_rounds\?\)/],
    ["colour", "red", /colour is not a field \(known are protocol_version, max_rounds/],
  ];
  for (const [key, value, fault] of wrong) {
    it(`refuses ${key}: ${JSON.stringify(value)}`, () => {
      assert.throws(() => parseConfig({ [key]: value }), hasCode("REFUSED", fault));
    });
  }

  const loose: [key: string, tighter: JsonValue, looser: JsonValue, bound: RegExp][] = [
    ["max_rounds", 9, 11, /max_rounds is 11, a project may set at most 10 unless you allow/],
    ["max_concurrent_sessions", 2, 4, /may set at most 3 unless/],
    ["consensus_confidence_threshold", 0.9, 0.84, /is 0\.84, a project may set at least 0\.85 /],
    ["deadlock_detection_rounds", 2, 4, /may set at most 3 unless/],
    ["auto_escalate_on_deadlock", true, false, /is false, a project may set true unless/],
    ["fallback_mode", "wait", "headless", /is "headless", a project may set ask_user or wait/],
    ["cleanup_completed_sessions_after_days", 31, 29, /may set 0 \(never\) or at least 30 unless/],
  ];

  /** Keys that a project, which may come with a clone, may set as it likes, and why that harms nobody. */
  const harmless: Readonly<Record<string, string>> = {
    protocol_version: "the accepted versions differ in nothing",
    polling_interval_seconds: "an hour at most: waits have their own end",
    heartbeat_seconds: "a waiter that died on this machine is known by its process",
    presence_timeout_seconds: "another one counts for a day at most",
    message_timeout_seconds: "agents wait in portions of minutes, consult has its own limit",
    hook_wait_seconds: "the default is the most",
    modes_enabled: "each mode is held to the same rules of agreement",
    default_mode: "the same",
    artifacts_dir: "one new folder inside of .consulta",
    log_level: "errors are said at every level",
    brain: "without one nothing is remembered, and nothing is lost",
    owner_words: "they only make a decision the user's",
    store: "a name that the user's own settings must have as well",
  };

  it("has a decision for each key: what harms is bounded, and tried here", () => {
    const decided = [...Object.keys(harmless), ...loose.map(([key]) => key)];
    assert.deepEqual(decided.sort(), Object.keys(defaultConfig).sort());
  });

  it("deletes ended sessions never, where a project says so", () => {
    const never = { cleanup_completed_sessions_after_days: 0 };
    assert.deepEqual(parseConfig(never), { ...seed, ...never });
  });

  for (const [key, tighter, looser, bound] of loose) {
    it(`takes a stricter ${key} from a project, a looser one only by leave of the user`, () => {
      assert.deepEqual(parseConfig({ [key]: tighter }), { ...seed, [key]: tighter });
      assert.throws(() => parseConfig({ [key]: looser }), hasCode("REFUSED", bound));
      const line = new RegExp(`"limits: \\{${key}: ${looser}\\}" in ~/\\.consulta/config\\.yaml`);
      assert.throws(() => parseConfig({ [key]: looser }), hasCode("REFUSED", line));
      const own = { [key]: looser };
      assert.deepEqual(parseConfig({ [key]: looser }, own), { ...seed, [key]: looser });
      assert.deepEqual(parseConfig({ [key]: tighter }, own), { ...seed, [key]: tighter });
    });
  }

  it("deletes no session on the day that it ends", () => {
    const value = { cleanup_completed_sessions_after_days: 0.001 };
    assert.throws(
      () => parseConfig(value),
      hasCode("REFUSED", /must be 0 \(never\) or at least 1/),
    );
  });

  for (const value of [null, [], "x", 1]) {
    it(`refuses ${JSON.stringify(value)} in place of an object`, () => {
      assert.throws(() => parseConfig(value), hasCode("REFUSED", /expected an object/));
    });
  }

  it("names all faults of a file at once", () => {
    const faults = hasCode("REFUSED", /max_rounds is 0.*log_level is "x".*colour is not a field/);
    assert.throws(() => parseConfig({ max_rounds: 0, log_level: "x", colour: 1 }), faults);
  });
});
