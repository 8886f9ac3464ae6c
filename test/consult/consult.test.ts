import assert from "node:assert/strict";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { rowsOf } from "../rows.ts";
import {
  lost,
  mended,
  namesOf,
  question,
  session,
  staysOpen,
  takesMessages,
  triesOnceMore,
  understood,
} from "./answers.ts";
import { ended, isGone, runMaker } from "./consult-run.ts";
import { scripted } from "./scripted-line.ts";

describe("consult", { concurrency: 2 }, () => {
  const project = runMaker();

  it("takes a question to consensus and prints the report", async () => {
    const run = project();
    const { exitCode, stdout, stderr } = await run.consult([question, "--mode", "turns"], {
      CLAUDECODE: "1",
      GEMINI_CLI: "1",
    });
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
    assert.match(stderr, /gemini has the turn \(gemini\)/);
    assert.match(
      stderr,
      /claude: AGREE to gemini \(message \d+; .*stall limit \d of 5.*confidence 0\.9/,
    );
    assert(existsSync(join(run.project, ".consulta/artifacts", session, "report.md")));
    const [first] = run.calls("gemini");
    assert.equal(first?.environment["CONSULTA_PARTICIPANT"], "gemini");
    assert.equal(first?.environment["CONSULTA_SESSION"], session);
    assert.equal(first?.environment["CLAUDECODE"], undefined);
    assert.equal(first?.environment["GEMINI_CLI"], undefined);
    assert.match(first?.prompt ?? "", /never an instruction/);
    assert.match(first?.prompt ?? "", /YOUR TURN/);
  });

  it("gives no participant more than permission to read", async () => {
    const run = project();
    await run.consult([question, "--mode", "turns"], {
      FAKE_CLAUDE: "chatter,ok",
      FAKE_GEMINI: "crash,ok",
    });
    for (const { args } of run.calls()) {
      assert.doesNotMatch(
        args.join(" "),
        /yolo|-y\b|dangerous|bypass|acceptEdits|auto_edit|Bash|Write/i,
      );
    }
    const [claude] = run.calls("claude");
    assert.match(
      claude?.args.join(" ") ?? "",
      /--tools Read,Grep,Glob --allowedTools Read,Grep,Glob --setting-sources user/,
    );
    const [gemini] = run.calls("gemini");
    assert.match(gemini?.args.join(" ") ?? "", /--approval-mode default/);
  });

  triesOnceMore(project, mended.slice(0, 1));

  it("goes on where the other side objects instead of confirming the text", async () => {
    const run = project();
    const { exitCode, stdout, stderr } = await run.consult([question, "--mode", "turns"], {
      FAKE_GEMINI: "ok,objects,ok",
    });
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /CONSENSUS/);
    assert.match(run.calls("gemini")[1]?.prompt ?? "", /confirm that text, which closes:/);
    assert.equal(run.calls("gemini").length, 3);
    assert.equal(run.calls("claude").length, 2);
  });

  it("stops where the other side cannot confirm the text: nobody closes alone", async () => {
    const run = project();
    const { exitCode, stdout, stderr } = await run.consult([question, "--mode", "turns"], {
      FAKE_GEMINI: "ok,crash",
    });
    assert.equal(exitCode, 1, stderr);
    assert.equal(stdout.includes("CONSENSUS"), false);
    assert.match(stderr, /Not decided: gemini stopped answering \(gemini ended with exit code 3/);
  });

  takesMessages(project, understood.slice(0, 2));

  staysOpen(project, lost.slice(0, 1));

  it("names both participants when both stop answering, and keeps their last words", async () => {
    const run = project();
    const { exitCode, stderr } = await run.consult([question, "--mode", "competitiva"], {
      FAKE_CLAUDE: "chatter",
      FAKE_GEMINI: "chatter",
    });
    assert.equal(exitCode, 1);
    assert.match(stderr, /^Not decided: \w+ stopped answering .*; \w+ stopped answering /m);
    const kept = join(run.project, ".consulta/artifacts", session);
    for (const name of ["claude", "gemini"])
      assert(existsSync(join(kept, `unsent-${name}.txt`)), name);
  });

  it("keeps sealed positions apart and ends in consensus in competitiva", async () => {
    const run = project();
    const { exitCode, stdout, stderr } = await run.consult([question, "--mode", "competitiva"]);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
    assert.equal(run.events(session).filter(({ event }) => event === "position_sealed").length, 2);
  });

  it("stops a turn that hangs, with everything it started", async () => {
    const run = project();
    const { exitCode, stderr } = await run.consult(
      [question, "--mode", "turns", "--turn-timeout", "3"],
      {
        FAKE_GEMINI: "hang,ok",
      },
    );
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, /gemini did not finish within 3 s and was stopped/);
    assert(await isGone(run.calls("grandchild")[0]?.pid ?? 0));
  });

  it("leaves the session open at the limit of turns, and goes on from there", async () => {
    const run = project();
    const first = await run.consult([question, "--mode", "turns", "--turns-max", "1"]);
    assert.equal(first.exitCode, 1, first.stderr);
    assert.equal(first.stdout, "");
    assert.match(first.stderr, /limit of 1 turns is reached .*nothing is lost.*Go on with:/);
    assert.match(
      first.stderr,
      /consult\.cjs --session sqlite-or-files --participants claude=claude,gemini=gemini/,
    );
    const second = await run.consult(["--session", session]);
    assert.equal(second.exitCode, 0, second.stderr);
    assert.match(second.stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
    const again = await run.consult([
      "--session",
      session,
      "--participants",
      "claude=claude,gemini=gemini",
    ]);
    assert.equal(again.exitCode, 0);
    assert.match(again.stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
  });

  it("leaves the session open at the limit of time", async () => {
    const run = project();
    const { exitCode, stderr } = await run.consult(
      [question, "--mode", "turns", "--time-limit", "2"],
      {
        FAKE_GEMINI: "hang",
      },
    );
    assert.equal(exitCode, 1, stderr);
    assert.match(stderr, /the time limit of 2 s is reached/);
    assert.deepEqual(namesOf(run), ["opened", "message_sent", "rung"]);
  });

  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    it(`stops the running turn on ${signal} and says how to go on`, async () => {
      const run = project();
      const child = run.start([question, "--mode", "turns"], { FAKE_GEMINI: "hang" });
      const result = ended(child);
      while (run.calls("grandchild").length === 0) await sleep(50);
      child.kill(signal);
      const { exitCode, stderr } = await result;
      assert.equal(exitCode, code, stderr);
      assert.match(stderr, /Go on with:\n {2}node .*--session sqlite-or-files/);
      for (const { pid } of run.calls()) assert(await isGone(pid), `process ${pid} lives`);
      assert.deepEqual(namesOf(run), ["opened", "message_sent", "rung"]);
    });
  }

  it("reads a long question from standard input, and sends it whole", async () => {
    const run = project();
    const text = `Keep sessions in files?\n${"Context that matters. ".repeat(5_000)}`;
    const { exitCode, stderr } = await run.consult(["-", "--turns-max", "1"], {}, text);
    assert.equal(exitCode, 1, stderr);
    const [, request] = run.events("keep-sessions-in-files");
    assert.equal(JSON.stringify(request).includes(JSON.stringify(text.trim()).slice(1, -1)), true);
  });

  it("prints JSON for programs", async () => {
    const { exitCode, stdout } = await project().consult([question, "--json"]);
    assert.equal(exitCode, 0);
    const { ended: hasEnded, phase, report } = JSON.parse(stdout);
    const verdict = "CONSENSUS on judgement, nothing was checked";
    assert.deepEqual([hasEnded, phase, report.verdict], [true, "consensus", verdict]);
  });

  it("says what to install when a CLI is missing, before anything is written", async () => {
    const run = project(["claude"]);
    const { exitCode, stderr } = await run.refused([question, "--mode", "turns"]);
    assert.equal(exitCode, 4);
    assert.match(
      stderr,
      /^ {2}- gemini was not found on PATH.*npm install -g @google\/gemini-cli; then .*GEMINI_API_KEY/m,
    );
    assert.doesNotMatch(stderr, /without any account/, "no example came with these scripts");
    assert(!existsSync(join(run.project, ".consulta")));
  });

  it("says that a CLI is not signed in before anything is written, and takes no other end for that", async () => {
    const run = project();
    const none = { ANTHROPIC_API_KEY: "" };
    const { exitCode, stderr } = await run.consult([question, "--mode", "turns"], {
      ...none,
      FAKE_CLAUDE: "signedout",
    });
    assert.equal(exitCode, 4, stderr);
    assert.match(
      stderr,
      /^error: nothing was begun: .*\n {2}- claude is not signed in: run claude once and type \/login/,
    );
    assert(!existsSync(join(run.project, ".consulta")));
    assert.deepEqual(
      run.calls("claude").map(({ args }) => args),
      [["auth", "status"]],
    );
    const crashed = await run.consult([question, "--mode", "turns", "--turns-max", "1"], {
      ...none,
      FAKE_CLAUDE: "crash",
    });
    assert.equal(crashed.exitCode, 1, crashed.stderr);
    assert.match(crashed.stderr, /limit of 1 turns/);
  });

  it("goes on in the last open session with --resume", async () => {
    const run = project();
    for (const asked of ["First?", question, "Third?"])
      await run.consult([asked, "--turns-max", "1"]);
    assert.equal((await run.consult(["--session", "third", "--turns-max", "9"])).exitCode, 0);
    const { exitCode, stdout, stderr } = await run.consult(["--resume"]);
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, /^.*session sqlite-or-files: /m);
    assert.match(
      stdout,
      /# SQLite or files\?[\s\S]*\*\*CONSENSUS on judgement, nothing was checked\*\*/,
    );
    const words = /^To end it without a result:\n {2}node \S+close\.cjs (.*)$/m;
    const stopped = await run.consult(["Fourth?", "--turns-max", "1"]);
    assert.match(stopped.stderr, words);
    assert.match(stopped.stderr, /close\.cjs --session fourth --reason /);
  });

  /** The words of the command line, and why they are refused. */
  const refused = rowsOf(String.raw`
--resume | no \.consulta folder in
a? --resume | leave out the question, --session and
- | needs a question.*--session ID
BLANK | the question is empty
??? | the question is "\?\?\?"; ask it in words
BELL | control characters
a? --session b | leave out --session
--session nowhere | no session nowhere|no \.consulta
a? --participants a=claude,b=gpt | "gpt" runs no participant .*~/\.consulta/config\.yaml\); expected one of
  claude, gemini, agy, codex, opencode, me,
a? --participants a=claude | two different participants
a? --participants a=claude,a=gemini | two different participants
a? --participants ana=claude,mycli | "mycli" was read as part of ana=claude: give every entry as NAME=DRIVER,
  or all as bare names$
a? --participants a=,b=claude | names no driver
a? --participants user=claude,b=claude | reserved
a? --participants me=me,b=claude | asked at a terminal
a? --mode fast | unknown mode "fast"
a? --turns-max 0 | --turns-max is "0", expected
a? --time-limit soon | --time-limit is "soon", expected`);
  const odd: Record<string, string[]> = { "-": [], BLANK: ["  "], BELL: ["a\u0007b"] };
  for (const [words = "", reason = ""] of refused) {
    it(`refuses ${words} and writes nothing`, async () => {
      const run = project();
      const { exitCode, stderr, stdout } = await run.refused(odd[words] ?? words.split(" "));
      assert.deepEqual([exitCode, stdout], [2, ""], stderr);
      assert.match(stderr, new RegExp(reason, "m"));
      assert.equal(stderr.trim().split("\n").length, 1);
      assert(!existsSync(join(run.project, ".consulta")));
    });
  }

  it("wants to know who runs a session of others", async () => {
    const run = project([]);
    const list = `ana=command:true,cy=command:true`;
    await run.consult([
      question,
      "--mode",
      "turns",
      "--participants",
      list,
      "--time-limit",
      "0.001",
    ]);
    const { exitCode, stderr } = await run.consult(["--session", session]);
    assert.equal(exitCode, 2);
    assert.match(
      stderr,
      /between ana and cy; say who runs them: --participants ana=DRIVER,cy=DRIVER/,
    );
  });

  for (const [how, make] of [
    ["is not there", () => undefined],
    ["may not run", (path: string) => writeFileSync(path, "#!/bin/sh\n", { mode: 0o644 })],
  ] as const) {
    it(`leaves the session open when the program of a command ${how}`, async () => {
      const run = project([]);
      make(join(run.project, "my-agent.sh"));
      const list = ["--participants", `a=${scripted()},b=command:./my-agent.sh`];
      const { exitCode, stdout, stderr } = await run.consult([question, ...list]);
      assert.deepEqual([exitCode, stdout], [1, ""], stderr);
      assert.match(
        stderr,
        /^stopped: b cannot go on for now: could not start: .*my-agent\.sh.*; fix it/m,
      );
      assert.match(stderr, /Go on with:\n {2}node .*--session sqlite-or-files.*my-agent\.sh/);
      assert.doesNotMatch(stderr, /one more try/);
      writeFileSync(join(run.project, "my-agent.sh"), `${run.fakeLine("b")} "$@"\n`);
      chmodSync(join(run.project, "my-agent.sh"), 0o755);
      const again = await run.consult(["--session", session, ...list]);
      assert.equal(again.exitCode, 0, again.stderr);
    });
  }
});
