import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { codeCache } from "../code-cache.ts";
import { scripted } from "../consult/scripted-line.ts";
import { stepsOf, writeFiles } from "./skill-text.ts";

/** An empty project with the skill where `npx skills add` puts it, and nothing else of ours. */
let project = "";
/** Its user's home, which is no project. */
let home = "";

before(() => {
  home = mkdtempSync(join(tmpdir(), "consulta-skill-"));
  project = join(home, "project");
  mkdirSync(join(project, ".agents/skills"), { recursive: true });
  cpSync("skills/consulta", join(project, ".agents/skills/consulta"), { recursive: true });
});

after(() => rmSync(home, { recursive: true, force: true }));

function shell(line: string) {
  const run = spawnSync("bash", ["-c", line], {
    cwd: project,
    encoding: "utf8",
    timeout: 60_000,
    env: { PATH: process.env["PATH"], HOME: home, XDG_CACHE_HOME: codeCache },
  });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

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
  const waits = new Set([1]);
  for (const step of [...stepsOf(skill), ...stepsOf(workspace)]) {
    const { line } = step;
    it(`runs: ${line.slice(0, 120)}`, () => {
      writeFiles(project, step);
      const { code, out, err } = shell(typed(line, session));
      const allowed = line.includes("wait-for-turn") ? waits : new Set([0]);
      assert(allowed.has(code ?? -1), `exit ${code}\n${out}\n${err}`);
    });
  }

  it("names every script that the skill carries at least once in its texts", () => {
    const texts = ["SKILL.md", "references/PROTOCOL.md", "references/workspace.md"]
      .map((file) => readFileSync(join("skills/consulta", file), "utf8"))
      .join("\n");
    for (const name of [
      "init",
      "next-action",
      "append-event",
      "wait-for-turn",
      "validate",
      "status",
    ]) {
      assert.match(texts, new RegExp(name), name);
    }
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
