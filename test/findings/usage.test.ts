import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { boardOf, removeBoards } from "./board.ts";

after(removeBoards);

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

  it("of init tells its protocols apart by their arguments", () => {
    const { stdout } = pair.project.run("init", ["--help"]);
    assert.match(stdout, /--topic/);
    assert.match(stdout, /--objective/);
    assert.match(stdout, /board .*DIR AGENTS \[TIMEOUT\]/s);
  });
});
