import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { playScenario } from "./play-scenario.ts";

const folder = join(import.meta.dirname, "seed-rules");

/** Written from the seed alone, before the code was looked at. */
describe("the rules of honest debate (seed 003), as a user plays them:", () => {
  for (const name of readdirSync(folder).sort()) {
    it(name.replace(".yaml", ""), () => {
      assert.deepEqual(playScenario(join(folder, name)), []);
    });
  }
});
