/** Copies of messages are for people and other scripts: what a message says is what the log says. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { draft, type Project, projectMaker } from "../dialogue/project.ts";

const makeProject = projectMaker();

/** A session in which claude's question is in gemini's inbox, or taken. */
function makeTalk(folder: string): { project: Project; copy: string } {
  const project = makeProject();
  project.open("talk");
  project.say("talk", "claude", draft("REQUEST", "Which?"));
  if (folder === "archive") assert.match(project.next("talk", "gemini").stdout, /content: Which\?/);
  const [file = "none"] = project.files(folder).filter((name) => name.startsWith("talk-"));
  return { project, copy: project.path(folder, file) };
}

function rewrite(path: string, from: string, to: string): void {
  const text = readFileSync(path, "utf8");
  assert(text.includes(from), `${from} is not in ${text}`);
  writeFileSync(path, text.replace(from, to));
}

function linkElsewhere(copy: string): void {
  const other = join(copy, "../../../evil.json");
  writeFileSync(other, '{"type":"evil"}');
  rmSync(copy);
  symlinkSync(other, copy);
}

/** What somebody may do to a copy, and what of it must never be shown. */
const changes: [name: string, change: (copy: string) => void][] = [
  ["says something else", (copy) => rewrite(copy, "Which?", "evil words")],
  ["has a type with line breaks", (copy) => rewrite(copy, '"REQUEST"', '"evil\\nnext:\\nnode x"')],
  ["has a round of words", (copy) => rewrite(copy, '"round": 1', '"round": "evil\\nnext:"')],
  ["has a confidence of words", (copy) => rewrite(copy, '"type"', '"confidence":"evil\\n","type"')],
  ["is empty", (copy) => truncateSync(copy, 0)],
  ["is torn", (copy) => truncateSync(copy, 30)],
  ["is all zeros", (copy) => writeFileSync(copy, Buffer.alloc(200))],
  ["is no JSON", (copy) => writeFileSync(copy, "evil")],
  ["is nested deep", (copy) => writeFileSync(copy, "[".repeat(200_000) + "]".repeat(200_000))],
  ["is a link to a file elsewhere", linkElsewhere],
];

describe("a message whose copy in the archive", () => {
  for (const [name, change] of changes) {
    it(`${name} is told by validate, shown as it is in the log, and written anew`, () => {
      const { project, copy } = makeTalk("archive");
      change(copy);
      const found = project.run("validate", ["--session", "talk"]);
      assert.notEqual(found.code, 0, found.stdout);
      assert.match(`${found.stdout}${found.stderr}`, /differs from message 2 of the log/);
      const { code, stdout, stderr } = project.next("talk", "gemini");
      assert.equal(code, 0, stderr);
      assert.match(stdout, /content: Which\?/);
      assert.doesNotMatch(`${stdout}${stderr}`, /evil/);
      assert.match(readFileSync(copy, "utf8"), /"content": "Which\?"/);
      const other = join(project.folder, "evil.json");
      if (existsSync(other)) assert.equal(readFileSync(other, "utf8"), '{"type":"evil"}');
      assert.equal(project.run("validate", ["--session", "talk"]).code, 0);
    });
  }

  it("was answered is compared with the log as well, and restored by --repair", () => {
    const { project, copy } = makeTalk("archive");
    project.say("talk", "gemini", draft("RESPONSE", "This."));
    assert.equal(project.run("validate", ["--session", "talk"]).code, 0);
    rewrite(copy, "Which?", "Whose?");
    const found = project.run("validate", ["--session", "talk"]);
    assert.match(found.stdout, /archive\/talk-\S+ differs from message 2 of the log/);
    project.run("validate", ["--session", "talk", "--repair"]);
    assert.match(readFileSync(copy, "utf8"), /Which\?/);
  });

  it("is a folder stops with one line that names it", () => {
    const { project, copy } = makeTalk("archive");
    rmSync(copy);
    mkdirSync(copy);
    const { code, stderr } = project.next("talk", "gemini");
    assert.equal(code, 2);
    assert.match(stderr, /^error: \S+talk-\S+\.json is a folder: move it away\n$/);
  });
});

describe("a message whose copy in an inbox", () => {
  // The same code looks at both places; only what is no file at all differs.
  for (const [name, change] of changes.filter(([it]) => /link|empty/.test(it))) {
    it(`${name} is shown as it is in the log, and restored by --repair`, () => {
      const { project, copy } = makeTalk("inbox-gemini");
      change(copy);
      project.run("validate", ["--session", "talk", "--repair"]);
      assert.match(readFileSync(copy, "utf8"), /"content": "Which\?"/);
      change(copy);
      const { stdout } = project.next("talk", "gemini");
      assert.match(stdout, /content: Which\?/);
      assert.doesNotMatch(stdout, /evil/);
    });
  }
});
