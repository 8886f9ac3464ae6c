import assert from "node:assert/strict";
import { it } from "node:test";
import type { ConsultRun } from "./consult-run.ts";

// What a participant of a consultation may answer: the first of each kind (of `understood` two) is tried by `npm test`, all by test:long.

export const question = "SQLite or files?";
export const session = "sqlite-or-files";

type Make = (programs?: readonly string[]) => ConsultRun;

export function namesOf(run: ConsultRun): unknown[] {
  return run.events(session).map(({ event }) => event);
}

export const mended: [name: string, act: string, reason: RegExp][] = [
  ["crashes", "crash", /gemini ended with exit code 3: "boom: out of luck"; one more try/],
  ["says nothing", "silent", /gemini: the answer holds no message.*; one more try/],
  ["answers without a message", "chatter", /the answer holds no message.*; one more try/],
  ["only echoes its task", "echo", /one more try/],
  ["sends what is refused", "refused", /the message was rejected: .*confidence.*; one more try/],
];

export function triesOnceMore(project: Make, cases: typeof mended): void {
  for (const [name, act, reason] of cases) {
    it(`tries once more when a participant ${name}`, async () => {
      const run = project();
      const result = await run.consult([question, "--mode", "turns"], { FAKE_GEMINI: `${act},ok` });
      assert.equal(result.exitCode, 0, result.stderr);
      assert.match(result.stderr, reason);
      assert.match(result.stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
      assert.match(run.calls("gemini")[1]?.prompt ?? "", /Your last try did not count/);
    });
  }
}

export const understood = ["bare", "quoted", "yaml", "append", "inbox"];

export function takesMessages(project: Make, acts: typeof understood): void {
  for (const act of acts) {
    it(`takes a message that a command gives as: ${act}`, async () => {
      const run = project([]);
      const list = `ana=command:${run.fakeLine("ana")},cy=command:${run.fakeLine("cy")}`;
      const words = [question, "--mode", "turns", "--participants", list];
      const fake = { FAKE_ANA: act, FAKE_CY: act };
      const { exitCode, stderr, stdout } = await run.consult(words, fake);
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
      assert.doesNotMatch(stderr, /one more try/);
    });
  }
}

export const lost: [name: string, act: string, reason: RegExp, notes: string[]][] = [
  ["crashes twice", "crash", /\(gemini ended with exit code 3/, ["rung"]],
  ["reports an error twice", "error", /\(gemini /, ["rung"]],
  ["is silent twice", "silent", /\(the answer holds no message/, ["rung", "in_turn"]],
  ["is refused twice", "refused", /\(the message was rejected/, ["rung", "in_turn"]],
  ["chats twice", "chatter", /\(the answer holds no message/, ["rung", "in_turn"]],
];

export function staysOpen(project: Make, cases: typeof lost): void {
  for (const [name, act, reason, notes] of cases) {
    it(`stays open when a participant ${name}, and goes on with the printed line`, async () => {
      const run = project();
      const { exitCode, stdout, stderr } = await run.consult([question, "--mode", "turns"], {
        FAKE_GEMINI: act,
      });
      assert.deepEqual([exitCode, stdout], [1, ""], stderr);
      const [said = ""] = /^Not decided: gemini stopped answering .*$/m.exec(stderr) ?? [];
      assert.match(said, reason);
      assert.match(said, /The session is open and nothing is lost\. Go on with:$/);
      assert.deepEqual(namesOf(run), ["opened", "message_sent", ...notes]);
      assert.equal(run.calls("gemini").length, 2);
      const [, line = ""] = /Go on with:\n {2}node \S+consult\.cjs (.*)\n/.exec(stderr) ?? [];
      const again = await run.consult(line.replaceAll("'", "").split(" "));
      assert.equal(again.exitCode, 0, again.stderr);
      assert.match(again.stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
    });
  }
}
