import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { readUsage } from "../../scripts-src/brain/read-context-usage.ts";
import type { TokenUsage } from "../../scripts-src/brain/rules/methods.ts";
import { cpuMs } from "../cpu-time.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

const folder = makeScratchFolder();
after(() => removeFolder(folder));
const path = join(folder, "transcript.jsonl");

type Line = object | string;
const write = (lines: readonly Line[], ending = "\n") =>
  writeFileSync(
    path,
    lines.map((it) => (typeof it === "string" ? it : JSON.stringify(it))).join("\n") + ending,
  );

/** As Claude Code writes them; what matters here of each. */
const answer = (input: number, more: object = {}, message: object = {}) => ({
  type: "assistant",
  isSidechain: false,
  message: {
    model: "claude-opus-4-6",
    role: "assistant",
    usage: {
      input_tokens: input,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 1_000,
      output_tokens: 10,
      service_tier: "standard",
    },
    ...message,
  },
  ...more,
});
const used = (input: number) => ({ current: input + 1_110, model: "claude-opus-4-6" });
const boundary = (trigger: string, preTokens: number, postTokens: number) => ({
  type: "system",
  subtype: "compact_boundary",
  compactMetadata: { trigger, preTokens, postTokens },
});
const user = { type: "user", message: { role: "user", content: "hello" } };
const bulk = { type: "attachment", content: "x".repeat(118_000) };

const claude: [name: string, lines: Line[], usage: TokenUsage | undefined, ending?: string][] = [
  ["the last answer", [answer(1), user, answer(5)], used(5)],
  ["the answer above 118 kB of other records", [answer(5), bulk, user, bulk], used(5)],
  ["the answer above a megabyte of them", [answer(5), ...Array(9).fill(bulk)], used(5)],
  ["the main thread, not a side chain", [answer(5), answer(9, { isSidechain: true })], used(5)],
  [
    "a real answer, not an error of the API",
    [answer(5), answer(0, { isApiErrorMessage: true })],
    used(5),
  ],
  [
    "a real answer, not one that the CLI made up",
    [answer(5), answer(0, {}, { model: "<synthetic>" })],
    used(5),
  ],
  [
    "an answer that has usage",
    [answer(5), { type: "assistant", message: { model: "claude-opus-4-6" } }],
    used(5),
  ],
  [
    "what a compaction left",
    [answer(160_000), boundary("auto", 167_000, 9_000), user],
    { current: 9_000, model: "claude-opus-4-6" },
  ],
  [
    "what a compaction left, where nothing is above it",
    [boundary("auto", 167_000, 9_000)],
    { current: 9_000 },
  ],
  [
    "the answer below a compaction",
    [boundary("auto", 167_000, 9_000), answer(12_000)],
    used(12_000),
  ],
  [
    "the last of two compactions",
    [answer(1), boundary("auto", 167_000, 9_000), boundary("manual", 40_000, 8_000)],
    { current: 8_000, model: "claude-opus-4-6" },
  ],
  [
    "the answer above a torn last line",
    [answer(5), user],
    used(5),
    '\n{"type":"assistant","message":{"usa',
  ],
  ["an answer without a line break behind it", [user, answer(5)], used(5), ""],
  [
    "the answer above a torn one",
    [answer(5), '{"type":"assistant","message":{"model":"claude","usage":{"input_tok'],
    used(5),
  ],
  [
    "the answer among lines that are none",
    [answer(5), "", "null", "[]", "7", "garbage", "{}"],
    used(5),
  ],
  ["an answer behind Windows line ends", [`${JSON.stringify(answer(5))}\r`], used(5)],
  [
    "usage without a cache",
    [{ type: "assistant", message: { usage: { input_tokens: 7, output_tokens: 1 } } }],
    { current: 8 },
  ],
  [
    "nothing, where usage is no number",
    [{ type: "assistant", message: { usage: { input_tokens: "7" } } }],
    undefined,
  ],
  [
    "nothing, where usage is below 0",
    [{ type: "assistant", message: { usage: { input_tokens: -7 } } }],
    undefined,
  ],
  ["nothing, where nobody has answered", [user], undefined],
  ["nothing in an empty file", [], undefined, ""],
];

describe("the usage of a Claude Code session", () => {
  for (const [name, lines, usage, ending] of claude) {
    it(`is read from its transcript: ${name}`, () => {
      write(lines, ending);
      assert.deepEqual(readUsage("claude", path), usage);
    });
  }

  it("is unknown where there is no transcript yet, or nothing that may be read", () => {
    assert.equal(readUsage("claude", join(folder, "missing.jsonl")), undefined);
    assert.equal(readUsage("claude", join(folder, "no", "folder.jsonl")), undefined);
    mkdirSync(join(folder, "directory"));
    assert.equal(readUsage("claude", join(folder, "directory")), undefined);
    symlinkSync(path, join(folder, "link"));
    assert.equal(readUsage("claude", join(folder, "link")), undefined);
  });

  it("is unknown when no answer is in the last 8 MiB", () => {
    write([answer(5), "x".repeat(8_388_608), user]);
    assert.equal(readUsage("claude", path), undefined);
  });

  it("is unknown soon when nothing but very many lines is there", () => {
    write([answer(5), ...Array(1_000_000).fill("")]);
    const startedMs = cpuMs();
    assert.equal(readUsage("claude", path), undefined);
    assert(cpuMs() - startedMs < 1_000);
  });

  it("is read wherever the blocks begin, also within a character", () => {
    const filler = { type: "user", text: "\u20ac\ud83d\ude00" };
    const size = Buffer.byteLength(JSON.stringify(filler)) + 1;
    const count = Math.ceil(262_144 / size);
    for (let shift = 0; shift < 12; shift += 1) {
      write([answer(5, { pad: "p".repeat(shift) }), ...Array(count).fill(filler)]);
      assert.deepEqual(readUsage("claude", path), used(5));
    }
  });

  it("is that of the last answer in any order of lines, torn anywhere", () => {
    const line = fc.oneof(
      fc.constantFrom<Line>(user, { type: "summary" }, "garbage", answer(7, { isSidechain: true })),
      fc.nat(150_000).map((input) => answer(input)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.nat(300), (lines, torn) => {
        write(lines);
        const half = JSON.stringify(answer(1)).slice(0, torn);
        appendFileSync(path, half.slice(0, -1));
        const answers = lines.filter(
          (it) => Object(it).type === "assistant" && !Object(it).isSidechain,
        );
        const last = answers.at(-1);
        const input = last === undefined ? undefined : Object(last).message.usage.input_tokens;
        assert.deepEqual(readUsage("claude", path), input === undefined ? undefined : used(input));
      }),
      { numRuns: 60 },
    );
  });
});

/** As Gemini CLI writes them. */
const said = (id: string) => ({ id, type: "user", content: [{ text: "hello" }] });
const reply = (id: string, total: number, more: object = {}) => ({
  id,
  type: "gemini",
  content: "hi",
  tokens: { input: total - 5, output: 5, cached: 0, thoughts: 0, tool: 0, total },
  model: "gemini-3-pro",
  ...more,
});
const tokens = (current: number) => ({ current, model: "gemini-3-pro" });
const head = { sessionId: "s", projectHash: "p", startTime: "t" };
const touched = { $set: { lastUpdated: "t" } };

const gemini: [name: string, lines: Line[], usage: TokenUsage | undefined][] = [
  [
    "the last answer, behind records about the session",
    [head, said("1"), reply("2", 50), touched],
    tokens(50),
  ],
  ["the later of two records of one id", [reply("2", 50), reply("2", 70)], tokens(70)],
  [
    "the earlier one, when the later has no tokens",
    [reply("2", 50), reply("2", 0, { tokens: null })],
    tokens(50),
  ],
  [
    "input and output, where there is no total",
    [reply("2", 0, { tokens: { input: 40, output: 2 } })],
    tokens(42),
  ],
  [
    "what is left after a rewind",
    [said("1"), reply("2", 50), said("3"), reply("4", 90), { $rewindTo: "3" }],
    tokens(50),
  ],
  [
    "what is left after a rewind of the answer itself",
    [reply("2", 50), reply("4", 60), reply("4", 90), { $rewindTo: "4" }],
    tokens(50),
  ],
  [
    "what came after a rewind",
    [said("1"), reply("2", 90), { $rewindTo: "1" }, said("5"), reply("6", 30)],
    tokens(30),
  ],
  [
    "nothing after a rewind of everything",
    [said("1"), reply("2", 90), { $rewindTo: "1" }],
    undefined,
  ],
  ["nothing after a rewind to what is not there", [reply("2", 90), { $rewindTo: "9" }], undefined],
  [
    "the messages that replaced all before",
    [reply("2", 90), { $set: { messages: [said("1"), reply("7", 20), said("8")] } }],
    tokens(20),
  ],
  [
    "nothing, where they hold no answer",
    [reply("2", 90), { $set: { messages: [said("1")] } }],
    undefined,
  ],
  [
    "a rewind within them",
    [{ $set: { messages: [reply("7", 20), said("8"), reply("9", 40)] } }, { $rewindTo: "8" }],
    tokens(20),
  ],
  ["the answer above a torn line", [reply("2", 50), '{"id":"4","type":"gem'], tokens(50)],
];

describe("the usage of a Gemini CLI session", () => {
  for (const [name, lines, usage] of gemini) {
    it(`is read from its transcript: ${name}`, () => {
      write(lines);
      assert.deepEqual(readUsage("gemini", path), usage);
    });
  }
});
