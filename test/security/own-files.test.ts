import assert from "node:assert/strict";
import {
  appendFileSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { draft, projectMaker } from "../dialogue/project.ts";

const made = projectMaker();

const objective = ["--objective", "It", "--completion", "Done"];
const two = ["--participant", "ann", "--participant", "bob"];
const design = ["--primary-deliverable-type", "design-spec"];

describe("a document of an event", () => {
  const project = made();
  const folder = join(project.folder, "talk");
  project.run("init", [...objective, ...two, "--folder", folder]);
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, ".git/config"), "");
  writeFileSync(join(folder, ".env"), "");
  const append = (doc: string) =>
    project.run("append-event", [
      ...["--folder", folder, "--participant", "ann", "--event", "proposal_submitted"],
      ...["--summary", "Here", "--reply-to", "1", "--doc", doc],
    ]);
  const docs = ["events.jsonl", "./EVENTS.jsonl", "protocol.json", ".env", ".git/config"];
  for (const doc of [...docs, ".checkpoint.json", ".consulta/x.md"]) {
    it(`is not ${doc}`, () => {
      const earlier = readFileSync(join(folder, "events.jsonl"), "utf8");
      const { code, stderr } = append(doc);
      assert.equal(code, 2);
      assert.match(stderr, /is no document: name one that people read, such as proposal\.md/);
      assert.equal(readFileSync(join(folder, "events.jsonl"), "utf8"), earlier);
    });
  }

  it("may be one that people read", () => {
    assert.equal(append("proposal.md").code, 0);
  });
});

describe("the deliverables", () => {
  const folders: [dir: string, reason: RegExp][] = [
    [".git", /"\.git" is, or lies in, what programs keep for themselves; name another/],
    ["docs/.git/hooks", /what programs keep for themselves/],
    [".consulta", /what programs keep for themselves/],
    [".", /^$/],
    ["proposal.md", /must not be a file that the protocol writes itself: "proposal\.md\//],
    ["Events.jsonl", /must not be a file that the protocol writes itself: "Events\.jsonl\//],
  ];
  for (const [dir, reason] of folders) {
    it(`${reason.source === "^$" ? "may" : "do not"} lie in ${dir}`, () => {
      const project = made();
      const folder = join(project.folder, "talk");
      const words = [...objective, ...two, "--folder", folder, ...design];
      const { code, stderr } = project.run("init", [...words, "--deliverables-dir", dir]);
      assert.equal(code, reason.source === "^$" ? 0 : 2, stderr);
      if (code !== 0) assert.match(stderr, reason);
    });
  }

  it("have no hidden name", () => {
    const file = ["--primary-deliverable-file", ".hidden.md"];
    const { code, stderr } = made().run("init", [...objective, ...two, ...design, ...file]);
    assert.equal(code, 2);
    assert.match(stderr, /primary deliverable file must not be hidden/);
  });

  for (const name of ["CLAUDE.md", "claude.local.md", "docs/Gemini.md", "AGENTS.md", "SKILL.md"]) {
    it(`are not ${name}, which AI CLIs take for instructions`, () => {
      const project = made();
      const folder = join(project.folder, "talk");
      const file = ["--primary-deliverable-file", name];
      const words = [...objective, ...two, "--folder", folder, ...design];
      const { code, stderr } = project.run("init", [...words, ...file]);
      assert.equal(code, 2);
      assert.match(stderr, /is, or lies in, what programs keep for themselves/);
      assert.equal(project.run("init", words).code, 0);
      const path = join(folder, "protocol.json");
      const settings = JSON.parse(readFileSync(path, "utf8"));
      settings.deliverables.primary.file = name;
      writeFileSync(path, JSON.stringify(settings));
      const next = project.run("next-action", ["--folder", folder, "--participant", "ann"]);
      assert.equal(next.code, 2);
      assert.match(next.stderr, /is, or lies in, what programs keep for themselves/);
    });
  }

  for (const dir of [".git", ".GIT", ".git/hooks", ".consulta", ".claude/commands"]) {
    it(`are not read in ${dir}, whoever wrote protocol.json`, () => {
      const project = made();
      const folder = join(project.folder, "talk");
      project.run("init", [...objective, ...two, "--folder", folder, ...design]);
      const path = join(folder, "protocol.json");
      const settings = JSON.parse(readFileSync(path, "utf8"));
      settings.deliverables.dir = dir;
      writeFileSync(path, JSON.stringify(settings));
      const words = ["--folder", folder, "--participant", "ann"];
      const { code, stderr } = project.run("next-action", words);
      assert.equal(code, 2);
      assert.match(stderr, /is, or lies in, what programs keep for themselves/);
    });
  }
});

describe("a file with another name", () => {
  it("is no log: nothing is read from it and nothing written", () => {
    const project = made();
    project.open("talk");
    const log = project.path("sessions/talk/events.jsonl");
    const other = join(project.folder, "elsewhere.txt");
    linkSync(log, other);
    const earlier = readFileSync(other, "utf8");
    for (const ran of [
      project.next("talk", "claude"),
      project.send("talk", "claude", draft("REQUEST", "Which?")),
    ]) {
      assert.deepEqual([ran.code, ran.stdout], [2, ""]);
      assert.match(
        ran.stderr,
        /events\.jsonl has another name as well \(a hard link\): replace it/,
      );
    }
    assert.equal(readFileSync(other, "utf8"), earlier);
    copyFileSync(log, `${log}.copy`);
    renameSync(`${log}.copy`, log);
    assert.equal(project.next("talk", "claude").code, 0);
  });

  it("gets no review added", () => {
    const project = made();
    const folder = join(project.folder, "talk");
    project.run("init", [...objective, ...two, "--folder", folder]);
    const append = (by: string, event: string, ...more: string[]) =>
      project.run("append-event", [
        ...["--folder", folder, "--participant", by, "--event", event, "--summary", "Here"],
        ...["--reply-to", "1", ...more],
      ]);
    appendFileSync(join(folder, "proposal.md"), "\nAll of it.\n");
    assert.equal(append("ann", "proposal_submitted", "--doc", "proposal.md").code, 0);
    const other = join(project.folder, "notes.md");
    linkSync(join(folder, "review.md"), other);
    const earlier = readFileSync(other, "utf8");
    writeFileSync(join(project.folder, "review.txt"), review);
    const reviewed = append("bob", "review_submitted", "--review", "review.txt");
    assert.match(reviewed.stderr, /review\.md has another name as well/);
    assert.equal(readFileSync(other, "utf8"), earlier);
  });
});

const review = ["Context", "Position", "Concerns", "Required Changes", "Questions"]
  .map((heading) => `${heading}:\n\nNothing.\n`)
  .join("\n");
