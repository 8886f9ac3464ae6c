import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { question, session } from "./answers.ts";
import { auditsIn, claims, notesIn, turns, verdictIn } from "./audits.ts";
import { runMaker } from "./consult-run.ts";

describe("consult with an auditor", { concurrency: 2 }, () => {
  const project = runMaker();

  it("has a fresh process read the decision before the second AGREE, and nothing else", async () => {
    const run = notesIn(project());
    const ran = await run.consult(turns, claims);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(verdictIn(ran), "CONSENSUS, 1 of 1 claims seen and shown");
    const [call, ...more] = run.calls("auditor");
    assert.equal(more.length, 0);
    // Claude wrote the text, Gemini the claim.
    assert.equal(call?.cli, "gemini");
    assert.match(
      ran.stdout,
      /by gemini in a fresh process .*its vendor is another than that of the text's author/,
    );
    assert.equal(call?.environment["CONSULTA_SESSION"], undefined);
    assert.equal(call?.environment["CONSULTA_PARTICIPANT"], undefined);
    const { prompt = "", args = [] } = call ?? {};
    assert.match(prompt, /^\| seen:\n\| We keep sessions in SQLite\.$/m);
    // Its words are the text's own.
    assert.doesNotMatch(prompt.replace("claude in call 1", ""), /claude|gemini|confidence|0\.9/i);
    assert.match(args.join(" "), /--policy no-tools\.toml --extensions none/);
    assert.doesNotMatch(args.join(" "), /resume|load/);
    const [event, ...others] = auditsIn(run);
    assert.equal(others.length, 0);
    const [first, second] = run
      .events(session)
      .filter(({ summary }) => /^AGREE/.test(`${summary}`));
    assert(Number(event?.["seq"]) > Number(first?.["seq"]));
    assert(Number(event?.["seq"]) < Number(second?.["seq"]));
  });

  it("puts before the other side what the auditor does not see shown", async () => {
    const run = notesIn(project());
    const ran = await run.consult(turns, { ...claims, FAKE_AUDITOR: "doubts" });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(verdictIn(ran), "CONSENSUS, 1 of 1 claims seen, 0 shown");
    assert.match(ran.stdout, /does not show it: "It only names the word\."/);
    assert.match(ran.stdout, /kept by \w+, because "we have both seen it run"/);
    assert.equal(run.calls("auditor").length, 1);
  });

  const refused: [words: string[], reason: RegExp][] = [
    [["--auditor", "agy"], /agy is not known to run without tools/],
    [["--auditor", "me"], /"me" runs no auditor .*command:LINE/],
    [["--auditor", "codex"], /codex was not found on PATH/],
    [["--kind", "findings", "--auditor", "claude"], /--auditor belongs to --kind dialogue/],
  ];
  for (const [words, reason] of refused)
    it(`begins nothing with ${words.join(" ")}`, async () => {
      const run = project(["claude", "gemini", "agy"]);
      const ran = await run.refused([question, ...words]);
      assert.notEqual(ran.exitCode, 0);
      assert.match(ran.stderr, reason);
      assert.equal(run.calls().length, 0);
    });
});

describe("the script audit", () => {
  const project = runMaker();

  it("has a session read that ended without, and says so in the report", async () => {
    const run = notesIn(project());
    await run.consult([...turns, "--auditor", "none"], claims);
    const audited = await run.run("audit", [], { FAKE_AUDITOR: "remarks" });
    assert.equal(audited.exitCode, 0, audited.stderr);
    assert.match(
      audited.stdout,
      /^audited by gemini: 1 of 1 claim shown, 2 remarks on the decision$/m,
    );
    const { stdout } = await run.run("report", ["--session", session]);
    assert.match(stdout, /\*\*CONSENSUS, 1 of 1 claims seen and shown; 2 remarks of the auditor/);
    assert.match(stdout, /^- auditor \(gemini, saw only the evidence\): "still objects: /m);
    assert.equal((await run.run("validate", ["--session", session])).exitCode, 0);
    const paid = await run.run("status", ["--paid"]);
    assert.match(paid.stdout, /audited: 1; claims not shown, and remarks on decisions: 2/);
    const again = await run.run("audit", ["--auditor", "claude"]);
    assert.match(again.stderr, /claude reads .*its vendor's model wrote the text as well/);
    const third = await run.run("audit", []);
    assert.deepEqual([third.exitCode, run.calls("auditor").length], [2, 2]);
    assert.match(third.stderr, /has been audited 2 times/);
  });

  it("is the person's alone, and leaves the session where it was when it fails", async () => {
    const run = notesIn(project());
    await run.consult([...turns, "--auditor", "none"], claims);
    const before = run.events(session).length;
    const failed = await run.run("audit", [], { FAKE_AUDITOR: "chatter" });
    assert.equal(failed.exitCode, 1);
    assert.match(
      failed.stderr,
      /not audited: gemini: there is no JSON code block .* The session is where it was; another/,
    );
    const none = await run.run("audit", ["--auditor", "none"]);
    assert.equal(none.exitCode, 2);
    assert.match(none.stderr, /--auditor is none, and none audits/);
    const below = await run.run("audit", [], { CLAUDECODE: "1" });
    assert.equal(below.exitCode, 2);
    assert.match(below.stderr, /which an agent may not .*the user can, in a terminal/);
    assert.equal(run.events(session).length, before);
  });
});
