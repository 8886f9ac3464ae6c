import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { makeScratchFolder } from "../scratch-folder.ts";
import { buildReadable, CoveredProject } from "./covered-files.ts";

const request = { type: "REQUEST", question_or_proposal: { content: "Tabs or spaces?" } };
const report = `# Tabs

**Agent:** ana
**Date:** 2026-04-22

## Working Directories

- \`~/code\` -- the project

## Files Modified

- none

## Files Investigated (not modified)

- none

## Summary

Tabs.
`;

const walks: Record<string, (project: CoveredProject) => void> = {
  dialogue(project) {
    project.run(false, "init", "--topic", "Tabs", "--participant", "ana", "--participant", "bo");
    project.write("request.json", JSON.stringify(request));
    project.run(true, "append-event", "--participant", "ana", "--message", "request.json");
    project.run(true, "next-action", "--participant", "bo");
  },
  findings(project) {
    project.run(false, "init", "board", "2");
    for (const name of ["ana", "bo"]) project.run(false, "register", "board", name);
    project.write("tabs.md", report);
    project.run(true, "post", "board", "ana", "tabs", "--file", "tabs.md");
    project.run(true, "read-all", "board", "bo");
  },
};

/**
 * Which files a walk passes is reviewed: a change that leads it through another one shows that here.
 * CONSULTA_WALKS=write writes the lists anew.
 */
describe("the source files that a walk passes", () => {
  const scripts = makeScratchFolder();
  before(() => buildReadable(scripts));

  for (const [name, walk] of Object.entries(walks)) {
    it(`are those of test/walks/${name}.txt`, (test) => {
      const project = new CoveredProject(scripts, makeScratchFolder());
      walk(project);
      const { files, functions } = project.passed();
      test.diagnostic(`${name}: ${functions} functions in ${files.length} files`);
      const list = `test/walks/${name}.txt`;
      if (process.env["CONSULTA_WALKS"] === "write") writeFileSync(list, `${files.join("\n")}\n`);
      const known = existsSync(list) ? readFileSync(list, "utf8").trimEnd().split("\n") : [];
      assert.deepEqual(files, known);
    });
  }
});
