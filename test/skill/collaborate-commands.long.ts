import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, it } from "node:test";
import { scripted } from "../consult/scripted-line.ts";
import { SkillProject } from "./skill-project.ts";
import { printedDraft, stepsOf } from "./skill-text.ts";

const skill = "skills/collaborate";
const references = readdirSync(join(skill, "references")).map((name) => `references/${name}`);

const at = new SkillProject("collaborate");
const project = at.folder;

function textOf(file: string): string {
  return readFileSync(join(skill, file), "utf8");
}

function linesOf(file: string): string[] {
  return stepsOf(join(skill, file)).map(({ line }) => line);
}

/** The filled example below a heading. */
function example(file: string, heading: string): string {
  const section = textOf(`references/${file}`).split(`\n## ${heading}\n`)[1]?.split("\n```\n")[0];
  const text = section?.split("```markdown\n")[1];
  assert(text !== undefined, `${file} has no example below ## ${heading}`);
  return `${text}\n`;
}

const steps = linesOf("SKILL.md");
const scripts = ".agents/skills/consulta/scripts";

/** What a test puts in for agents that cost money, and how long it waits for nobody. */
function typed(line: string): string {
  return line
    .replace("server=claude,reader=gemini", `'server=${scripted()},reader=${scripted()}'`)
    .replace("--timeout 240", "--timeout 1");
}

const check = (line: string, codes: number[]) => at.check(typed(line), codes);

describe("every command line of the collaborate skill, typed in an empty project", () => {
  for (const line of steps) {
    it(`runs: ${line.slice(0, 100)}`, () => {
      const said = check(line, [0]);
      if (line.includes("consult.cjs")) assert.match(said, /COMPLETED: proceed/);
    });
  }

  for (const line of linesOf("references/protocol.md")) {
    // Nobody has proposed anything to the reader yet.
    const codes = line.includes("--participant reader --timeout") ? [1] : [0];
    it(`runs, from protocol.md: ${line.slice(0, 80)}`, () => void check(line, codes));
  }

  it("runs those of the coordinator prompt, once it is filled in", () => {
    const prompt = textOf("references/coordinator-prompt.md")
      .replaceAll("SCRIPTS", join(project, scripts))
      .replaceAll("FOLDER", join(project, "docs/sync-api"))
      .replaceAll("NAME", "reader");
    const lines = [...prompt.matchAll(/^ +(node \/.*)$/gm)].map(([, line = ""]) => line);
    assert.equal(lines.length, 3);
    for (const line of lines) check(line, [0]);
  });
});

describe("what the collaborate skill says about refusals", () => {
  const folder = "--folder docs/sync-api";
  const told: [words: string, line: string, said: RegExp][] = [
    ["already contains protocol.json", steps[0] ?? "", /already contains protocol\.json/],
    [
      "Fix what it names",
      `node ${scripts}/next-action.cjs ${folder} --participant ghost`,
      /not listed.*server.*reader/,
    ],
    [
      "run it again",
      `node ${scripts}/next-action.cjs --folder docs/nowhere --participant reader`,
      /no such folder/,
    ],
    [
      "Nothing was written",
      `node ${scripts}/append-event.cjs ${folder} --participant reader --event completed --reply-to 1 --summary x`,
      /you may append now:/,
    ],
  ];
  for (const [words, line, said] of told) {
    it(`is so: ${words}`, () => {
      assert(textOf("SKILL.md").includes(words), `SKILL.md does not say ${words}`);
      assert.match(check(line, [2]), said);
    });
  }
});

/** What has to lie in the folder before an event; `[x]` stays `[ ]` while a box is not due. */
type Documents = (event: string) => Record<string, string>;

const unchecked = (text: string) => text.replaceAll("- [x]", "- [ ]");

const seedDocuments: Documents = (event) => {
  const from = (name: string) => ({ [name]: example("documents.md", name) });
  switch (event) {
    case "proposal_submitted":
      return from("proposal.md");
    case "proposal_revised":
      return from("decisions.md");
    case "question_classified":
      return { "readiness.md": unchecked(example("documents.md", "readiness.md")) };
    case "readiness_passed":
      return from("readiness.md");
    case "completed":
      return from("conclusion.md");
    default:
      return {};
  }
};

const deliverable = "deliverables/design-spec.md";
const delivered: Documents = (event) => {
  const from = (name: string) => ({ [name]: example("deliverables.md", name) });
  const spec = example("deliverables.md", "The deliverable");
  switch (event) {
    case "deliverable_drafted":
      return { [deliverable]: spec.replace("Status: Frozen", "Status: Draft") };
    case "proposal_submitted":
      return seedDocuments(event);
    case "proposal_revised":
      return from("decisions.md");
    case "question_classified":
      return { "readiness.md": unchecked(example("deliverables.md", "readiness.md")) };
    case "deliverable_frozen":
      return { [deliverable]: spec };
    case "readiness_passed":
      return from("readiness.md");
    case "completed":
      return from("conclusion.md");
    default:
      return {};
  }
};

/** Two participants that type only what is printed, with the documents of the references. */
function play(folder: string, documents: Documents, review: string): string[] {
  const appended: string[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    for (const participant of ["server", "reader"]) {
      const who = `--folder ${folder} --participant ${participant}`;
      const waited = at.shell(`node ${scripts}/wait-for-turn.cjs ${who} --timeout 0.1`);
      if (/^ready: phase is completed$/m.test(waited.out)) return appended;
      if (waited.code === 1) continue;
      const event = /^next action: .*then append (\w+)$/m.exec(waited.out)?.[1] ?? "";
      for (const [name, text] of Object.entries(documents(event))) {
        writeFileSync(join(project, folder, name), text);
      }
      const next = check(`node ${scripts}/next-action.cjs ${who}`, [0]);
      assert.doesNotMatch(next, /^required:/m, `before ${event}`);
      assert.match(
        check(nextLine(next, review), [0]),
        new RegExp(`^appended seq \\d+: ${event}$`, "m"),
      );
      appended.push(event);
      assert.match(
        check(`node ${scripts}/validate.cjs --folder ${folder}`, [0]),
        /^ACP validation passed$/m,
      );
    }
  }
  return assert.fail(`no end after ${appended.join(", ")}`);
}

/** The line below `next:`, with a summary in place of `...`; a review is written where it says. */
function nextLine(printed: string, review: string): string {
  const wanted = printedDraft(printed);
  if (wanted !== undefined) writeFileSync(join(project, wanted.file), review);
  const line = wanted?.line ?? /^next: .*\n(node .*)$/m.exec(printed)?.[1];
  assert(line, `no command in:\n${printed}`);
  return line.replace(/--summary '<.*?>'/, "--summary 'Checked on the example'");
}

describe("the filled documents of the collaborate skill", () => {
  const begin = `${steps[0]}`.replace("docs/sync-api", "FOLDER");

  it("carry a collaboration of schema 1 to completed, valid after every event", () => {
    check(begin.replace("FOLDER", "docs/one"), [0]);
    assert.deepEqual(play("docs/one", seedDocuments, example("documents.md", "The review")), [
      "proposal_submitted",
      "review_submitted",
      "proposal_revised",
      "question_classified",
      "decision_accepted",
      "decision_accepted",
      "readiness_passed",
      "completed",
    ]);
  });

  it("carry a collaboration of schema 2 to completed, valid after every event", () => {
    const type = " --primary-deliverable-type design-spec";
    check(`${begin.replace("FOLDER", "docs/two")}${type}`, [0]);
    assert.deepEqual(play("docs/two", delivered, example("deliverables.md", "The review")), [
      "deliverable_drafted",
      "proposal_submitted",
      "review_submitted",
      "proposal_revised",
      "question_classified",
      "decision_accepted",
      "decision_accepted",
      "deliverable_frozen",
      "readiness_passed",
      "completed",
    ]);
  });

  it("name the hash of the deliverable that they show", () => {
    const hash = createHash("sha256").update(example("deliverables.md", "The deliverable"));
    const named = textOf("references/deliverables.md").match(/[0-9a-f]{64}/g);
    const expected = hash.digest("hex");
    assert.deepEqual(named, [expected, expected]);
  });
});

describe("the form of the collaborate skill", () => {
  it("keeps SKILL.md under 120 lines", () => {
    assert(textOf("SKILL.md").split("\n").length <= 120);
  });

  it("links to files that travel with it", () => {
    for (const file of ["SKILL.md", ...references]) {
      for (const [, target = ""] of textOf(file).matchAll(/\]\(([^)#]+)\)/g)) {
        assert(existsSync(join(skill, dirname(file), target)), `${file} links to ${target}`);
      }
    }
  });

  it("names no script that it does not carry", () => {
    const names = ["SKILL.md", ...references].flatMap(
      (file) => textOf(file).match(/[\w-]+\.cjs/g) ?? [],
    );
    const missing = names.filter((name) => !existsSync(join(skill, "scripts", name)));
    assert.deepEqual(missing, []);
  });

  it("gives no slash command the name of a skill", () => {
    const skills = readdirSync("skills");
    for (const folder of [".claude/commands", ".gemini/commands"]) {
      const commands = readdirSync(folder).map((file) => basename(file).replace(/\.\w+$/, ""));
      assert(commands.includes("consulta-collaborate"), folder);
      assert.deepEqual(
        commands.filter((name) => skills.includes(name)),
        [],
      );
    }
  });
});
