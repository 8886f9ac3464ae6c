import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import {
  codingMemories,
  codingPrompts,
  measureRelevance,
  shuffledMemories,
  storeCodingMemories,
} from "./coding-fixture.ts";

/** Shares of the prompts of each set; on those that nothing was tuned by it once was 0 and 55 of 64. */
const falseAlarmsMax = { tuning: 0.05, report: 0 } as const;
const foundMin = { tuning: 0.5, report: 55 / 64 } as const;

import { openStore } from "../../scripts-src/brain/store/brain-store.ts";

describe("relevance on the memories of a coding project", () => {
  it("has enough memories and prompts, half of them about something else", () => {
    assert(codingMemories.length >= 200);
    const reported = codingPrompts.filter(({ set }) => set === "report");
    assert(reported.length >= 100);
    const offTopic = reported.filter(({ expects }) => expects.length === 0).length;
    assert(offTopic * 2 >= reported.length);
  });

  it("interrupts no more often when there are many memories of the same words", async (t) => {
    const folder = makeScratchFolder();
    const store = await openStore(folder);
    try {
      storeCodingMemories(store);
      for (const memories of [1_000, 5_000]) {
        store.memories.load(shuffledMemories(memories));
        const { falseAlarms, offTopic } = measureRelevance(store, "report");
        const count = store.stats().memories;
        t.diagnostic(`${count} memories: fired on ${falseAlarms.length} of ${offTopic}`);
        assert(falseAlarms.length <= falseAlarmsMax.report * offTopic, "too many false alarms");
      }
    } finally {
      store.close();
      removeFolder(folder);
    }
  });

  for (const set of ["tuning", "report"] as const) {
    it(`seldom interrupts without need and often with it (${set})`, async (t) => {
      const folder = makeScratchFolder();
      const store = await openStore(folder);
      try {
        storeCodingMemories(store);
        const figures = measureRelevance(store, set);
        const { falseAlarms, offTopic, onTopic, found, shown, shownRightly } = figures;
        t.diagnostic(
          `${set}: fired on ${falseAlarms.length} of ${offTopic} off-topic prompts, ` +
            `found ${found} of ${onTopic}, ${shownRightly} of ${shown} shown were right`,
        );
        for (const { prompt } of falseAlarms) t.diagnostic(`false alarm: ${prompt}`);
        assert(falseAlarms.length <= falseAlarmsMax[set] * offTopic, "too many false alarms");
        assert(found >= foundMin[set] * onTopic, "too little was found");
      } finally {
        store.close();
        removeFolder(folder);
      }
    });
  }
});
