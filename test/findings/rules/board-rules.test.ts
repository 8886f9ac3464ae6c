import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decide } from "../../../scripts-src/findings/rules/decide.ts";
import { metaText, readMeta } from "../../../scripts-src/findings/rules/meta-and-agents.ts";
import {
  awaitedAgents,
  type BoardState,
  evolve,
  initialState,
  isAllReady,
  readyCount,
} from "../../../scripts-src/findings/rules/state.ts";

const start = Date.parse("2026-04-22T14:35:00Z");
const after = (seconds: number) =>
  new Date(start + seconds * 1_000).toISOString().replace(".000Z", "Z");
const terms = { expectedAgents: 2, timeoutSeconds: 60, about: "", createdAt: after(0) };

/** A board of two after events such as `a registered`, one a second. */
function given(history: string, more = {}): BoardState {
  const events = ["consulta board_opened", ...history.split(", ").filter(Boolean)];
  return events.reduce(
    (state, words, index) => {
      const [from = "", event = ""] = words.split(" ");
      const at = after(index);
      return evolve(state, { seq: index + 1, from, event, at, summary: "", id: "", ...more });
    },
    initialState(readMeta(metaText(terms))),
  );
}

const two = "a registered, b registered";
const both = `${two}, a readied, b readied`;

describe("who is waited for", () => {
  const rows: [what: string, history: string, count: string, awaited: string[], all: boolean][] = [
    ["nobody has registered", "", "0 of 2 agents", [], false],
    ["one is ready", `${two}, a readied`, "1 of 2 agents", ["b"], false],
    ["one is ready alone", "a registered, a readied", "1 of 2 agents", [], false],
    ["all are ready", both, "2 of 2 agents", [], true],
    [
      "one more came in time",
      `${two}, c registered, a readied, b readied`,
      "2 of 3 agents",
      ["c"],
      false,
    ],
    [
      "it is ready too",
      `${two}, c registered, a readied, b readied, c readied`,
      "3 of 3 agents",
      [],
      true,
    ],
    ["one came when all were ready", `${both}, late registered`, "2 of 2 agents", [], true],
    ["and got ready", `${both}, late registered, late readied`, "3 of 3 agents", [], true],
    [
      "one took its mark back",
      `${both}, late registered, a withdrawn`,
      "1 of 2 agents",
      ["a"],
      false,
    ],
  ];
  for (const [what, history, count, awaited, all] of rows) {
    it(`is told where ${what}`, () => {
      const state = given(history);
      const names = awaitedAgents(state).map(({ name }) => name);
      assert.deepEqual([readyCount(state), names, isAllReady(state)], [count, awaited, all]);
    });
  }
});

describe("the deadline", () => {
  const byHand = { noticed: true };
  const rows: [what: string, state: BoardState, seconds: number, verdict: string][] = [
    ["comes with the first registration", given("a registered"), 1, after(61)],
    ["waits for a first agent", given(""), 9, "NOT_YET"],
    ["is set once", evolve(given("a registered"), deadlineEvent()), 9, "EXISTS"],
    ["is left to an original that just registered", given("a registered", byHand), 3, "NOT_YET"],
    ["is set where that has forgotten it", given("a registered", byHand), 5, after(61)],
    ...["0000", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "+275760-09-13T00:00:00Z"].map(
      (time): [string, BoardState, number, string] => [
        `counts from when it was seen where agents.md says ${time}`,
        seenByHand(time),
        9,
        after(61),
      ],
    ),
    ["counts from what agents.md says", seenByHand(after(-30)), 9, after(30)],
  ];
  for (const [what, state, seconds, verdict] of rows) {
    it(what, () => {
      const fields = { event: "deadline_set" };
      const by = { participant: "consulta", origin: "folder" as const, fields };
      const decided = decide(state, { ...by, at: after(seconds), id: "x", files: new Map() });
      assert.equal(
        decided.ok && "event" in decided ? decided.event["deadline"] : decided.ok || decided.code,
        verdict,
      );
    });
  }

  function deadlineEvent() {
    return {
      seq: 3,
      from: "consulta",
      event: "deadline_set",
      at: after(2),
      summary: "",
      id: "",
      deadline: after(61),
    };
  }

  /** As `notice` enters who registered by hand. */
  function seenByHand(time: string): BoardState {
    const state = given("");
    const fields = { event: "registered", registered_at: time };
    const by = { participant: "a", origin: "folder" as const, fields };
    const decided = decide(state, { ...by, at: after(1), id: "x", files: new Map() });
    assert(decided.ok && "event" in decided);
    return evolve(state, decided.event);
  }
});
