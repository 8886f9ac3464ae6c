import assert from "node:assert/strict";
import { it } from "node:test";
import { findDeadlock } from "../../scripts-src/dialogue/ending.ts";
import { type DialogueState, initialSide, initialState } from "../../scripts-src/dialogue/state.ts";

function stateWith(change: Partial<DialogueState>, confidences: number[] = []): DialogueState {
  const sides = { claude: { ...initialSide(), confidences }, gemini: initialSide() };
  const rules = { ...initialState().rules, deadlock_detection_rounds: 3 };
  return { ...initialState(), participants: ["claude", "gemini"], sides, rules, ...change };
}

const disputes: [since: number, round: number, stuck: boolean][] = [
  [1, 1, false],
  [1, 2, false],
  [1, 3, true],
  [2, 3, false],
  [2, 4, true],
  [5, 9, true],
];
for (const [since, round, stuck] of disputes) {
  it(`${stuck ? "sees" : "sees no"} deadlock in round ${round} on a dispute since ${since}`, () => {
    const state = stateWith({ round, disagreements: [{ point: "the lock", since, by: "gemini" }] });
    assert.equal(findDeadlock(state), stuck ? "disputed for 3 rounds: the lock" : "");
  });
}

it("sees deadlock in two rounds of counter-proposals from both sides", () => {
  assert.equal(findDeadlock(stateWith({ counterRounds: 1 })), "");
  assert.match(findDeadlock(stateWith({ counterRounds: 2 })), /counter-proposals in two rounds/);
});

const confidences: [name: string, values: number[], swings: boolean][] = [
  ["steady", [0.9, 0.9, 0.9, 0.9], false],
  ["rising", [0.2, 0.4, 0.6, 0.9], false],
  ["up and down once", [0.5, 0.9, 0.5], false],
  ["up, down, up", [0.5, 0.9, 0.5, 0.9], true],
  ["down, up, down", [0.9, 0.5, 0.9, 0.5], true],
  ["growing", [0.6, 0.7, 0.5, 0.9], true],
  ["settling", [0.5, 0.9, 0.6, 0.8], false],
  ["in small steps", [0.5, 0.55, 0.5, 0.55], false],
  ["by exactly a tenth", [0.8, 0.9, 0.8, 0.9], true],
  ["earlier and steady since", [0.5, 0.9, 0.5, 0.9, 0.9], false],
  ["after a steady start", [0.9, 0.9, 0.5, 0.9, 0.5], true],
];
for (const [name, values, swings] of confidences) {
  it(`${swings ? "takes" : "does not take"} a confidence ${name} for one that swings`, () => {
    const expected = swings ? "the confidence of claude swings without settling" : "";
    assert.equal(findDeadlock(stateWith({}, values)), expected);
  });
}
