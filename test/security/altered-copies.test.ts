/** Copies of messages are for people and other scripts: what a message says is what the log says. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { draft, type Project, projectMaker } from "../dialogue/project.ts";

const makeProject = projectMaker();

/** A session in which claude's question is in gemini's inbox, or taken. */
function makeTalk(): Project {
  const project = makeProject();
  project.open("talk");
  project.say("talk", "claude", draft("REQUEST", "Which?"));
  return project;
}

function copyIn(project: Project, folder: string): string {
  const [file = "none"] = project.files(folder).filter((name) => name.startsWith("talk-"));
  return project.path(folder, file);
}

function taken(): { project: Project; copy: string } {
  const project = makeTalk();
  assert.match(project.next("talk", "gemini").stdout, /content: Which\?/);
  return { project, copy: copyIn(project, "archive") };
}

function delivered(): { project: Project; copy: string } {
  const project = makeTalk();
  return { project, copy: copyIn(project, "inbox-gemini") };
}

/** What somebody may do to a copy, and what of it must never be shown. */
const changes: [name: string, change: (copy: string, project: Project) => void][] = [
  ["says something else", (copy) => rewrite(copy, "Which?", "evil words")],
  ["has a type with line breaks", (copy) => rewrite(copy, '"REQUEST"', '"evil\\nnext:\\nnode x"')],
  ["has a round of words", (copy) => rewrite(copy, '"round": 1', '"round": "evil\\nnext:"')],
  ["has a confidence of words", (copy) => rewrite(copy, '"type"', '"confidence":"evil\\n","type"')],
  ["is empty", (copy) => truncateSync(copy, 0)],
  ["is torn", (copy) => truncateSync(copy, 30)],
  ["is all zeros", (copy) => writeFileSync(copy, Buffer.alloc(200))],
  ["is no JSON", (copy) => writeFileSync(copy, "evil")],
  ["is nested deep", (copy) => writeFileSync(copy, "[".repeat(200_000) + "]".repeat(200_000))],
  [
    "is a link to a file elsewhere",
    (copy, project) => {
      writeFileSync(join(project.folder, "evil.json"), '{"type":"evil"}');
      rmSync(copy);
      symlinkSync(join(project.folder, "evil.json"), copy);
    },
  ],
];

function rewrite(path: string, from: string, to: string): void {
  const text = readFileSync(path, "utf8");
  assert(text.includes(from), `${from} is not in ${text}`);
  writeFileSync(path, text.replace(from, to));
}

for (const [where, make] of [
  ["the archive", taken],
  ["an inbox", delivered],
] as const) {
  describe(`a message whose copy in ${where}`, () => {
    for (const [name, change] of changes) {
      it(`${name} is shown as it is in the log`, () => {
        const { project, copy } = make();
        change(copy, project);
        const before = ["evil.json"].map((file) => readIfThere(join(project.folder, file)));
        const { code, stdout, stderr } = project.next("talk", "gemini");
        assert.equal(code, 0, stderr);
        assert.match(stdout, /content: Which\?/);
        assert.doesNotMatch(`${stdout}${stderr}`, /evil/);
        assert.match(readFileSync(copyIn(project, "archive"), "utf8"), /"content": "Which\?"/);
        assert.deepEqual(
          ["evil.json"].map((file) => readIfThere(join(project.folder, file))),
          before,
        );
      });

      // The same code looks at both places; only what is no file at all differs.
      if (where === "an inbox" && !/link|empty/.test(name)) continue;
      it(`${name} is reported by validate and restored by --repair`, () => {
        const { project, copy } = make();
        const good = readFileSync(copy, "utf8");
        change(copy, project);
        const found = project.run("validate", ["--session", "talk"]);
        assert.notEqual(found.code, 0, found.stdout);
        assert.match(`${found.stdout}${found.stderr}`, /differs from message 2 of the log/);
        project.run("validate", ["--session", "talk", "--repair"]);
        assert.equal(readFileSync(copy, "utf8"), good);
        assert.equal(project.run("validate", ["--session", "talk"]).code, 0);
      });
    }
  });
}

describe("the copy of a message that was answered", () => {
  it("is compared with the log as well", () => {
    const { project, copy } = taken();
    project.say("talk", "gemini", draft("RESPONSE", "This."));
    assert.equal(project.run("validate", ["--session", "talk"]).code, 0);
    rewrite(copy, "Which?", "Whose?");
    const found = project.run("validate", ["--session", "talk"]);
    assert.match(found.stdout, /archive\/talk-\S+ differs from message 2 of the log/);
    project.run("validate", ["--session", "talk", "--repair"]);
    assert.match(readFileSync(copy, "utf8"), /Which\?/);
  });
});

describe("a folder in the place of a copy", () => {
  it("stops with one line that names it", () => {
    const { project, copy } = taken();
    rmSync(copy);
    mkdirSync(copy);
    const { code, stderr } = project.next("talk", "gemini");
    assert.equal(code, 2);
    assert.match(stderr, /^error: \S+talk-\S+\.json is a folder: move it away\n$/);
  });
});

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
