import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { auditsIn, claims, notesIn, turns, verdictIn } from "./audits.ts";
import { runMaker } from "./consult-run.ts";
import { scripted } from "./scripted-line.ts";

describe("consult with an auditor that fails, or another one", { concurrency: 2 }, () => {
  const project = runMaker();

  it("leaves to the user what is theirs, also where nothing was claimed", async () => {
    const run = project();
    const ran = await run.consult(turns, { FAKE_AUDITOR: "owner" });
    assert.match(
      `${verdictIn(ran)}`,
      /^RECOMMENDATION, yours to decide; the auditor says that it destr/,
    );
  });

  const failing: [how: string, plan: string, calls: number, why: RegExp][] = [
    ["answers in prose", "chatter", 2, /there is no JSON code block/],
    ["quotes what is not there", "invents", 2, /quote is "words that stand nowhere"/],
    ["is killed", "crash", 1, /exit code 3/],
    ["is out of quota", "quota", 1, /has used up its quota/],
    ["is asked once more", "chatter,ok", 2, /^$/],
  ];
  for (const [how, plan, calls, why] of failing)
    it(`goes on without an audit where the auditor ${how}`, async () => {
      const run = notesIn(project());
      const ran = await run.consult(turns, { ...claims, FAKE_AUDITOR: plan });
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.equal(run.calls("auditor").length, calls);
      const isDone = plan.endsWith("ok");
      assert.equal(auditsIn(run).length, isDone ? 1 : 0);
      assert.equal(/seen, not audited$/.test(`${verdictIn(ran)}`), !isDone);
      if (isDone)
        assert.match(run.calls("auditor")[1]?.prompt ?? "", /Your last answer did not count/);
      else {
        assert.match(ran.stderr, new RegExp(`not audited: gemini: .*${why.source}`));
        assert.match(
          ran.stderr,
          /to have it read later: .*audit(?:\.cjs)? .*--session .*--auditor \w+$/m,
        );
      }
    });

  it("goes on without an audit where the auditor is too slow", async () => {
    const run = notesIn(project());
    const ran = await run.consult([...turns, "--turn-timeout", "3"], {
      ...{ ...claims, FAKE_AUDITOR: "hang" },
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, /not audited: gemini: .*did not finish within 3 s and was stopped$/m);
    assert.equal(run.calls("auditor").length, 1);
    assert.equal(auditsIn(run).length, 0);
  });

  it("claims nothing of who wrote the text where names say nothing of a vendor", async () => {
    const run = project();
    const others = ["--participants", `ann=${scripted()},ben=${scripted()}`];
    const named = await run.consult([...turns, ...others, "--auditor", "claude"], {});
    assert.match(
      named.stdout,
      /by claude in .*whether its vendor's model wrote the text is not known/,
    );
    const alone = project();
    assert.equal((await alone.consult([...turns, ...others], {})).exitCode, 0);
    const audited = await alone.run("audit", []);
    assert.match(
      audited.stderr,
      /not audited: no participant has the name of a CLI that is installed/,
    );
  });

  it("asks nobody with --auditor none, and the one that is named", async () => {
    const run = notesIn(project());
    const none = await run.consult([...turns, "--auditor", "none"], claims);
    assert.equal(verdictIn(none), "CONSENSUS, 1 of 1 claims seen, not audited");
    assert.equal(run.calls("auditor").length, 0);
    assert.doesNotMatch(none.stderr, /not audited:|audited by/);
    const other = notesIn(project());
    const named = await other.consult([...turns, "--auditor", scripted()], claims);
    assert.equal(verdictIn(named), "CONSENSUS, 1 of 1 claims seen and shown");
    assert.match(named.stdout, /by command in a fresh process .*a program that the user named/);
  });
});
