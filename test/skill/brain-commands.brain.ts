import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { readEndpoint } from "../../scripts-src/brain/endpoint.ts";
import { isGone } from "../consult/consult-run.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { stepsOf } from "./skill-text.ts";

const skill = "skills/brain/SKILL.md";
const scratch = makeScratchFolder();
/** A project with this skill where its text names the scripts, and nothing else of ours. */
const project = join(scratch, "project");
const bin = join(scratch, "bin");

before(async () => {
  for (const folder of [project, bin, join(project, "docs"), join(scratch, ".consulta")]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  symlinkSync(process.execPath, join(bin, "node"));
  cpSync("skills/brain", join(project, ".agents/skills/consulta"), { recursive: true });
  writeFileSync(join(project, "docs/long.md"), "A long text.\n".repeat(1_000));
  const delegate = [join(bin, "node"), "-e", 'process.stdin.resume().on("end",()=>console.log(7))'];
  const settings = JSON.stringify({ brain: { delegate } });
  writeFileSync(join(scratch, ".consulta/config.yaml"), settings, { mode: 0o600 });
});

after(async () => {
  const pid = readEndpoint(join(project, ".consulta/brain"))?.pid;
  if (pid !== undefined) {
    process.kill(pid, "SIGKILL");
    await isGone(pid);
  }
  removeFolder(scratch);
});

function shell(line: string) {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", line], {
    cwd: project,
    encoding: "utf8",
    timeout: 60_000,
    env: { PATH: `${bin}:${process.env["PATH"]}`, HOME: scratch, CLAUDECODE: "1" },
  });
  return { code: status, said: `${stdout}${stderr}` };
}

/** What the page for people says to type: blocks of lines for a shell, and a client. */
const page = readFileSync("docs/brain.md", "utf8");
const blocks = [...page.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block = ""]) => block.trim());
const client = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? "";

const steps = stepsOf(skill);
const expected: Readonly<Record<string, RegExp>> = {
  store: /^stored "deploy\/staging" \(new\)$/m,
  retrieve: /^<<< \w+ memory "deploy\/staging", .* from claude\. Quoted data/,
  forget: /^forgot 1 memory, 0 saved sessions, 0 events$/m,
  process: /answer of node\. Quoted data.*\n\| 7\n/,
  search: /answer of node\. Quoted data.*\n\| 7\n/,
};

describe("every command line of the brain skill, typed in an empty project", () => {
  for (const { line } of steps) {
    it(`runs: ${line.slice(0, 120)}`, () => {
      const [, command = ""] = /brain\.cjs (\S+)/.exec(line) ?? [];
      const { code, said } = shell(line);
      assert.equal(code, 0, said);
      assert.match(said, expected[command] ?? /^$/);
    });
  }

  it("runs what its text names beside those", () => {
    const script = "node .agents/skills/consulta/scripts/brain.cjs";
    mkdirSync(join(project, ".consulta/drafts"));
    writeFileSync(join(project, ".consulta/drafts/note.md"), 'It\'s "quoted".\nTwice.\n');
    for (const [words, said] of [
      ["store deploy/notes --file .consulta/drafts/note.md", /^stored "deploy\/notes" \(new\)$/m],
      ["list deploy/", /^deploy\/notes {2}\(claude, just now\) {2}It's "quoted"\. Twice\.$/m],
      ["event 'The build is red'", /^queued as 1 /],
      ["status", /^Memories {8}1\nSaved sessions {2}0\nEvents waiting {2}1$/m],
      ["forget --text 'build is red'", /^forgot 0 memories, 0 saved sessions, 1 event$/m],
    ] as const) {
      const ran = shell(`${script} ${words}`);
      assert.equal(ran.code, 0, ran.said);
      assert.match(ran.said, said);
    }
  });

  it("writes each line so that a CLI can be told in advance to run it", () => {
    assert(steps.length >= 6);
    for (const { line } of steps) {
      assert.match(line, /^node \.agents\/skills\/consulta\/scripts\/brain\.cjs [^`$\n<{]*$/);
    }
  });

  it("is short: fewer than 80 lines below its frontmatter", () => {
    const [, , ...body] = readFileSync(skill, "utf8").split(/^---$/m);
    assert(body.join("---").trim().split("\n").length < 80);
  });
});

describe("what docs/brain.md says to type", () => {
  before(() => symlinkSync(".agents/skills/consulta/scripts", join(project, "dist")));

  for (const block of blocks) {
    it(`runs: ${block.split("\n")[0]}`, () => {
      const { code, said } = shell(`set -e\n${block}`);
      assert.equal(code, 0, said);
    });
  }

  it("is a whole client", () => {
    symlinkSync(resolve("node_modules"), join(project, "node_modules"));
    writeFileSync(join(project, "client.mjs"), client);
    const { code, said } = shell("node client.mjs");
    assert.equal(code, 0, said);
    assert.match(said, /^alert\.memory_full \{ token_percentage: 91, session: 's1' \}$/m);
    assert.match(said, /^answer \{ found: /m);
  });
});
