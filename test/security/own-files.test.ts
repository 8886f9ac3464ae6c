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
import { draft, type Project, projectMaker } from "../dialogue/project.ts";

const made = projectMaker();

/** Opens a collaboration of ann and bob in the folder `talk`. */
function init(project: Project, ...more: string[]) {
  const two = ["--participant", "ann", "--participant", "bob"];
  const terms = ["--objective", "It", "--completion", "Done", ...two, "--folder", "talk"];
  return project.run("init", [...terms, ...more]);
}

function append(project: Project, by: string, event: string, ...more: string[]) {
  const words = ["--folder", "talk", "--participant", by, "--event", event, "--summary", "Here"];
  return project.run("append-event", [...words, "--reply-to", "1", ...more]);
}

const design = ["--primary-deliverable-type", "design-spec"];
const file = (name: string) => [...design, "--primary-deliverable-file", name];
const dir = (name: string) => [...design, "--deliverables-dir", name];

describe("a document of an event", () => {
  const project = made();
  init(project);
  const path = (name: string) => join(project.folder, "talk", name);
  mkdirSync(path(".git"));
  for (const name of [".git/config", ".env"]) writeFileSync(path(name), "");
  const names = ["events.jsonl", "./EVENTS.jsonl", "protocol.json", ".env", ".git/config"];
  for (const name of [...names, ".checkpoint.json", ".consulta/x.md"]) {
    it(`is not ${name}`, () => {
      const earlier = readFileSync(path("events.jsonl"), "utf8");
      const { code, stderr } = append(project, "ann", "proposal_submitted", "--doc", name);
      assert.equal(code, 2);
      assert.match(stderr, /is no document: name one that people read, such as proposal\.md/);
      assert.equal(readFileSync(path("events.jsonl"), "utf8"), earlier);
    });
  }

  it("may be one that people read", () => {
    assert.equal(append(project, "ann", "proposal_submitted", "--doc", "proposal.md").code, 0);
  });
});

describe("the deliverables", () => {
  const forPrograms = /is, or lies in, what programs keep for themselves/;
  const wrong: [words: string[], reason: RegExp][] = [
    [dir(".git"), /"\.git" is, or lies in, what programs keep for themselves; name another/],
    [dir("docs/.git/hooks"), forPrograms],
    [dir(".consulta"), forPrograms],
    [dir("proposal.md"), /must not be a file that the protocol writes itself: "proposal\.md\//],
    [dir("Events.jsonl"), /must not be a file that the protocol writes itself: "Events\.jsonl\//],
    [file(".hidden.md"), /primary deliverable file must not be hidden/],
    // AI CLIs take these for instructions.
    [file("CLAUDE.md"), forPrograms],
    [file("docs/Gemini.md"), forPrograms],
    [file("SKILL.md"), forPrograms],
  ];
  for (const [words, reason] of wrong) {
    it(`are not ${words.slice(-2).join(" ")}`, () => {
      const { code, stderr } = init(made(), ...words);
      assert.equal(code, 2);
      assert.match(stderr, reason);
    });
  }

  it("may lie in the session's folder itself", () => {
    assert.equal(init(made(), ...dir(".")).code, 0);
  });

  const planted = [
    ...[".git", ".GIT", ".git/hooks", ".consulta", ".claude/commands"].map((it) => ({ dir: it })),
    ...["CLAUDE.md", "claude.local.md", "AGENTS.md"].map((it) => ({ primary: { file: it } })),
  ];
  for (const change of planted) {
    it(`are not ${JSON.stringify(change)}, whoever wrote protocol.json`, () => {
      const project = made();
      init(project, ...design);
      const path = join(project.folder, "talk/protocol.json");
      const settings = JSON.parse(readFileSync(path, "utf8"));
      const { primary } = settings.deliverables;
      Object.assign(settings.deliverables, change);
      settings.deliverables.primary = { ...primary, ...settings.deliverables.primary };
      writeFileSync(path, JSON.stringify(settings));
      const next = project.run("next-action", ["--folder", "talk", "--participant", "ann"]);
      assert.equal(next.code, 2);
      assert.match(next.stderr, forPrograms);
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
    const asked = project.next("talk", "claude");
    for (const ran of [asked, project.send("talk", "claude", draft("REQUEST", "Which?"))]) {
      assert.deepEqual([ran.code, ran.stdout], [2, ""]);
      assert.match(ran.stderr, /events\.jsonl has another name as well \(a hard link\): replace/);
    }
    assert.equal(readFileSync(other, "utf8"), earlier);
    copyFileSync(log, `${log}.copy`);
    renameSync(`${log}.copy`, log);
    assert.equal(project.next("talk", "claude").code, 0);
  });

  it("gets no review added", () => {
    const project = made();
    init(project);
    appendFileSync(join(project.folder, "talk/proposal.md"), "\nAll of it.\n");
    const proposed = append(project, "ann", "proposal_submitted", "--doc", "proposal.md");
    assert.equal(proposed.code, 0);
    const other = join(project.folder, "notes.md");
    linkSync(join(project.folder, "talk/review.md"), other);
    const earlier = readFileSync(other, "utf8");
    const headings = ["Context", "Position", "Concerns", "Required Changes", "Questions"];
    const review = headings.map((heading) => `${heading}:\n\nNothing.\n`).join("\n");
    writeFileSync(join(project.folder, "review.txt"), review);
    const reviewed = append(project, "bob", "review_submitted", "--review", "review.txt");
    assert.match(reviewed.stderr, /review\.md has another name as well/);
    assert.equal(readFileSync(other, "utf8"), earlier);
  });
});
