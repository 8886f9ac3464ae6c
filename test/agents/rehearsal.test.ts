import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { modes } from "../../scripts-src/core/config.ts";
import { isRecord } from "../../scripts-src/core/json.ts";
import { removeFolder } from "../store/scratch-folder.ts";
import { buildScripts } from "./built-scripts.ts";
import { ConsultRun } from "./consult-run.ts";

const question = "Should we store sessions in SQLite or in files?";
const session = "should-we-store-sessions-in";

describe("a rehearsal", { concurrency: 2 }, () => {
  let scripts = "";
  const runs: ConsultRun[] = [];
  before(async () => {
    scripts = await buildScripts();
  });
  after(() => {
    for (const run of runs) removeFolder(run.folder);
    removeFolder(dirname(scripts));
  });
  function project(): ConsultRun {
    const run = new ConsultRun(scripts, []);
    runs.push(run);
    return run;
  }
  const messagesOf = (run: ConsultRun, id: string) =>
    run.events(id).flatMap(({ message }) => (isRecord(message) ? [message] : []));

  for (const mode of modes) {
    it(`plays ${mode} to a report in an empty folder`, { timeout: 20_000 }, async () => {
      const run = project();
      const { exitCode, stdout, stderr } = await run.consult([
        "--rehearse",
        "--mode",
        mode,
        question,
      ]);
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /\*\*CONSENSUS\*\*/, stderr);
      assert.match(stdout, /refuted: one durable write takes more than 100 ms|refuted: searching/);
      assert.match(stdout, /This was a rehearsal/);
      assert.doesNotMatch(stderr, /one more try/);
    });
  }

  it("has objection, refuted hypothesis, synthesis, re-checked claim, and says it is scripted", async () => {
    const run = project();
    await run.consult(["--rehearse", question]);
    const said = messagesOf(run, session);
    assert.deepEqual(
      said.map(({ type }) => type),
      ["REQUEST", "RESPONSE", "EVALUATE", "EVALUATE", "AGREE", "AGREE", "CONSENSUS", "AGREE"],
    );
    const text = JSON.stringify(said);
    assert.match(text, /"about":"fact"/);
    assert.match(text, /"acknowledged":\["/);
    assert.match(text, /"synthesis":"Take \\"files\\" now.* keep \\"SQLite\\"/);
    assert.match(text, /"outcome":"holds"/);
    assert.match(text, /"outcome":"refuted","evidence":"20 durable writes .* median \d+\.\d\d ms/);
    const [, ...scripted] = said;
    for (const message of scripted)
      assert.match(
        JSON.stringify(message["question_or_proposal"]),
        /rehearsal: scripted colleague, no AI/,
      );
  });

  it("goes on honestly when a claim no longer holds", async () => {
    const run = project();
    const first = await run.consult(["--rehearse", question, "--turns-max", "1"]);
    assert.equal(first.exitCode, 1);
    writeFileSync(join(run.project, "notes.txt"), "SQLite");
    const { exitCode, stdout, stderr } = await run.consult(["--rehearse", "--session", session]);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /\*\*CONSENSUS\*\*/, stderr);
    assert.match(JSON.stringify(run.events(session)), /"outcome":"fails"/);
  });

  const questions = [
    "Rewrite the parser?",
    "Перейти на TypeScript или остаться на JavaScript?",
    'I disagree with everything or I am against "it"?',
    "x",
  ];
  for (const asked of questions) {
    it(`takes any question: ${asked}`, async () => {
      const { exitCode, stdout, stderr } = await project().consult([
        "--rehearse",
        asked,
        "--participants",
        "eva,tom",
      ]);
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /\*\*CONSENSUS\*\*/, stderr);
    });
  }
});
