import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { skillNames } from "../../scripts-src/clis/skill-names.ts";

/** What a CLI puts before its model of a skill that nobody has asked for. */
function offerOf(skill: string): { name: string; description: string } {
  const text = readFileSync(join("skills", skill, "SKILL.md"), "utf8");
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1] ?? "";
  return { name: field("name"), description: field("description") };
}

const offers = skillNames.map(offerOf);

describe("the pack while nobody uses it", () => {
  it("costs a model at most 600 characters, about 150 tokens", () => {
    const length = offers.map(({ name, description }) => `${name}${description}`).join("").length;
    assert(length <= 600, `${length} characters`);
  });

  for (const { name, description } of offers) {
    it(`names in one clause what ${name} is, then when to use it`, () => {
      assert.match(description, /^[A-Z][^.]+\. Use when [^.]+\.$/);
      assert(description.length <= 150, `${description.length} characters`);
    });
  }

  it("hides its slash commands from the model of Claude Code: the skills are what it may choose", () => {
    const folder = ".claude/commands";
    for (const file of readdirSync(folder)) {
      const [, frontmatter = ""] = readFileSync(join(folder, file), "utf8").split(/^---$/m);
      assert.match(frontmatter, /^disable-model-invocation: true$/m, file);
    }
  });
});
