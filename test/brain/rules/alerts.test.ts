import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  alertsAfter,
  dueAlerts,
  fillOf,
  givenAlerts,
  parseAlerts,
  shownFill,
  withGiven,
} from "../../../scripts-src/brain/rules/alerts.ts";
import type { TokenUsage } from "../../../scripts-src/brain/rules/methods.ts";

const at = (percentage: number) => ({ percentage, rawPercentage: undefined });

/** What is given along a walk of percentages when everything is delivered; `turn` begins one. */
function given(walk: readonly (number | "turn")[]): string[] {
  let [alerts, turn] = [parseAlerts(undefined), 0];
  return walk.flatMap((step) => {
    if (step === "turn") {
      turn += 1;
      return [];
    }
    alerts = alertsAfter(alerts, at(step));
    const due = dueAlerts(alerts, at(step), turn);
    for (const name of due) alerts = withGiven(alerts, { name, rise: alerts[name].rise, turn });
    return due.map((name) => `${name} ${step}`);
  });
}

const walks: [name: string, walk: (number | "turn")[], alerts: string[]][] = [
  ["nothing up to the threshold itself", [10, 89.9, 90], []],
  ["memory_full above it", [90.001], ["memory_full 90.001"]],
  ["both in a jump, the lower first", [99], ["memory_full 99", "hallucination_risk 99"]],
  ["both above the whole window", [130], ["memory_full 130", "hallucination_risk 130"]],
  [
    "each once while the usage stays up",
    [91, 92, 96, 97, 91, 96],
    ["memory_full 91", "hallucination_risk 96"],
  ],
  ["nothing again after a dip in the same turn", [91, 85, 91], ["memory_full 91"]],
  [
    "hallucination_risk again after a fall to its threshold, as the seed has it",
    [97, "turn", 93, "turn", 96],
    ["memory_full 97", "hallucination_risk 97", "hallucination_risk 96"],
  ],
  [
    "nothing twice in a turn, though the usage goes up and down around the threshold",
    [97, 93, 96, 94, 97, "turn", 97, 93, 97],
    ["memory_full 97", "hallucination_risk 97", "hallucination_risk 97"],
  ],
  [
    "memory_full again after a fall to 90 exactly",
    [91, "turn", 90, 90.5],
    ["memory_full 91", "memory_full 90.5"],
  ],
  [
    "what was measured with the prototype, and the rise of its last turns but two",
    [89.2, 91, 91.6, 95.8, 96.4, "turn", 88.6, "turn", 91.6, "turn", 60, "turn", 91.6],
    ["memory_full 91", "hallucination_risk 95.8", "memory_full 91.6", "memory_full 91.6"],
  ],
];

describe("alerts", () => {
  for (const [name, percentages, alerts] of walks) {
    it(`give ${name}`, () => assert.deepEqual(given(percentages), alerts));
  }

  it("count for the rise that they were about, but as told in their turn", () => {
    const full = alertsAfter(parseAlerts(undefined), at(91));
    const told = { name: "memory_full", rise: full.memory_full.rise, turn: 0 } as const;
    const later = withGiven(alertsAfter(alertsAfter(full, at(80)), at(91)), told);
    assert.deepEqual(dueAlerts(later, at(91), 0), []);
    assert.deepEqual(dueAlerts(later, at(91), 1), ["memory_full"]);
  });

  it("keep their state over a restart; what makes no sense is armed", () => {
    const told = { name: "memory_full", rise: 0, turn: 3 } as const;
    const given = givenAlerts(withGiven(parseAlerts(undefined), told));
    assert.deepEqual(given, { memory_full: true, hallucination_risk: false });
    assert.deepEqual(givenAlerts(parseAlerts(given)), given);
    const armed = givenAlerts(parseAlerts(undefined));
    for (const odd of [null, 7, [], { memory_full: "yes" }, { hallucination_risk: 1 }])
      assert.deepEqual(givenAlerts(parseAlerts(odd)), armed);
  });
});

const usages: [name: string, usage: TokenUsage, token: number | undefined, raw?: number][] = [
  ["current and total, as the seed has them", { current: 910, total: 1_000 }, 91],
  ["the raw window beside it", { current: 150_000, total: 167_000, raw_total: 200_000 }, 89.8, 75],
  ["more than all of it", { current: 1_200, total: 1_000 }, 120],
  ["a total of 0", { current: 10, total: 0 }, undefined],
  ["no total and no model", { current: 10 }, undefined],
  ["a current that is no number", { current: Number.NaN, total: 10 }, undefined],
  [
    "Claude with 200k: it compacts at 167,000",
    { current: 160_000, model: "claude-opus-4-6" },
    95.8,
    80,
  ],
  ["Claude with 1M by its name", { current: 967_000, model: "claude-opus-4-8" }, 100, 96.7],
  ["Claude with 1M by what is in it", { current: 500_000, model: "claude-opus-4-6" }, 51.7, 50],
  [
    "Claude models that run up to their window",
    { current: 190_000, model: "claude-haiku-4-5" },
    95,
    95,
  ],
  ["Gemini, which compacts at half", { current: 500_000, model: "gemini-3-pro" }, 95.4, 47.7],
  ["a model that nobody knows", { current: 500_000, model: "other" }, undefined],
  [
    "a model that nobody knows, with its window",
    { current: 95, raw_total: 100, model: "other" },
    95,
    95,
  ],
];

describe("the effective window", () => {
  for (const [name, usage, token, raw] of usages) {
    it(`is known from ${name}`, () => {
      const fill = fillOf(usage);
      const expected = {
        token_percentage: token,
        ...(raw === undefined ? {} : { raw_percentage: raw }),
      };
      assert.deepEqual(fill && shownFill(fill), token === undefined ? undefined : expected);
    });
  }
});
