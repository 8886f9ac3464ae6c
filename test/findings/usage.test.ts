import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import { bundleFile } from "../../scripts-src/script/launch.ts";
import { scriptPath } from "../dialogue/project.ts";
import { boardOf } from "./board.ts";

const pair = boardOf(2, "alice", "bob");

describe("wrong usage", () => {
  const codes: [script: string, code: number, words: string[][]][] = [
    ["register", 1, [[], ["board"], ["board", "a", "b"]]],
    ["post", 1, [[], ["board", "a"], ["board", "a", "t", "more"]]],
    ["ready", 1, [[], ["board"], ["board", "a", "--nonsense"]]],
    ["poll", 64, [[], ["board"], ["board", "a", "b"], ["board", "a", "--timeout", "3"]]],
    ["read-all", 1, [[], ["board"], ["board", "a", "--nonsense"]]],
  ];
  for (const [script, code, calls] of codes) {
    it(`of ${script} is exit ${code}, with what is wrong on stderr`, () => {
      for (const words of calls) {
        const ran = pair.project.run(script, words);
        assert.deepEqual([ran.code, ran.stdout], [code, ""], words.join(" "));
        assert.match(ran.stderr, /^error: \S/);
      }
    });
  }
});

describe("--help", () => {
  const told: [script: string, words: RegExp[]][] = [
    ["init", [/AGENTS/, /exit 3|^ {2}3 {2}/im, /exit 1|^ {2}1 {2}/im]],
    ["register", [/^ {2}1 {2}.*taken/m, /^ {2}2 {2}/m]],
    ["post", [/^ {2}1 {2}.*not registered/m, /## Working Directories/]],
    ["ready", [/^ {2}1 {2}.*not registered/m, /--strict/]],
    ["poll", [/^ {2}1 {2}.*waiting/m, /^ {2}2 {2}.*deadline/m, /^ {2}64 {2}.*usage/m]],
    ["read-all", [/^ {2}1 {2}.*usage/m, /--since/]],
  ];
  for (const [script, words] of told) {
    it(`of ${script} names its own exit codes, each once`, () => {
      const { code, stdout, stderr } = pair.project.run(script, ["--help"]);
      assert.deepEqual([code, stderr], [0, ""]);
      for (const word of words) assert.match(stdout, word);
      const table = stdout.slice(stdout.indexOf("Exit codes:"));
      const listed = [...table.matchAll(/^ {2}(\d+) {2}\S/gm)].map(([, digits]) => Number(digits));
      assert(listed.length > 3 && listed.includes(70), table);
      assert.deepEqual(listed, [...new Set(listed)], table);
    });
  }

  const usual = [0, 2, 4, 70];
  const mayHaveToWait = [0, 1, 2, 4, 70];
  const ends: Record<string, number[]> = {
    ...Object.fromEntries(
      [
        "advise",
        "append-event",
        "close",
        "decide",
        "install",
        "join",
        "journal",
        "notify",
        "profile",
        "status",
        "step-in",
        "verdict",
      ].map((script) => [script, usual]),
    ),
    ...Object.fromEntries(
      ["check", "doctor", "next-action", "post", "read-all", "ready", "register", "validate"].map(
        (script) => [script, mayHaveToWait],
      ),
    ),
    "wait-for-turn": mayHaveToWait,
    brain: [...mayHaveToWait, 130],
    consult: [...mayHaveToWait, 130],
    hook: [0, 2, 4, 64, 70],
    init: [0, 1, 2, 3, 4, 70],
    poll: [0, 1, 2, 4, 64, 70],
    report: mayHaveToWait,
    view: [...usual, 130],
  };
  it("of every script names the codes that it can end with and no others", () => {
    const scripts = readdirSync(dirname(scriptPath("init"))).flatMap((file) =>
      file.endsWith(".cjs") && !["run.cjs", bundleFile].includes(file)
        ? [file.slice(0, -".cjs".length)]
        : [],
    );
    assert.deepEqual(scripts.sort(), Object.keys(ends).sort());
    for (const script of scripts) {
      const { stdout } = pair.project.run(script, ["--help"]);
      const table = stdout.slice(stdout.indexOf("Exit codes:"));
      const listed = [...table.matchAll(/^ {2}(\d+) {2}\S/gm)].map(([, digits]) => Number(digits));
      assert.deepEqual(listed, ends[script], `${script}: ${table}`);
      assert.doesNotMatch(stdout.slice(0, -table.length), /\bexit \d/i, script);
    }
  });

  it("of init tells its protocols apart by their arguments", () => {
    const { stdout } = pair.project.run("init", ["--help"]);
    assert.match(stdout, /--topic/);
    assert.match(stdout, /--objective/);
    assert.match(stdout, /board .*DIR AGENTS \[TIMEOUT\]/s);
  });
});
