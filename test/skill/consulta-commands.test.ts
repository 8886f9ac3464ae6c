import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scripted } from "../consult/scripted-line.ts";
import { SkillProject } from "./skill-project.ts";
import { stepsOf, writeFiles } from "./skill-text.ts";

/** The skill where `npx skills add` puts it. */
const at = new SkillProject("consulta");

const skill = "skills/consulta/SKILL.md";
const workspace = "skills/consulta/references/workspace.md";

/** What a reader puts in for ID, what a test for agents that cost money, and how long it waits for nobody. */
function typed(block: string, session: string): string {
  const both = `--participants 'ada=${scripted()},bob=${scripted()}'`;
  const line = block.replace(/\bID\b/g, session).replace("consult.cjs", `consult.cjs ${both}`);
  return line.includes("wait-for-turn")
    ? `${line.replace(/ --timeout 240$/, "")} --timeout 1`
    : line;
}

describe("every command line of the skill, typed in an empty project", () => {
  const session = "should-we-store-sessions-in";
  for (const step of [...stepsOf(skill), ...stepsOf(workspace)]) {
    const { line } = step;
    it(`runs: ${line.slice(0, 120)}`, () => {
      writeFiles(at.folder, step);
      at.check(typed(line, session), line.includes("wait-for-turn") ? [1] : [0]);
    });
  }

  it("names every script that the skill carries at least once in its texts", () => {
    const texts = ["SKILL.md", "references/PROTOCOL.md", "references/workspace.md"]
      .map((file) => readFileSync(join("skills/consulta", file), "utf8"))
      .join("\n");
    const names = "init next-action append-event wait-for-turn validate status".split(" ");
    for (const name of names) assert.match(texts, new RegExp(name), name);
  });

  it("writes each line so that a CLI can be told in advance to run it", () => {
    for (const { line } of [...stepsOf(skill), ...stepsOf(workspace)]) {
      assert.match(
        line,
        /^node \.agents\/skills\/consulta\/scripts\/[a-z-]+\.cjs(?: [^`$\n<{]*)?$/,
      );
    }
  });

  it("costs little to begin with: SKILL.md has at most 2,600 characters below its frontmatter", () => {
    const [, , ...body] = readFileSync(skill, "utf8").split(/^---$/m);
    assert(body.join("---").length <= 2_600, `${body.join("---").length} characters`);
  });
});
