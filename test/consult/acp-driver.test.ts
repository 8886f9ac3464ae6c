import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { isRecord } from "../../scripts-src/base/json.ts";
import { commandDriver } from "../../scripts-src/consult/process-driver.ts";
import { bundledFixture } from "../bundled-fixture.ts";
import { rowsOf } from "../rows.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { isGone, pidsIn, runMaker } from "./consult-run.ts";
import { scripted } from "./scripted-line.ts";
import { turnIn } from "./turn.ts";

const folder = makeScratchFolder();
after(() => removeFolder(folder));
const fixture = bundledFixture("test/consult/acp-agent.fixture.ts");
const never = new AbortController().signal;

/** An agent that does this, with what it noted and what was told of it. */
function agentOf(plan: string, given: { line?: string; timeoutMs?: number; resume?: string } = {}) {
  const notes = join(folder, `${plan}-${Math.random().toString(36).slice(2)}.jsonl`);
  const { line = `"${process.execPath}" "${fixture}" "${notes}" ${plan}` } = given;
  const told: string[] = [];
  const turn = turnIn(folder, {
    resume: given.resume,
    timeoutMs: given.timeoutMs ?? 20_000,
    tell: (doing) => told.push(doing),
  });
  const driver = commandDriver(line, process.env, "acp");
  const noted = () =>
    readFileSync(notes, "utf8")
      .trim()
      .split("\n")
      .map((it): Record<string, unknown> => JSON.parse(it));
  return { notes, told, noted, take: (signal = never) => driver.takeTurn(turn, signal) };
}

describe("an agent of the Agent Client Protocol", { concurrency: 2 }, () => {
  it("gives its answer in pieces, and tells what it does", async () => {
    const { take, told, noted } = agentOf("ok");
    const { answer, failure, resume, remark, usage } = await take();
    assert.deepEqual([failure, remark], [undefined, undefined]);
    assert.equal(answer, "I look into it.\n\nYes.");
    assert.equal(resume, "conversation-1");
    assert.deepEqual([...new Set(told)], ["thinks", "writes its answer", "read: notes.txt"]);
    assert.equal(usage, "its context holds 1200 of 200000 tokens");
    // It is offered neither files nor terminals of ours.
    const { params } = noted().find(({ method }) => method === "initialize") ?? {};
    assert.deepEqual(isRecord(params) ? params["clientCapabilities"] : "", {});
  });

  for (const noise of ["banner", "unknown"])
    it(`is understood through noise: ${noise}`, async (context) => {
      const errors = context.mock.method(console, "error", () => undefined);
      const { answer, failure, left } = await agentOf(noise).take();
      assert.deepEqual([answer, failure, left], ["I look into it.\n\nYes.", undefined, undefined]);
      assert.equal(errors.mock.callCount(), 0);
    });

  for (const act of ["ok", "late"])
    it(`goes on in its conversation, whose earlier answers are no answer: ${act}`, async () => {
      const { take, noted } = agentOf(act, { resume: "conversation-1" });
      const { answer } = await take();
      assert.equal(answer, "I look into it.\n\nYes.");
      const methods = noted().map(({ method }) => method);
      assert.deepEqual(methods.slice(1), ["initialize", "session/load", "session/prompt"]);
    });

  it("begins another one, and tells, where it forgot it", async () => {
    const { take, told } = agentOf("forgot", { resume: "conversation-0" });
    const { failure, resume } = await take();
    assert.deepEqual([failure, resume], [undefined, "conversation-1"]);
    assert.match(
      told[0] ?? "",
      /^begins a new conversation, .*: "Internal error: No such conversation"$/,
    );
  });

  it("is put into a mode in which it asks, and takes no turn in another", async () => {
    const { take, noted } = agentOf("daring");
    assert.equal((await take()).failure, undefined);
    const { params } = noted().find(({ method }) => method === "session/set_mode") ?? {};
    assert.deepEqual(params, { sessionId: "conversation-1", modeId: "default" });
    const { noted: ofOther, ...other } = agentOf("stuck");
    assert.match((await other.take()).failure ?? "", /^the agent failed: "Not now"/);
    assert(!ofOther().some(({ method }) => method === "session/prompt"));
  });

  it("may read in the project, and nothing else", async () => {
    writeFileSync(join(folder, "x"), "");
    const { take, noted, told } = agentOf("greedy");
    const { answer, remark } = await take();
    assert.equal(answer, "Yes.");
    assert.match(remark ?? "", /were rejected.*answer in words/);
    const outcomes = noted().flatMap(({ method, result }) => (method === "answer" ? [result] : []));
    const chosen = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
    assert.deepEqual(outcomes, [
      ...Array.from({ length: 5 }, () => chosen("reject_once-id")),
      chosen("allow_once-id"),
    ]);
    assert(told.includes("may not: touch x"), told.join("\n"));
  });

  /** What it does, why the turn failed, who can help, what is left of its answer. */
  const failures = rowsOf(String.raw`
usage | the agent ended with exit code 2: "error: unknown option '--acp'"; correct the command after acp: | -
version | the agent speaks version "99" of the Agent Client Protocol, expected 1: update it, or this$ | its user
mute | the agent began no conversation in time and was stopped: is this how it is started for | its user
nameless | the agent began no conversation: its answer to session/new has no sessionId$ | its user
signedout | the agent is not signed in: sign in with the agent; then go on \(.*Authentication required | its user
quota | the agent has used up its quota, which is no vote: .*exceeded your current quota | its user
quota-said | the agent has used up its quota, which is no vote: .*Last error: 429 | its user | Info: Request failed due to a transient API error. Retrying...Error: Failed to get response from the AI model; retried 5 times Last error: 429 Slow
signedout-said | the agent is not signed in: .*Authentication failed with provider | its user | Error: Authentication failed with provider (HTTP 403).\n  Check your key.
dies | the agent ended with exit code 3: "boom: out of luck"$ | - | I had just begun.
refusal | the agent ended its turn early: "refusal"$ | - | No.
flood | the agent answered more than 8388608 bytes and was stopped$ | -
flood-at-once | the agent answered more than 8388608 bytes and was stopped$ | -
endless-line | the agent answered more than 8388608 bytes and was stopped$ | -`);
  for (const [act = "", reason = "", help, kept = ""] of failures)
    it(`fails in one line, for ${help === "-" ? "another try" : help}: ${act}`, async () => {
      const timeoutMs = act === "mute" ? 1_000 : 20_000;
      const { failure = "", left, answer } = await agentOf(act, { timeoutMs }).take();
      assert.match(failure, new RegExp(`^${reason}`));
      assert(!failure.includes("\n") && failure.length <= 500, failure);
      assert.equal(left === true, help !== "-");
      assert.equal(answer, kept.replace("\\n", "\n"));
    });

  const others = rowsOf(String.raw`
cat | the agent failed: "\\?"?Method not found
nothing-like-this --acp | could not start: .*nothing-like-this
true | the agent ended without an answer$
read -r it; echo '{"jsonrpc":"2.0","id":0,"result":7}' | the agent speaks version "undefined" of the`);
  for (const [line = "", reason = ""] of others)
    it(`is none: ${line}`, async () => {
      const { failure = "" } = await agentOf("none", { line, timeoutMs: 5_000 }).take();
      assert.match(failure, new RegExp(`^${reason}`));
    });

  for (const act of ["hang", "stubborn"])
    it(`is gone with its children within two seconds when it is stopped: ${act}`, async () => {
      const { take, notes, told, noted } = agentOf(act);
      const stop = new AbortController();
      const end = take(stop.signal);
      while (!told.includes("writes its answer")) await new Promise((go) => setTimeout(go, 20));
      const from = performance.now();
      stop.abort();
      const { failure, answer } = await end;
      assert.match(failure ?? "", /^the agent was stopped$/);
      assert.equal(answer, "");
      for (const pid of pidsIn(notes).filter((it) => it !== undefined)) assert(await isGone(pid));
      const tookMs = performance.now() - from;
      assert(tookMs < 2_000, `it took ${tookMs} ms`);
      assert(noted().some(({ method }) => method === "session/cancel"));
    });
});

describe("consult with an agent of the Agent Client Protocol", { concurrency: 2 }, () => {
  const project = runMaker(["claude"]);
  const question = "SQLite or files?";
  const session = "sqlite-or-files";
  const line = (notes: string, plan = "ok") =>
    `acp:"${process.execPath}" "${fixture}" "${notes}" ${plan}`;

  it("takes a question to consensus, and shows what it does", async () => {
    const run = project();
    const notes = join(run.folder, "notes.jsonl");
    const list = `peer=${scripted()},it=${line(notes)}`;
    const { exitCode, stdout, stderr } = await run.consult([question, "--participants", list]);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
    assert.match(stderr, /\n *0:\d\d {2}it: read: notes\.txt\n/);
    assert.match(stderr, /it: its context holds 1200 of 200000 tokens/);
    const methods = readFileSync(notes, "utf8");
    assert.match(methods, /"method":"session\/load"/);
  });

  it("takes an entry of the user for one, by the name of its program too", async () => {
    const run = project(["claude", "mine"]);
    const notes = join(run.folder, "notes.jsonl");
    mkdirSync(join(run.home, ".consulta"), { mode: 0o700 });
    const entry = { command: process.execPath, arguments: [fixture, notes, "ok"], output: "acp" };
    const file = join(run.home, ".consulta", "config.yaml");
    writeFileSync(file, JSON.stringify({ drivers: { mine: entry } }), { mode: 0o600 });
    const list = `peer=${scripted()},it=mine`;
    const { exitCode, stderr } = await run.consult([question, "--participants", list]);
    assert.equal(exitCode, 0, stderr);
    const bare = await run.consult(["Why?", "--participants", "claude,acp:/bin/false --acp"]);
    assert.match(bare.stderr, /false has the turn \(acp\)/);
  });

  it("leaves the session open when it dies, and keeps what it said", async () => {
    const run = project();
    const notes = join(run.folder, "notes.jsonl");
    const list = ["--participants", `peer=${scripted()},it=${line(notes, "dies,dies,ok")}`];
    const { exitCode, stderr } = await run.consult([question, ...list]);
    assert.equal(exitCode, 1, stderr);
    assert.match(stderr, /it: the agent ended with exit code 3: .*boom.*; one more try/);
    const [, kept = ""] = /its last answer is kept in (\S+)/.exec(stderr) ?? [];
    assert.equal(readFileSync(kept, "utf8"), "I had just begun.");
    const again = await run.consult(["--session", session, ...list]);
    assert.equal(again.exitCode, 0, again.stderr);
  });

  it("is refused below an AI CLI, and without a command", async () => {
    const run = project();
    const { exitCode, stderr } = await run.refused([
      question,
      "--participants",
      "claude=claude,it=acp:",
    ]);
    assert.equal(exitCode, 2);
    assert.match(stderr, /"acp:" runs no participant/);
    assert(!existsSync(join(run.project, ".consulta")));
  });
});
