import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import { bundleFile, sqliteFile } from "../../scripts-src/script/launch.ts";
import { Project, scriptPath } from "../dialogue/project.ts";

const project = new Project();

describe("--help", () => {
  const told: [script: string, words: RegExp[]][] = [
    ["init", [/--topic/, /--objective/, /board .*DIR AGENTS \[TIMEOUT\]/s]],
    ["register", [/^ {2}1 {2}.*taken/m]],
    ["post", [/^ {2}1 {2}.*not registered/m, /## Working Directories/]],
    ["ready", [/^ {2}1 {2}.*not registered/m, /--strict/]],
    ["poll", [/^ {2}1 {2}.*waiting/m, /^ {2}2 {2}.*deadline/m, /^ {2}64 {2}.*usage/m]],
    ["read-all", [/^ {2}1 {2}.*usage/m, /--since/]],
  ];
  for (const [script, words] of told) {
    it(`of ${script} says what its own codes mean`, () => {
      const { code, stdout, stderr } = project.run(script, ["--help"]);
      assert.deepEqual([code, stderr], [0, ""]);
      for (const word of words) assert.match(stdout, word);
    });
  }

  const usual = [0, 2, 4, 70];
  const mayHaveToWait = [0, 1, 2, 4, 70];
  const withOthers = (names: string, codes: number[]) =>
    names.split(" ").map((script) => [script, codes] as const);
  const ends: Record<string, number[]> = Object.fromEntries([
    ...withOthers("advise append-event close decide join journal notify profile", usual),
    ...withOthers("status step-in verdict", usual),
    ...withOthers("check doctor install next-action post read-all ready register", mayHaveToWait),
    ...withOthers("report validate wait-for-turn", mayHaveToWait),
    ...withOthers("audit brain consult", [...mayHaveToWait, 130]),
    ["hook", [0, 2, 4, 64, 70]],
    ["init", [0, 1, 2, 3, 4, 70]],
    ["poll", [0, 1, 2, 4, 64, 70]],
    ...withOthers("bench-audit view", [...usual, 130]),
  ]);
  it("of every script names the codes that it can end with and no others", () => {
    const scripts = readdirSync(dirname(scriptPath("init"))).flatMap((file) =>
      file.endsWith(".cjs") && !["run.cjs", bundleFile, sqliteFile].includes(file)
        ? [file.slice(0, -".cjs".length)]
        : [],
    );
    assert.deepEqual(scripts.sort(), Object.keys(ends).sort());
    for (const script of scripts) {
      const { stdout } = project.run(script, ["--help"]);
      const table = stdout.slice(stdout.indexOf("Exit codes:"));
      const listed = [...table.matchAll(/^ {2}(\d+) {2}\S/gm)].map(([, digits]) => Number(digits));
      assert.deepEqual(listed, ends[script], `${script}: ${table}`);
      assert.doesNotMatch(stdout.slice(0, -table.length), /\bexit \d/i, script);
    }
  });
});
