import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isRecord } from "../../../scripts-src/base/json.ts";
import { modes } from "../../../scripts-src/protocol/config.ts";
import { type ConsultRun, runMaker } from "../consult-run.ts";

const question = "Should we store sessions in SQLite or in files?";
const session = "should-we-store-sessions-in";

const banner = "DRY RUN: scripts went through the steps; nothing was judged or decided.";

/** It says so first and last, and tells no decision. */
function isDryRun({ stdout, stderr }: { stdout: string; stderr: string }): void {
  const report = stdout.trimEnd().split("\n");
  assert.match(report[0] ?? "", /^# DRY RUN: /, stderr);
  assert.deepEqual([report[2], report.at(-1)], [`**${banner}**`, `**${banner}**`]);
  assert.match(stdout, /^- the rules ended it as: consensus$/m);
  assert.match(stdout, /^## Decision\n\n- not judged \(dry run\)\n\n## /m);
  const said = stderr.trimEnd().split("\n");
  assert.deepEqual([said[0], said.at(-1)], [banner, banner]);
}

describe("a rehearsal", { concurrency: 2 }, () => {
  const project = runMaker([]);
  const messagesOf = (run: ConsultRun, id: string) =>
    run.events(id).flatMap(({ message }) => (isRecord(message) ? [message] : []));

  for (const mode of modes) {
    it(`plays ${mode} to a report in a folder of one file`, { timeout: 120_000 }, async () => {
      const run = project();
      writeFileSync(join(run.project, "notes.md"), "We keep sessions in SQLite.\n");
      const { exitCode, stdout, stderr } = await run.consult([
        "--rehearse",
        "--mode",
        mode,
        question,
      ]);
      assert.equal(exitCode, 0, stderr);
      isDryRun({ stdout, stderr });
      assert.match(stdout, /I measured what I had assumed: (?:one durable write|searching)/);
      assert.match(stdout, /This was a dry run/);
      assert.doesNotMatch(stderr, /one more try/);
    });
  }

  it("has blind positions, claims that both see, a synthesis, and says it is scripted", async () => {
    const run = project();
    writeFileSync(join(run.project, "notes.md"), "We keep sessions in SQLite.\n");
    await run.consult(["--rehearse", "--mode", "turns", question]);
    const said = messagesOf(run, session);
    assert.deepEqual(
      said.map(({ type }) => type),
      ["REQUEST", "RESPONSE", "EVALUATE", "EVALUATE", "AGREE", "AGREE"],
    );
    const text = JSON.stringify(said);
    const path = join(run.project, ".consulta/artifacts", session, "merged-solution.md");
    const solution = readFileSync(path, "utf8");
    // Both found the same in the same line, which counts once.
    assert.match(solution, /^Verdict: CONSENSUS, 1 of 1 claims seen$/m);
    assert.match(text, /"acknowledged":\["/);
    assert.match(
      text,
      /"synthesis":"Take \\"(?:files|SQLite)\\" now.* keep \\"(?:files|SQLite)\\"/,
    );
    const [, ...scripted] = said;
    for (const message of scripted)
      assert.match(JSON.stringify(message["question_or_proposal"]), /dry run: a script, no AI/);
  });

  it("goes on honestly when a claim no longer holds", async () => {
    const run = project();
    const notes = join(run.project, "notes.md");
    writeFileSync(notes, "We keep sessions in SQLite.\n");
    const first = await run.consult([
      "--rehearse",
      "--mode",
      "turns",
      question,
      "--turns-max",
      "1",
    ]);
    assert.equal(first.exitCode, 1);
    writeFileSync(notes, "We keep them in memory.\n");
    const { stderr } = await run.consult(["--rehearse", "--session", session]);
    assert.match(JSON.stringify(run.events(session)), /"outcome":"fails"/, stderr);
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
      isDryRun({ stdout, stderr });
    });
  }
});
