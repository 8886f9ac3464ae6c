import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { readUsage } from "../../../scripts-src/brain/server/transcripts.ts";
import { cpuMs } from "../../cpu-time.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";

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
const answer = (input: number, more: object = {}, message: object = {}) => {
  const cached = { cache_creation_input_tokens: 100, cache_read_input_tokens: 1_000 };
  const usage = { input_tokens: input, ...cached, output_tokens: 10, service_tier: "standard" };
  const said = { model: "claude-opus-4-6", role: "assistant", usage, ...message };
  return { type: "assistant", isSidechain: false, message: said, ...more };
};
const used = (input: number) => ({ current: input + 1_110, model: "claude-opus-4-6" });
const bare = (usage: object) => ({ type: "assistant", message: { usage } });
const compacted = (postTokens: number) => {
  const compactMetadata = { trigger: "auto", preTokens: 167_000, postTokens };
  return { type: "system", subtype: "compact_boundary", compactMetadata };
};
const user = { type: "user", message: { role: "user", content: "hello" } };
const bulk = { type: "attachment", content: "x".repeat(118_000) };
const made = { model: "<synthetic>" };
const garbage = ["", "null", "[]", "7", "garbage", "{}"];
const torn = '{"type":"assistant","message":{"model":"claude","usage":{"input_tok';

type Row = [name: string, lines: Line[], usage: object | undefined, ending?: string];
const claude: Row[] = [
  ["the last answer", [answer(1), user, answer(5)], used(5)],
  ["the answer above a megabyte of other records", [answer(5), ...Array(9).fill(bulk)], used(5)],
  ["the main thread, not a side chain", [answer(5), answer(9, { isSidechain: true })], used(5)],
  ["an answer, not an error", [answer(5), answer(0, { isApiErrorMessage: true })], used(5)],
  ["an answer, not one that the CLI made up", [answer(5), answer(0, {}, made)], used(5)],
  ["an answer that has usage", [answer(5), { type: "assistant", message: {} }], used(5)],
  ["what a compaction left", [answer(7), compacted(9_000), user], { ...used(0), current: 9_000 }],
  ["the same where nothing is above it", [compacted(9_000)], { current: 9_000 }],
  ["the answer below a compaction", [compacted(9_000), answer(12_000)], used(12_000)],
  ["the last of two", [answer(1), compacted(9), compacted(8)], { ...used(0), current: 8 }],
  ["the answer above a torn line", [answer(5), user], used(5), '\n{"type":"assistant","mess'],
  ["an answer without a line break behind it", [user, answer(5)], used(5), ""],
  ["the answer above a torn one", [answer(5), torn], used(5)],
  ["the answer among lines that are none", [answer(5), ...garbage], used(5)],
  ["an answer behind Windows line ends", [`${JSON.stringify(answer(5))}\r`], used(5)],
  ["usage without a cache", [bare({ input_tokens: 7, output_tokens: 1 })], { current: 8 }],
  ["nothing, where usage is no number", [bare({ input_tokens: "7" })], undefined],
  ["nothing, where usage is below 0", [bare({ input_tokens: -7 })], undefined],
  ["nothing, where nobody has answered", [user], undefined],
  ["nothing in an empty file", [], undefined, ""],
  ["nothing where no answer is in the last 8 MiB", [answer(5), "x".repeat(8_388_608)], undefined],
];

/** As Gemini CLI writes them. */
const said = (id: string) => ({ id, type: "user", content: [{ text: "hello" }] });
const reply = (id: string, total: number, more: object = {}) => {
  const tokens = { input: total - 5, output: 5, cached: 0, thoughts: 0, tool: 0, total };
  return { id, type: "gemini", content: "hi", tokens, model: "gemini-3-pro", ...more };
};
const tokens = (current: number) => ({ current, model: "gemini-3-pro" });
const to = (id: string) => ({ $rewindTo: id });
const set = (...messages: object[]) => ({ $set: { messages } });
const [head, touched] = [{ sessionId: "s", projectHash: "p" }, { $set: { lastUpdated: "t" } }];
const few = { tokens: { input: 40, output: 2 } };

const gemini: Row[] = [
  ["the last answer, behind others", [head, said("1"), reply("2", 50), touched], tokens(50)],
  ["the later of two of one id", [reply("2", 50), reply("2", 70)], tokens(70)],
  ["one that has tokens", [reply("2", 50), reply("2", 0, { tokens: null })], tokens(50)],
  ["input and output, where there is no total", [reply("2", 0, few)], tokens(42)],
  ["before a rewind", [reply("2", 50), said("3"), reply("4", 90), to("3")], tokens(50)],
  ["before its rewind", [reply("2", 50), reply("4", 60), reply("4", 90), to("4")], tokens(50)],
  ["after a rewind", [said("1"), reply("2", 90), to("1"), said("5"), reply("6", 30)], tokens(30)],
  ["nothing after a rewind of everything", [said("1"), reply("2", 90), to("1")], undefined],
  ["nothing after a rewind to what is not there", [reply("2", 90), to("9")], undefined],
  ["what replaced all", [reply("2", 90), set(said("1"), reply("7", 20), said("8"))], tokens(20)],
  ["nothing, where that holds no answer", [reply("2", 90), set(said("1"))], undefined],
  ["a rewind in it", [set(reply("7", 20), said("8"), reply("9", 40)), to("8")], tokens(20)],
  ["the answer above a torn line", [reply("2", 50), '{"id":"4","type":"gem'], tokens(50)],
];

for (const [cli, rows] of [
  ["claude", claude],
  ["gemini", gemini],
] as const)
  describe(`the usage of a session of ${cli}`, () => {
    for (const [name, lines, usage, ending] of rows)
      it(`is read from its transcript: ${name}`, () => {
        write(lines, ending);
        assert.deepEqual(readUsage(cli, path), usage);
      });
  });

describe("a transcript", () => {
  it("tells nothing where there is none yet, or nothing that may be read", () => {
    mkdirSync(join(folder, "directory"));
    symlinkSync(path, join(folder, "link"));
    for (const name of ["missing.jsonl", "no/folder.jsonl", "directory", "link"])
      assert.equal(readUsage("claude", join(folder, name)), undefined, name);
  });

  it("tells nothing, soon, when nothing but very many lines is there", () => {
    write([answer(5), ...Array(1_000_000).fill("")]);
    const startedMs = cpuMs();
    assert.equal(readUsage("claude", path), undefined);
    assert(cpuMs() - startedMs < 1_000);
  });

  it("is read wherever the blocks begin, also within a character", () => {
    const filler = { type: "user", text: "\u20ac\ud83d\ude00" };
    const count = Math.ceil(262_144 / (Buffer.byteLength(JSON.stringify(filler)) + 1));
    for (let shift = 0; shift < 12; shift += 1) {
      write([answer(5, { pad: "p".repeat(shift) }), ...Array(count).fill(filler)]);
      assert.deepEqual(readUsage("claude", path), used(5));
    }
  });

  it("tells of the last answer in any order of lines, torn anywhere", () => {
    const others: Line[] = [user, { type: "summary" }, "garbage", answer(7, { isSidechain: true })];
    const input = fc.oneof(fc.constantFrom(-1, -2, -3, -4), fc.nat(150_000));
    fc.assert(
      fc.property(fc.array(input, { maxLength: 12 }), fc.nat(300), (inputs, torn) => {
        write(inputs.map((it) => (it < 0 ? (others[-1 - it] ?? user) : answer(it))));
        appendFileSync(path, JSON.stringify(answer(1)).slice(0, torn).slice(0, -1));
        const last = inputs.filter((it) => it >= 0).at(-1);
        assert.deepEqual(readUsage("claude", path), last === undefined ? undefined : used(last));
      }),
      { numRuns: 60 },
    );
  });
});
