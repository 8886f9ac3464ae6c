import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { rowsOf } from "../../rows.ts";
import { type ConsultRun, runMaker } from "../consult-run.ts";
import { fencedReport, reportOn } from "../scripted-peer.ts";

const question = "What makes the login test flaky?";
const session = "what-makes-the-login-test";
const findings = ["--kind", "findings"];

describe("consult --kind findings", { concurrency: 2 }, () => {
  const makeRun = runMaker([]);
  function project(): ConsultRun {
    const run = makeRun();
    writeFileSync(
      join(run.folder, "answer.md"),
      fencedReport(reportOn("The clock is asked twice")),
    );
    return run;
  }
  /** A shell command that answers with a right report. */
  const right = "command:cat >/dev/null; cat ../answer.md";
  const of = (drivers: Record<string, string>) => {
    const list = Object.entries(drivers).map(([name, driver]) => `${name}=${driver}`);
    return ["--participants", list.join(",")];
  };
  const boardOf = (run: ConsultRun, id = session) => join(run.project, ".consulta/sessions", id);
  const doneBy = (run: ConsultRun, id = session) =>
    run.events(id).map(({ event, from }) => `${event} ${from}`);

  it("registers all before the first turn, and reports what each one found", async () => {
    const run = project();
    const { exitCode, stdout, stderr } = await run.consult([
      ...[...findings, ...of({ ana: right, bob: right }), "--time-limit", "100"],
      question,
    ]);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /## ana\n\n- findings\/ana\/01-the-clock-is-asked-twice\.md/);
    assert.match(stdout, /## bob\n\n- findings\/bob\/01-the-clock-is-asked-twice\.md/);
    const [opened, first, , second, ...others] = doneBy(run);
    assert.deepEqual(
      [opened, first, second],
      ["board_opened consulta", "registered ana", "registered bob"],
    );
    assert.deepEqual(others.sort(), ["posted ana", "posted bob", "readied ana", "readied bob"]);
    const meta = readFileSync(join(boardOf(run), "meta.md"), "utf8");
    assert.match(meta, /expected_agents:\*\* 2\n.*timeout_seconds:\*\* 100\n/);
    assert.match(meta, /about:\*\* What makes the login test flaky\?\n/);
    assert(!existsSync(join(boardOf(run), "question.md")));
  });

  it("takes agents that post and get ready with the scripts themselves", async () => {
    const run = project();
    writeFileSync(join(run.folder, "report.md"), reportOn("By script"));
    const at = '"$CONSULTA_FOLDER" "$CONSULTA_PARTICIPANT"';
    const script = (name: string, more: string) =>
      `"${process.execPath}" "$CONSULTA_SCRIPTS/${name}.cjs" ${at} ${more}`;
    const line = `command:${script("post", "script --file ../report.md")} && ${script("ready", "--strict")}`;
    const args = [...findings, ...of({ ana: line, bob: line }), question];
    const { exitCode, stdout, stderr } = await run.consult(args);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /findings\/ana\/01-script\.md[\s\S]*findings\/bob\/01-script\.md/);
    assert.doesNotMatch(stderr, /one more try/);
  });

  it("opens two boards when two ask the same at once", async () => {
    const run = project();
    const ask = () => run.consult([...findings, ...of({ ana: right, bob: right }), question]);
    const both = await Promise.all([ask(), ask()]);
    for (const { exitCode, stderr } of both) assert.equal(exitCode, 0, stderr);
    const boards = readdirSync(join(run.project, ".consulta/sessions")).filter(
      (name) => !name.endsWith(".json"),
    );
    assert.deepEqual(boards.sort(), [session, `${session}-2`]);
    for (const id of boards) assert.equal(doneBy(run, id).length, 8);
  });

  describe("with a board in a folder of its own", () => {
    const script = (run: ConsultRun, name: string, ...words: string[]) =>
      spawnSync(process.execPath, [join(run.scripts, `${name}.cjs`), ...words], {
        cwd: run.project,
        encoding: "utf8",
        env: { ...process.env, HOME: run.home },
      });

    it("begins one, refuses to begin it twice, and lets status list it", async () => {
      const run = project();
      assert.equal(
        script(run, "init", "--topic", "t", "--participant=a", "--participant=b").status,
        0,
      );
      const who = of({ ana: right, bob: right });
      const begin = [...findings, ...who, "--folder", "../board", question];
      const first = await run.consult(begin);
      assert.equal(first.exitCode, 0, first.stderr);
      assert(existsSync(join(run.folder, "board/report.md")));
      assert.match(script(run, "status").stdout, /board/);
      const again = await run.consult(begin);
      assert.equal(again.exitCode, 2);
      assert.match(again.stderr, /\.\.\/board holds a board already; leave out the question/);
    });

    it("joins the agents that are still expected to one that others made", async () => {
      const run = project();
      script(run, "init", "../board", "3", "--about", question);
      script(run, "register", "../board", "live");
      const at = ["--folder", "../board"];
      const nobody = await run.consult(at);
      assert.match(nobody.stderr, /waits for live; say who runs them: --participants live=DRIVER/);
      const first = await run.consult([...at, ...of({ ana: right, bob: right })]);
      assert.equal(first.exitCode, 1, first.stderr);
      assert.match(first.stderr, /stopped: nobody here runs live; 2 of 3 agents ready/);
      const more = await run.consult([...at, ...of({ cy: right })]);
      assert.equal(more.exitCode, 2);
      assert.match(more.stderr, /is for 3 agents and has live, ana, bob: there is no place for cy/);
      const twice = await run.consult([...at, "--participants", "live=claude,live=gemini"]);
      assert.match(twice.stderr, /live came twice in --participants/);
      script(run, "ready", "../board", "live");
      const done = await run.consult(at);
      assert.equal(done.exitCode, 0, done.stderr);
      assert.match(done.stdout, /3 of 3 agents are ready/);
    });
  });

  const many = Array.from({ length: 65 }, (_, index) => `p${index}`).join(",");
  /** What is asked of a board, Q the question and B where it begins one, and why it is refused. */
  const refused = rowsOf(String.raw`
B --participants ana | shared by 2 to 64 different .* one alone has nobody to share with; got ana;
B --participants ${many} | 2 to 64 .* got 65;
B --participants ana,b.c | "b\.c" cannot name an agent
B --participants ana,2b | does not begin with a lower case
B --mode rapida | --mode belongs to --kind dialogue; leave it out
B --require seen | --require belongs to --kind dialogue; leave it out
B --completion done | --completion belongs to --kind collaboration; leave
B --primary-deliverable-type adr | --primary-deliverable-type belongs to --kind collaboration; leave
B --folder . | no board at \.: meta\.md or agents\.md is missing
--folder f Q | --folder belongs to --kind coll.* or --kind findings`);
  const meant: Record<string, string[]> = { B: [...findings, question], Q: [question] };
  for (const [words = "", reason = ""] of refused) {
    it(`refuses ${words.slice(0, 60)} and writes nothing`, async () => {
      const run = project();
      const args = words.split(" ").flatMap((word) => meant[word] ?? [word]);
      const who = args.includes("--participants") ? [] : of({ ana: right, bob: right });
      const { exitCode, stderr, stdout } = await run.consult([...args, ...who]);
      assert.deepEqual([exitCode, stdout], [2, ""], stderr);
      assert.match(stderr, new RegExp(reason));
      assert.equal(stderr.trim().split("\n").length, 1);
      assert.deepEqual(readdirSync(run.project), []);
    });
  }
});
