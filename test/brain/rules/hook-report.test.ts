import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reportAt, userWords } from "../../../scripts-src/brain/rules/hook-report.ts";
import { readParams } from "../../../scripts-src/brain/rules/methods.ts";
import {
  cliFacts,
  type HookedCli,
  hookedClis,
  momentOf,
} from "../../../scripts-src/clis/hook-entries.ts";
import type { HookInput } from "../../../scripts-src/wake/hook-call.ts";
import { cpuMs } from "../../cpu-time.ts";

function told(cli: HookedCli, event: string, input: HookInput = {}) {
  const moment = momentOf(cli, event, "manual");
  assert(moment !== undefined, event);
  const report = reportAt({ moment, cli, input: { session_id: "one", ...input } });
  if (report !== undefined) readParams("session.sync", JSON.parse(JSON.stringify(report)));
  return report;
}

describe("what a hook tells the brain", () => {
  it("is known for each event that is hooked", () => {
    for (const cli of hookedClis)
      for (const { event } of cliFacts[cli].events) assert(told(cli, event), `${cli} ${event}`);
    assert.equal(momentOf("claude", "PreToolUse"), undefined);
    assert.equal(momentOf("gemini", "PreCompress", "auto"), undefined);
  });

  it("is nothing without a session that has a name of sensible length", () => {
    for (const session_id of [undefined, "", 7, "s".repeat(129)])
      assert.equal(told("claude", "Stop", { session_id }), undefined);
  });

  it("fits the method, whatever the CLI sends", () => {
    const wild = {
      prompt: 7,
      source: {},
      reason: "r".repeat(500),
      tool_name: [],
      tool_input: null,
      transcript_path: "/".repeat(5_000),
      context_tokens: "5",
    };
    const long = "x".repeat(3_000_000);
    for (const cli of hookedClis) {
      for (const { event } of cliFacts[cli].events) {
        told(cli, event, wild);
        told(cli, event, { prompt: long, last_assistant_message: long, compact_summary: long });
      }
    }
  });

  it("takes no longer than its size, though tags are opened and never closed", () => {
    const texts = ["<task-notification>", "<analysis>", "<summary>", "<hook_context>"];
    const startedMs = cpuMs();
    for (const text of texts.map((tag) => tag.repeat(60_000))) {
      told("claude", "UserPromptSubmit", { prompt: text });
      told("claude", "PostCompact", { compact_summary: text });
    }
    assert(cpuMs() - startedMs < 3_000);
  });

  it("is whole where a character is half", () => {
    const [half, full] = ["so \ud83d far", "so \ufffd far"];
    assert.equal(told("claude", "UserPromptSubmit", { prompt: half })?.prompt, full);
    const { context } = told("claude", "Stop", { last_assistant_message: half }) ?? {};
    assert.deepEqual(context, { answer: full });
  });

  it("is where its transcript is, but never when that tells of before a compaction or a clear", () => {
    const about = { transcript_path: "/t.jsonl", context_tokens: 900 };
    const used = ({ transcript, token_usage }: Partial<NonNullable<ReturnType<typeof told>>>) => ({
      ...{ transcript, token_usage },
    });
    const all = { transcript: "/t.jsonl", token_usage: { current: 900 } };
    const none = { transcript: undefined, token_usage: undefined };
    for (const event of ["PostToolUse", "Stop", "SessionEnd"])
      assert.deepEqual(used(told("claude", event, about) ?? {}), all);
    assert.deepEqual(
      used(told("claude", "SessionStart", { ...about, source: "resume" }) ?? {}),
      all,
    );
    for (const source of ["compact", "clear"])
      assert.deepEqual(used(told("claude", "SessionStart", { ...about, source }) ?? {}), none);
    const compacted = { ...about, compact_summary: "" };
    assert.deepEqual(used(told("claude", "PostCompact", compacted) ?? {}), none);
    assert.deepEqual(used(told("gemini", "PreCompress", about) ?? {}), none);
    assert.equal(told("gemini", "PreCompress", {})?.source, "compact");
  });

  it("is a summary without its tags and what the model thought aloud", () => {
    const cases = [
      ["<analysis>hm</analysis>\n<summary>\nWe chose SQLite.\n</summary>", "We chose SQLite."],
      ["<analysis>hm</analysis> We chose SQLite.", "We chose SQLite."],
      ["We chose SQLite.", "We chose SQLite."],
    ];
    for (const [compact_summary, summary] of cases)
      assert.deepEqual(told("claude", "PostCompact", { compact_summary })?.context, { summary });
  });
});

describe("the words of a user", () => {
  const prompts: [prompt: string, words: string][] = [
    ["rename it", "rename it"],
    ["<hook_context>old</hook_context>\n\nrename it", "rename it"],
    ["<task-notification>\n<summary>done</summary>\n</task-notification>", ""],
    ["<task-notification>a</task-notification><system-reminder>b</system-reminder>", ""],
    ["[SYSTEM NOTIFICATION - NOT USER INPUT]\nsomething", ""],
    ["Consulta: you have the turn in session talk. Run: node x", ""],
    ['Stop hook blocking error from command "Stop": Consulta: you have the turn', ""],
    ["why does Consulta: say so?", "why does Consulta: say so?"],
  ];
  for (const [prompt, words] of prompts)
    it(`of ${JSON.stringify(prompt)}`, () => assert.equal(userWords(prompt), words));
});
