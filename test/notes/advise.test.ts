import assert from "node:assert/strict";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Project } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";

describe("advise", () => {
  let project: Project;
  before(() => {
    project = new Project();
    project.open("advice");
  });
  after(() => removeFolder(project.folder));

  const memory = () => readFileSync(join(project.folder, "GEMINI.md"), "utf8");
  const advise = (...lines: string[]) =>
    project.run(
      "advise",
      ["--participant", "claude", "--colleague", "gemini", "--advice", "-", "--apply"],
      lines.join("\n"),
    );

  it("adds to what was advised before, and touches nothing else", () => {
    const around = ["# Memory", "", "Mine.", "", "## Advice from colleague Claude", "", "- Old."];
    writeFileSync(
      join(project.folder, "GEMINI.md"),
      `${around.join("\n")}\n\n## Other\n\nStays.\n`,
    );
    const { code, stdout, stderr } = advise("- Read the tests first.", "- Name the file.");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.doesNotMatch(stdout, /^-[^-]/m, "a line is taken away");
    const added = ["", "- Read the tests first.", "- Name the file."];
    assert.equal(memory(), `${[...around, ...added].join("\n")}\n\n## Other\n\nStays.\n`);
  });

  it("takes a single line, and says none twice", () => {
    const before = memory();
    assert.equal(advise("- One more.").code, 0);
    assert.equal(
      memory(),
      before.replace("- Name the file.\n", "- Name the file.\n\n- One more.\n"),
    );
    const again = advise("- One more.", "- Old.");
    assert.deepEqual([again.code, /already says so/.test(again.stdout)], [0, true]);
  });

  it("begins the section where there is none", () => {
    writeFileSync(join(project.folder, "GEMINI.md"), "# Memory");
    assert.equal(advise("- First.").code, 0);
    assert.equal(memory(), "# Memory\n\n## Advice from colleague Claude\n\n- First.\n");
    assert.equal(advise("- Second.").code, 0);
    assert.match(memory(), /\n- First\.\n\n- Second\.\n$/);
  });

  it("goes into the file of another CLI where the memory is a link to it, and into no other", () => {
    const path = join(project.folder, "GEMINI.md");
    writeFileSync(join(project.folder, "AGENTS.md"), "# Agents\n");
    for (const [target, code, text] of [
      ["AGENTS.md", 0, /- Third\.\n$/],
      ["package.json", 2, /^\{\}$/],
    ] as const) {
      rmSync(path);
      if (target === "package.json") writeFileSync(join(project.folder, target), "{}");
      symlinkSync(target, path);
      assert.equal(advise("- Third.").code, code);
      assert.match(readFileSync(join(project.folder, target), "utf8"), text);
    }
    rmSync(path);
  });

  for (const [count, lines] of [
    [0, []],
    [9, Array.from({ length: 9 }, (_, n) => `- Line ${n}.`)],
  ] as const) {
    it(`rejects ${count} lines`, () => {
      const { code, stderr } = advise(...lines);
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`advice has 1 to 8 plain lines .*; ${count} lines came`));
    });
  }
});
