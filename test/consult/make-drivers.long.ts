import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { rowsOf } from "../rows.ts";
import { removeFolder } from "../scratch-folder.ts";
import { type ConsultRun, isGone, runMaker } from "./consult-run.ts";

const question = "SQLite or files?";
const session = "sqlite-or-files";
const clis = ["claude", "gemini", "agy", "codex", "opencode"];

describe("drivers", { concurrency: 2 }, () => {
  const project = runMaker(clis);
  /** One CLI under test with a colleague that does its part. */
  const withCli = (cli: string) => ["--participants", `claude=claude,it=${cli}`];
  const eventsOf = (run: ConsultRun) => run.events(session).map(({ event }) => event);

  for (const cli of clis) {
    it(`go on in the conversation of ${cli}, to consensus`, async () => {
      const run = project();
      const { exitCode, stdout, stderr } = await run.consult([question, ...withCli(cli)]);
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
      assert.doesNotMatch(stderr, /one more try/);
      const [first, second] = run.calls(cli).slice(0, 2);
      if (cli === "claude") return;
      assert.doesNotMatch(first?.args.join(" ") ?? "", /-conversation/);
      assert.match(
        second?.args.join(" ") ?? "",
        new RegExp(
          `(?:--resume|--conversation|--session|resume|session/load) ${cli}-conversation$`,
        ),
      );
    });
  }

  it("take a CLI of the user for an entry, with its task in a file of its own", async () => {
    const run = project(["aider"]);
    writeConfig(
      run,
      "drivers:\n  aider:\n    command: aider\n    arguments: [--message-file, '{prompt_file}']\n",
    );
    const list = "ana=aider,cy=aider";
    const { exitCode, stdout, stderr } = await run.consult([question, "--participants", list], {
      TMPDIR: run.folder,
    });
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
    assert.match(run.calls("aider")[0]?.prompt ?? "", /YOUR TURN/);
    assert.deepEqual(
      readdirSync(run.folder).filter((name) => name.startsWith("consulta-")),
      [],
    );
  });

  it("take an entry's name for who runs a session that is open, and its task as an argument", async () => {
    const run = project(["aider", "claude"]);
    writeConfig(run, "drivers:\n  aider:\n    command: aider\n    arguments: ['-m', '{prompt}']\n");
    await run.consult([question, "--participants", "claude,aider", "--turns-max", "1"]);
    const { exitCode, stderr } = await run.consult(["--session", session]);
    assert.equal(exitCode, 0, stderr);
    assert.match(run.calls("aider")[0]?.args[1] ?? "", /YOUR TURN/);
  });

  it("take single fields of a known CLI from the user", async () => {
    const run = project();
    writeConfig(
      run,
      "drivers:\n  gemini:\n    arguments: [--acp, -m, x]\n    environment: {CLAUDECODE: '7'}\n",
    );
    const { exitCode, stderr } = await run.consult([question]);
    assert.equal(exitCode, 0, stderr);
    const [first] = run.calls("gemini");
    assert.deepEqual(first?.args, ["--acp", "-m", "x"]);
    assert.equal(first?.environment["CLAUDECODE"], "7");
  });

  it("are refused when others may write the user's file, before anything is written", async () => {
    const run = project();
    chmodSync(writeConfig(run, "drivers: {}\n"), 0o666);
    const { exitCode, stderr } = await run.consult([question]);
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, /config\.yaml may be written by others \(mode 666\).*: chmod go-w.*\n$/);
    assert.equal(stderr.trim().split("\n").length, 1);
    assert(!existsSync(join(run.project, ".consulta")));
  });

  it("are the known ones where the user's folder is a file", async () => {
    const run = project();
    const folder = dirname(writeConfig(run, ""));
    removeFolder(folder);
    writeFileSync(folder, "");
    const { exitCode, stderr } = await run.consult([question]);
    assert.equal(exitCode, 0, stderr);
  });

  it("are none of the project's", async () => {
    const run = project();
    mkdirSync(join(run.project, ".consulta"));
    writeFileSync(
      join(run.project, ".consulta", "config.yaml"),
      "drivers:\n  evil:\n    command: claude\n",
    );
    const { exitCode, stderr } = await run.consult([question, ...withCli("evil")]);
    assert.equal(exitCode, 2);
    assert.match(stderr, /"evil" runs no participant/);
  });

  // All reasons are in vendor-driver.test.ts.
  it("leave the session open without another try when only its user can help", async () => {
    const run = project();
    const list = ["--participants", "claude=claude,it=codex"];
    const fake = { FAKE_CODEX: "quota,ok" };
    const first = await run.consult([question, "--mode", "turns", ...list], fake);
    assert.deepEqual([first.exitCode, first.stdout], [1, ""], first.stderr);
    assert.match(first.stderr, /codex has used up its quota, which is no vote: wait .*quota/);
    assert.match(first.stderr, /The session is open and nothing is lost\. Go on with:\n {2}node /);
    assert.equal(run.calls("codex").length, 1);
    assert.deepEqual(eventsOf(run), ["opened", "message_sent", "rung"]);
    const again = await run.consult(["--session", session, ...list], fake);
    assert.equal(again.exitCode, 0, again.stderr);
    assert.match(again.stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
  });

  for (const [way, words, settings] of [
    ["its person said", ["--wait-for-quota"], ""],
    ["their settings say", [], "wait_for_quota: true\n"],
  ] as const)
    it(`go on by themselves when a quota is renewed, where ${way} so`, async () => {
      const run = project();
      if (settings !== "") writeConfig(run, settings);
      const list = ["--participants", "claude=claude,it=codex", "--mode", "turns"];
      const fake = { FAKE_CODEX: "quota_for_2_s,ok" };
      const limit = ["--time-limit", "60"];
      const { exitCode, stdout, stderr } = await run.consult(
        [question, ...list, ...limit, ...words],
        fake,
      );
      assert.equal(exitCode, 0, stderr);
      assert.match(
        stderr,
        /it cannot go on for now: codex has used up its quota.*renewed at 20\S+Z, in [12].*waiting for it/,
      );
      assert.match(stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
      // Each has two turns; the one that the quota ended is given once more, and nothing is sent twice.
      assert.equal(run.calls("codex").length, 3);
      assert.equal(eventsOf(run).filter((it) => it === "message_sent").length, 4);
    });

  it("are waited for again by the line that goes on with a run", async () => {
    const run = project();
    const list = ["--participants", "claude=claude,it=codex", "--mode", "turns"];
    const words = [question, ...list, "--wait-for-quota", "--turns-max", "1"];
    const { exitCode, stderr } = await run.consult(words, {});
    assert.equal(exitCode, 1, stderr);
    assert.match(stderr, /Go on with:\n {2}node .* --wait-for-quota\n/);
  });

  it("say when a quota is renewed and how to wait for it", async () => {
    const run = project();
    const list = ["--participants", "claude=claude,it=codex", "--mode", "turns"];
    const { exitCode, stderr } = await run.consult([question, ...list], {
      FAKE_CODEX: "quota_for_2_s,ok",
    });
    assert.equal(exitCode, 1, stderr);
    assert.match(stderr, /it is renewed at 20\S+Z, in [12].*; then go on/);
    assert.match(stderr, /--wait-for-quota goes on/);
    assert.doesNotMatch(stderr, /Go on with:\n {2}node .* --wait-for-quota\n/);
  });

  const afresh = rowsOf(`
codex overloaded | failed: "API Error: 500 the model stumbled"; one more try
codex noresume | No conversation found with that session ID"; one more try`);
  for (const [words = "", reason = ""] of afresh) {
    it(`try a CLI once more in a new conversation after: ${words}`, async () => {
      const run = project();
      const [cli = "", act] = words.split(" ");
      const list = ["--participants", `it=${cli},cy=command:${run.fakeLine("cy")}`];
      const fake = { [`FAKE_${cli.toUpperCase()}`]: `ok,${act},ok` };
      const { exitCode, stdout, stderr } = await run.consult([question, ...list], fake);
      assert.equal(exitCode, 0, stderr);
      assert(stderr.includes(reason), stderr);
      assert.match(stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
      const [, failed, retried] = run.calls(cli);
      assert.match(failed?.args.join(" ") ?? "", /-conversation/);
      assert.doesNotMatch(retried?.args.join(" ") ?? "", /-conversation/);
      assert.match(retried?.prompt ?? "", /Your last try did not count/);
    });
  }

  it("begin another conversation in the same try where an agent has lost it", async () => {
    const run = project();
    const list = ["--participants", `it=gemini,cy=command:${run.fakeLine("cy")}`];
    const fake = { FAKE_GEMINI: "ok,noresume" };
    const { exitCode, stderr } = await run.consult([question, ...list], fake);
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, /it: begins a new conversation, the one before cannot go on: "No conv/);
    assert.doesNotMatch(stderr, /one more try/);
  });

  it("tell a CLI to answer in words when its tools were refused", async () => {
    const run = project();
    const list = ["--participants", `cy=command:${run.fakeLine("cy")},it=claude`];
    const fake = { FAKE_CLAUDE: "ok,denied,ok" };
    const { exitCode, stderr } = await run.consult([question, ...list], fake);
    assert.equal(exitCode, 0, stderr);
    const [, , retried] = run.calls("claude");
    assert.match(
      retried?.prompt ?? "",
      /did not count\. The reason: the answer holds no message.*tools that you called were rejected.*answer in words/,
    );
    // The conversation itself is sound.
    assert.match(retried?.args.join(" ") ?? "", /-conversation/);
  });

  it("stop a CLI that never ends, with all that it started, and try once more", async () => {
    const run = project();
    const { exitCode, stderr } = await run.consult(
      [question, ...withCli("codex"), "--turn-timeout", "3"],
      { FAKE_CODEX: "hang,ok" },
    );
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, /codex did not finish within 3 s and was stopped.*; one more try/);
    for (const { pid } of run.calls("grandchild")) assert(await isGone(pid), `${pid} lives`);
  });
});

function writeConfig(run: ConsultRun, text: string): string {
  const folder = join(run.home, ".consulta");
  mkdirSync(folder, { mode: 0o700 });
  const path = join(folder, "config.yaml");
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
