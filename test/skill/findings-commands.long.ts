import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { scripted } from "../consult/scripted-line.ts";
import { printedBy, SkillProject } from "./skill-project.ts";
import { stepsOf, writeFiles } from "./skill-text.ts";

const skill = "skills/share-findings";

function makeHome(): SkillProject {
  const at = new SkillProject("share-findings", "code/shop-import");
  mkdirSync(join(at.folder, "src"), { recursive: true });
  // What the skill's reports cite.
  for (const [file, lines] of [
    ["src/parse.ts", 60],
    ["src/chunks.ts", 100],
  ] as const) {
    const text = Array.from({ length: lines }, (_, line) => `// ${file} ${line}\n`).join("");
    writeFileSync(join(at.folder, file), text);
  }
  return at;
}

const steps = stepsOf(join(skill, "SKILL.md"));
const protocol = stepsOf(join(skill, "references/protocol.md"));
const scripts = ".agents/skills/consulta/scripts";

/** What a test puts in for agents that cost money, and how long it waits for nobody. */
function typed(line: string): string {
  return line.replace("alice=claude,bob=gemini", `'alice=${scripted()},bob=${scripted()}'`);
}

function check(at: SkillProject, line: string, codes: readonly number[]): string {
  return at.check(typed(line), codes);
}

/** The line of the skill that runs a script, as this agent types it when it has written its files. */
function lineFor(at: SkillProject, script: string, agent = "alice"): string {
  const step = steps.find(({ line }) => line.includes(`/${script}.cjs `));
  assert(step !== undefined, `SKILL.md does not run ${script}`);
  const own = (text: string) => text.replaceAll("alice", agent);
  const files = step.files.map(([path, text]) => [own(path), text] as const);
  writeFiles(at.folder, { files });
  return own(step.line);
}

describe("every command line of the share-findings skill, typed in an empty project", () => {
  let at: SkillProject;
  before(() => {
    at = makeHome();
  });

  for (const step of steps) {
    const { line } = step;
    it(`runs: ${line.slice(0, 100)}`, () => {
      writeFiles(at.folder, step);
      const isWait = line.includes("poll.cjs");
      const printed = check(at, isWait ? line.replace("240", "1") : line, [isWait ? 1 : 0]);
      if (line.includes("post.cjs")) assert.doesNotMatch(printed, /not watched/);
    });
  }

  for (const { line } of protocol) {
    // What bob did by hand is not in the log before one of the other scripts has seen it.
    const codes = line.includes("validate.cjs") ? [1] : [0];
    it(`runs, from protocol.md: ${line.slice(0, 80)}`, () => {
      const printed = check(at, line, codes);
      if (line.includes("consult.cjs")) assert.match(printed, /2 of 2 agents are ready/);
    });
  }

  it("shows what was done by hand to whoever reads", () => {
    assert.match(check(at, lineFor(at, "read-all"), [0]), /FINDINGS FROM: bob\n/);
    // It only reads: poll enters in the log what it has seen.
    check(at, `node ${scripts}/poll.cjs ~/boards/lost-rows alice`, [0, 1, 2]);
    check(at, `node ${scripts}/validate.cjs --folder ~/boards/lost-rows`, [0]);
  });

  it("accepts the full report of report.md, once what it refers to is there", () => {
    const text = readFileSync(join(skill, "references/report.md"), "utf8");
    const report = /````markdown\n([\s\S]*?)````/.exec(text)?.[1];
    assert(report !== undefined, "report.md has no full example");
    writeFileSync(join(at.folder, "report.md"), report);
    const printed = check(
      at,
      `node ${scripts}/post.cjs ~/boards/lost-rows bob "Last chunk" --file report.md`,
      [0],
    );
    assert.match(printed, /findings\/bob\/02-last-chunk\.md/);
    assert.match(check(at, lineFor(at, "read-all"), [0]), /superseded by bob\/02-last-chunk\.md/);
  });
});

describe("agents that have nothing but the invitation", () => {
  const text = readFileSync(join(skill, "references/invite-prompt.md"), "utf8");
  const prompt = /````text\n([\s\S]*?)````/.exec(text)?.[1] ?? "";
  const order = ["init", "register", "post", "ready", "poll", "read-all"];

  /** What the inviter puts in, by the names that the text above the prompt gives. */
  function filledIn(at: SkillProject, agent: string): string {
    const values: Record<string, string> = {
      ...{ NAME: agent, BOARD: join(at.home, "boards/pool"), COUNT: "2", SECONDS: "60" },
      ...{ SCRIPTS: join(at.folder, scripts), ABOUT: "The login's loop" },
    };
    const asked = [...text.slice(0, text.indexOf("````")).matchAll(/`([A-Z]+)`/g)];
    const names = new Set(asked.map(([, name = ""]) => name));
    assert.deepEqual([...names].sort(), Object.keys(values).sort());
    return prompt.replace(/\b[A-Z]+\b/g, (word) => values[word] ?? word);
  }

  /** Its command lines as they stand. */
  function commandsIn(filled: string): string[] {
    return [...filled.matchAll(/^node .*$/gm)].map(([command]) => command);
  }

  /** Writes the report of the prompt, word by word, to the file that the prompt names. */
  function writeReport(at: SkillProject, filled: string): void {
    const [, path] = /^ +(\.consulta\/drafts\/\S+)/m.exec(filled) ?? [];
    const [, report] = /^(# [\s\S]*?)\n\n {3}Then/m.exec(filled) ?? [];
    assert(path !== undefined && report !== undefined);
    writeFiles(at.folder, { files: [[path, report]] });
  }

  it("find every command on lines of their own that nothing stands before", () => {
    const commands = commandsIn(prompt);
    const scripts = commands.map((line) => /SCRIPTS\/([a-z-]+)\.cjs/.exec(line)?.[1]);
    assert.deepEqual(scripts, order);
    assert.equal(prompt.match(/\.cjs/g)?.length, order.length);
  });

  it("pool what they know by typing it, filled in, from the first line to the last", async () => {
    const at = makeHome();
    const reads = await Promise.all(
      ["alice", "bob"].map(async (agent) => {
        let last = "";
        writeReport(at, filledIn(at, agent));
        for (const line of commandsIn(filledIn(at, agent))) {
          const ran = await at.begin(line, "sh");
          last = printedBy(line, ran, line.includes("/init.cjs") ? [0, 3] : [0]);
          if (line.includes("/poll.cjs")) assert.equal(ran.out, "all-ready (2/2 agents)\n");
        }
        return last;
      }),
    );
    for (const [index, other] of ["bob", "alice"].entries()) {
      const banners = [...(reads[index] ?? "").matchAll(/^FINDINGS FROM: (.*)$/gm)];
      assert.deepEqual(
        banners.map(([, name]) => name),
        [other],
      );
      assert.match(
        reads[index] ?? "",
        /^--- 01-topic-in-a-few-words\.md ---\n\| # The finding in/m,
      );
      assert.doesNotMatch(reads[index] ?? "", /REPORT|^ +(?:#|-)/m);
    }
  });

  it("may paste them into one shell at once", () => {
    const at = makeHome();
    writeReport(at, filledIn(at, "alice"));
    const commands = commandsIn(filledIn(at, "alice")).filter((line) => !/poll\.cjs/.test(line));
    const input = `${commands.join("\n\n")}\n`;
    const options = { cwd: at.folder, encoding: "utf8", env: at.environment, input } as const;
    const { status, stdout, stderr } = spawnSync("sh", [], options);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^Agent alice marked ready \(1\/2\)$/m);
  });
});

describe("three agents that type only what the share-findings skill says", () => {
  const agents = ["alice", "bob", "cy"];
  const order = ["init", "register", "post", "ready", "poll", "read-all"];

  it("pool their findings, all at once", async () => {
    const at = makeHome();
    const reads = await Promise.all(
      agents.map(async (agent) => {
        let last = "";
        for (const script of order) {
          const line = lineFor(at, script, agent);
          const codes = script === "init" ? [0, 3] : [0];
          last = printedBy(line, await at.begin(typed(line)), codes);
        }
        return last;
      }),
    );
    for (const [index, read] of reads.entries()) {
      const others = agents.filter((_, other) => other !== index);
      assert.deepEqual(
        [...read.matchAll(/^FINDINGS FROM: (\w+)$/gm)].map(([, name]) => name),
        others,
      );
      assert.equal(read.split("# The parser takes a blank line").length - 1, others.length);
      assert.match(read, /3 of 3 agents ready/);
    }
  });

  it("share a board with two who do by hand what protocol.md says", () => {
    const at = makeHome();
    const byHand = protocol.map(({ line }) => line).filter((line) => line.startsWith("D="));
    assert.equal(byHand.length, 5, "register, report, ready, look and read");
    const [enter = "", write = "", mark = "", look = "", read = ""] = byHand;
    const type = (agent: string, line: string) => check(at, line.replaceAll("bob", agent), [0]);
    const run = (script: string) => check(at, lineFor(at, script), [0]);
    run("init");
    type("bob", enter);
    run("register");
    type("cy", enter);
    for (const agent of ["bob", "cy"]) type(agent, write);
    run("post");
    for (const agent of ["bob", "cy"]) type(agent, mark);
    run("ready");
    assert.match(run("poll"), /^all-ready \(3\/3 agents\)$/m);
    const found = run("read-all");
    for (const agent of ["bob", "cy"])
      assert.match(found, new RegExp(`^FINDINGS FROM: ${agent}$`, "m"));
    assert.match(type("bob", look), /findings\/alice\/\.ready/);
    assert.match(type("cy", read), /# The parser takes a blank line/);
    check(at, `node ${scripts}/validate.cjs --folder ~/boards/lost-rows`, [0]);
  });

  it("go on without a third that died, and with a late fourth", async () => {
    const at = makeHome();
    const run = (agent: string, script: string, codes: number[]) => {
      const line = lineFor(at, script, agent).replace(" 900 ", " 2 ");
      return check(at, line, codes);
    };
    run("alice", "init", [0]);
    for (const agent of agents) run(agent, "register", [0]);
    for (const agent of ["alice", "bob"]) {
      run(agent, "post", [0]);
      run(agent, "ready", [0]);
    }
    assert.match(run("alice", "poll", [2]), /^timeout \(2\/3 agents ready, deadline passed\)$/m);
    assert.match(run("alice", "read-all", [0]), /nothing to show from: cy \(not ready\)/);
    assert.match(run("dora", "register", [0]), /agent 4 where 3 were expected/);
    run("dora", "post", [0]);
    run("dora", "ready", [0]);
    assert.match(run("dora", "read-all", [0]), /FINDINGS FROM: alice/);
    assert.match(run("alice", "read-all", [0]), /FINDINGS FROM: dora/);
  });
});
