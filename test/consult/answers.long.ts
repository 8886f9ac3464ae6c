import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Mode } from "../../scripts-src/protocol/config.ts";
import { lost, mended, staysOpen, takesMessages, triesOnceMore, understood } from "./answers.ts";
import { runMaker } from "./consult-run.ts";

describe("consult, whatever a participant answers", { concurrency: 2 }, () => {
  const project = runMaker();
  triesOnceMore(project, mended.slice(1));
  takesMessages(project, understood.slice(2));
  staysOpen(project, lost.slice(1));

  const asked: Readonly<Record<Mode, string>> = {
    rapida: "x",
    profondo: "Перейти на TypeScript или остаться на JavaScript?",
    parallelo: 'I disagree with everything or I am against "it"?',
    competitiva: "Rewrite the parser?",
  };
  for (const [mode, question] of Object.entries(asked)) {
    it(`takes any question to a report in ${mode}: ${question}`, async () => {
      const run = project();
      writeFileSync(join(run.project, "notes.md"), "We keep sessions in SQLite.\n");
      const claims = { FAKE_CLAUDE: "claims", FAKE_GEMINI: "claims" };
      const { exitCode, stdout, stderr } = await run.consult([question, "--mode", mode], claims);
      assert.equal(exitCode, 0, stderr);
      // Where both claim the same of the same lines, it counts once.
      assert.match(
        stdout,
        /\*\*CONSENSUS, 1 of 1 claims seen and shown(?:, 1 figure only said)?\*\*/,
      );
      assert.doesNotMatch(stderr, /one more try/);
    });
  }
});
