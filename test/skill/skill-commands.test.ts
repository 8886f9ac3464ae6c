import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

/** An empty project with the skill where `npx skills add` puts it, and nothing else of ours. */
let project = "";

before(() => {
  project = mkdtempSync(join(tmpdir(), "consulta-skill-"));
  mkdirSync(join(project, ".agents/skills"), { recursive: true });
  cpSync("skills/consulta", join(project, ".agents/skills/consulta"), { recursive: true });
});

after(() => rmSync(project, { recursive: true, force: true }));

function blocksOf(path: string): string[] {
  const text = readFileSync(path, "utf8");
  return [...text.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block = ""]) => block.trim());
}

function shell(line: string) {
  const run = spawnSync("bash", ["-c", line], {
    cwd: project,
    encoding: "utf8",
    timeout: 60_000,
    env: { PATH: process.env["PATH"], HOME: project },
  });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

const [setup = "", ...skill] = blocksOf("skills/consulta/SKILL.md");
const workspace = blocksOf("skills/consulta/references/workspace.md");

/** What a reader puts in for ID, and how long a test waits for nobody. */
function typed(block: string, session: string): string {
  const line = block.replace(/\bID\b/g, session);
  return line.includes("wait-for-turn") ? `${line} --timeout 1` : line;
}

describe("every command line of the skill, typed in an empty project", () => {
  const session = "should-we-store-sessions-in";
  const waits = new Set([1]);
  for (const block of [...skill, ...workspace]) {
    const [first = ""] = block.split("\n");
    it(`runs: ${first.slice(0, 90)}`, () => {
      const { code, out, err } = shell(`${setup}\n${typed(block, session)}`);
      const allowed = block.includes("wait-for-turn") ? waits : new Set([0]);
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

  it("keeps SKILL.md under 120 lines", () => {
    assert(readFileSync("skills/consulta/SKILL.md", "utf8").split("\n").length <= 120);
  });
});
