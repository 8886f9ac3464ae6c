import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as conclusion from "../../../scripts-src/collaboration/rules/conclusion.ts";
import { textsOf } from "../../../scripts-src/collaboration/rules/faults.ts";
import * as readiness from "../../../scripts-src/collaboration/rules/readiness.ts";
import { reviewHeadings } from "../../../scripts-src/collaboration/rules/reviews.ts";
import type { Settings } from "../../../scripts-src/collaboration/rules/settings.ts";
import { cpuMs } from "../../cpu-time.ts";
import { adr, settingsFor } from "../complete-folder.ts";

const acceptanceFaults = (text: string) => textsOf(readiness.acceptanceFaults(text));
const readinessFaults = (text: string) => textsOf(readiness.readinessFaults(text));
const gateFaults = (text: string, gates: string[]) => textsOf(readiness.gateFaults(text, gates));
const conclusionFaults = (text: string, settings: Settings) =>
  textsOf(conclusion.conclusionFaults(text, settings));

describe("documents of 1 MiB made to take long", () => {
  const settings = settingsFor(adr);
  const size = 1_048_576;
  const fill = (unit: string) => unit.repeat(Math.floor(size / unit.length));
  const texts = [
    ["blank lines", fill("\n")],
    ["blanks", fill(" ")],
    ["dashes without marks", fill("-\n")],
    ["marks without words", fill("- [resolved]\n")],
    ["open brackets", `- ${fill("[")}`],
    ["hashes", fill("##\n")],
    ["hashes and blanks", `## ${fill(" ")}`],
    ["a heading of dashes", `## ${fill("a - ")}seq 1`],
    ["a heading of many seqs", `## x${fill(" - seq 1")}x`],
    ["statuses without end", `- [${fill("a")}`],
    ["placeholders inside words", fill("TBDx ")],
  ] as const;
  for (const [name, text] of texts) {
    it(`reads ${name} in linear time`, () => {
      const start = cpuMs();
      acceptanceFaults(text);
      readinessFaults(text);
      gateFaults(text, ["Gate one"]);
      conclusionFaults(text, settings);
      reviewHeadings(text);
      // Even a slow machine needs a fraction of this; squares of a million take hours.
      assert(cpuMs() - start < 10_000);
    });
  }
});
