import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { ServedBrain } from "./served-brain.ts";

/** What a hook does with what it was given. */
const fates = ["printed", "printed", "printed", "died", "silent"] as const;

const step = fc.record({
  percentage: fc.oneof(fc.integer({ min: 82, max: 99 }), fc.integer({ min: 0, max: 120 })),
  fate: fc.constantFrom(...fates),
  isTurn: fc.boolean(),
  compacted: fc.nat(19).map((number) => number === 0),
});

const alerts = [
  ["alert.memory_full", 90],
  ["alert.hallucination_risk", 95],
] as const;

describe("alerts through a server", () => {
  let brain: ServedBrain;
  let walks = 0;
  before(async () => {
    brain = new ServedBrain();
    await brain.start();
  });
  after(() => brain.stop());

  it("come once per rise and turn and are never lost, though hooks die and stay silent at random", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        walks += 1;
        const session = `walk-${walks}`;
        /** Told by hand: what was printed since the usage was last low enough. */
        const printed = new Set<string>();
        /** What was printed in this turn. */
        const inTurn = new Set<string>();
        for (const { percentage, fate, isTurn, compacted } of steps) {
          const client = await brain.client();
          const about = { session, cli: "claude" };
          if (compacted) {
            const start = { event: "start", source: "compact", deliverable: false };
            await client.ask("session.sync", { ...about, ...start });
            printed.clear();
            inTurn.clear();
          }
          if (isTurn) inTurn.clear();
          for (const [name, threshold] of alerts) {
            if (percentage <= threshold) printed.delete(name);
          }
          const isKnown = (name: string) => printed.has(name) || inTurn.has(name);
          const due = alerts.filter(([name, over]) => percentage > over && !isKnown(name));
          const { receipt } = await client.ask("session.sync", {
            ...about,
            event: isTurn ? "prompt" : "tool",
            token_usage: { current: percentage, total: 100 },
            deliverable: fate !== "silent",
            confirm: true,
          });
          const came = client.pushed.map(({ method }) => method);
          const expected = fate === "silent" ? [] : due.map(([name]) => name);
          assert.deepEqual(came, expected);
          if (fate === "printed" && receipt !== undefined) {
            assert.deepEqual(await client.ask("session.delivered", { receipt }), { counted: true });
            for (const name of came) for (const those of [printed, inTurn]) those.add(name);
          }
          client.line?.close();
          const onlooker = await brain.client();
          if (fate === "died") await brain.aloneWith(onlooker);
          onlooker.line?.close();
        }
      }),
      { numRuns: 60 },
    );
  });
});
