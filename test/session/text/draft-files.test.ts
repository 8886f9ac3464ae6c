import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Project, projectMaker, type Ran, scriptPath } from "../../dialogue/project.ts";
import { printedDraft } from "../../skill/skill-text.ts";
import { runTyped } from "../../typed-line.ts";

const makeProject = projectMaker();

function opened(): Project {
  const project = makeProject();
  project.open("talk");
  return project;
}

function draftIn({ code, stdout, stderr }: Ran) {
  assert.equal(code, 0, stderr);
  const printed = printedDraft(stdout);
  assert(printed, `no draft in:\n${stdout}`);
  return printed;
}

/** Types a printed line into a shell. */
function type(project: Project, line: string, folder = project.folder) {
  const { code: status, ...printed } = runTyped(line, { cwd: folder, env: process.env });
  return { status, ...printed };
}

const message = (content: string, more: object = {}) =>
  JSON.stringify({ type: "REQUEST", question_or_proposal: { content }, ...more });
const answer = (content: string) =>
  message(content, { type: "RESPONSE", confidence: 0.5, position: "Files it is." });

describe("the file for a draft", () => {
  it("keeps its name until the message is sent, and the next one is new", () => {
    const project = opened();
    const first = draftIn(project.next("talk", "claude"));
    assert.equal(first.file, ".consulta/drafts/talk+claude-1.json");
    const path = join(project.folder, first.file);
    writeFileSync(path, message("A?", { type: "GUESS" }));
    assert.equal(type(project, first.line).status, 2);
    assert.equal(draftIn(project.next("talk", "claude")).file, first.file);
    assert.match(readFileSync(path, "utf8"), /GUESS/);
    writeFileSync(path, message("A?"));
    assert.match(type(project, first.line).stdout, /^appended seq 2/);
    assert.match(type(project, first.line).stdout, /^already sent as seq 2/);
    project.say("talk", "gemini", JSON.parse(answer("B")));
    const second = draftIn(project.next("talk", "claude"));
    assert.equal(second.file, ".consulta/drafts/talk+claude-2.json");
    assert.deepEqual(project.files("drafts"), []);
  });

  it("takes what no command line could hold", () => {
    const project = opened();
    const text = "`a` $(b) $c {\"d\": 'e'} <<'MESSAGE'\nMESSAGE\n!f \\ \"";
    const { file, line } = draftIn(project.next("talk", "claude"));
    assert.match(line, /^[\w ./+-]+$/);
    writeFileSync(join(project.folder, file), message(text));
    assert.equal(type(project, line).status, 0);
    assert(JSON.stringify(project.events("talk")).includes(JSON.stringify(text).slice(1, -1)));
  });

  it("is not touched by another participant or session", () => {
    const project = opened();
    project.say("talk", "claude", JSON.parse(message("A?")));
    project.say("talk", "gemini", JSON.parse(answer("B")));
    const drafts = project.path("drafts");
    mkdirSync(drafts, { recursive: true });
    const folder = "talk+claude-0.json";
    mkdirSync(join(drafts, folder));
    const others = [
      folder,
      "talk+gemini-1.json",
      "walk+claude-1.json",
      "talk+claude-x-1.json",
      "notes.md",
    ];
    for (const name of others.slice(1)) writeFileSync(join(drafts, name), "mine");
    writeFileSync(join(drafts, "talk+claude-1.json"), "sent");
    draftIn(project.next("talk", "claude"));
    assert.deepEqual(readdirSync(drafts).sort(), [...others].sort());
  });

  it("is nobody else's, however sessions and participants are named", () => {
    const project = makeProject();
    const open = (id: string, ...names: string[]) => {
      const list = names.flatMap((name) => ["--participant", name]);
      project.run("init", ["--topic", "A?", "--session", id, ...list]);
      const at = ["--session", id, "--participant", names[0] ?? ""];
      return draftIn(project.run("next-action", at)).file;
    };
    assert.notEqual(open("s", "x-y", "b"), open("s-x", "y", "b"));
  });

  it("is no link that somebody has laid there", () => {
    const project = opened();
    const { file } = draftIn(project.next("talk", "claude"));
    const outside = join(project.folder, "outside.txt");
    writeFileSync(outside, "not ours");
    spawnSync("ln", ["-s", outside, join(project.folder, file)]);
    assert.equal(draftIn(project.next("talk", "claude")).file, file);
    assert.deepEqual(project.files("drafts"), []);
    assert.equal(readFileSync(outside, "utf8"), "not ours");
  });

  it("does not show a sealed position to the other side", () => {
    const project = makeProject();
    const names = ["--participant", "claude", "--participant", "gemini"];
    project.run("init", ["--topic", "A?", "--session", "se", "--mode", "competitiva", ...names]);
    project.say("se", "claude", JSON.parse(message("A?")));
    const { file, line } = draftIn(project.next("se", "gemini"));
    writeFileSync(join(project.folder, file), answer("MYSECRET"));
    assert.match(type(project, line).stdout, /position_sealed/);
    assert.deepEqual(project.files("drafts"), []);
  });

  it("is gone when the session has ended", () => {
    const project = opened();
    const { file, line } = draftIn(project.next("talk", "claude"));
    writeFileSync(
      join(project.folder, file),
      message("Who pays?", { type: "ESCALATE", needs_user: "Who?" }),
    );
    assert.equal(type(project, line).status, 0);
    assert.match(project.next("talk", "claude").stdout, /ENDED/);
    assert.deepEqual(project.files("drafts"), []);
  });

  it("is printed so that it is found from a folder below", () => {
    const project = opened();
    const below = join(project.folder, "src");
    mkdirSync(below);
    const next = `node ${scriptPath("next-action")} --session talk --participant claude`;
    const ran = type(project, next, below);
    const { file, line } = draftIn({ ...ran, code: ran.status });
    writeFileSync(file, message("A?"));
    assert.equal(type(project, line, below).status, 0);
    assert(file.startsWith(project.folder));
  });

  it("is named also where it cannot be made", () => {
    const project = opened();
    writeFileSync(project.path("drafts"), "in the way");
    const { line } = draftIn(project.next("talk", "claude"));
    assert.equal(readFileSync(project.path("drafts"), "utf8"), "in the way");
    writeFileSync(join(project.folder, "elsewhere.json"), message("A?"));
    const other = line.replace(/--message \S+/, "--message elsewhere.json");
    assert.equal(type(project, other).status, 0);
  });

  it("is not named where drafts is a link, and nothing behind it is touched", () => {
    const project = opened();
    const outside = makeProject().folder;
    // Whoever is told to write there would write to where the second link leads.
    spawnSync("ln", ["-s", join(outside, "profile"), join(outside, "talk+claude-1.json")]);
    writeFileSync(join(outside, "talk+claude-0.json"), "not ours");
    spawnSync("ln", ["-s", outside, project.path("drafts")]);
    const { code, stdout, stderr } = project.next("talk", "claude");
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^error: \S+drafts is a link; Consulta does not follow links: .*\n$/);
    assert.deepEqual(readdirSync(outside).sort(), ["talk+claude-0.json", "talk+claude-1.json"]);
  });
});

describe("the file for a review or a report, where the session has a folder of its own", () => {
  it("lies below the working folder, out of git's sight, one for each session folder", () => {
    const project = makeProject();
    const files = ["one/api", "two/api"].map((folder) => {
      project.run("init", ["--folder", folder, ...objective]);
      writeFileSync(join(project.folder, folder, "proposal.md"), proposal);
      const at = ["--folder", folder, "--participant"];
      project.run("append-event", [...at, "a", ...submit]);
      return draftIn(project.run("next-action", [...at, "b"])).file;
    });
    assert.match(files.join(" "), /^(\.consulta\/drafts\/api-[0-9a-f]{6}\+b-2\.md ?){2}$/);
    assert.notEqual(files[0], files[1]);
    assert.equal(project.read("drafts", ".gitignore"), "*\n");
  });

  it("makes no workspace of the folder that holds it", () => {
    const project = makeProject();
    mkdirSync(join(project.folder, ".git"));
    const below = join(project.folder, "sub");
    mkdirSync(below);
    const run = (script: string, ...args: string[]) =>
      spawnSync(process.execPath, [scriptPath(script), ...args], { cwd: below, encoding: "utf8" });
    run("init", "--folder", "api", ...objective);
    writeFileSync(join(below, "api", "proposal.md"), proposal);
    run("append-event", "--folder", "api", "--participant", "a", ...submit);
    assert.match(run("next-action", "--folder", "api", "--participant", "b").stdout, /drafts/);
    assert.deepEqual(readdirSync(join(below, ".consulta")), ["drafts"]);
    assert.equal(run("init", "--topic", "A?", ...two).status, 0);
  });

  it("takes the review of a board's report in the same way", () => {
    const project = makeProject();
    project.run("init", ["board", "1"]);
    project.run("register", ["board", "alice"]);
    const at = ["--folder", "board", "--participant", "alice"];
    const { draft, file, line } = draftIn(project.run("next-action", at));
    writeFileSync(join(project.folder, file), draft.replace(/<[^<>]+>/g, "x"));
    const posted = type(project, line.replace(/<[^<>]+>/, "topic"));
    assert.equal(posted.status, 0, posted.stderr);
  });
});

const two = ["--participant", "a", "--participant", "b"];
const objective = ["--objective", "Agree", "--completion", "Done", ...two];
const submit = "--event proposal_submitted --reply-to 1 --doc proposal.md --summary x".split(" ");
const proposal =
  readFileSync("skills/collaborate/references/documents.md", "utf8")
    .split("\n## proposal.md\n")[1]
    ?.split("```markdown\n")[1]
    ?.split("\n```\n")[0] ?? "";

describe("the line to wait on with", () => {
  it("differs each time and waits for the same", () => {
    const project = opened();
    let line = `node ${scriptPath("wait-for-turn")} --session talk --participant gemini --timeout 0.1`;
    const lines = [2, 3, 4].map((count) => {
      const { status, stderr } = type(project, line);
      assert.equal(status, 1);
      line = /^next:\n(.+)$/m.exec(stderr)?.[1] ?? "";
      assert.match(
        line,
        new RegExp(`--session talk --timeout 0.1 --participant gemini --again ${count}$`),
      );
      return line;
    });
    assert.equal(new Set(lines).size, 3);
  });

  it("differs on a board as well", () => {
    const project = makeProject();
    project.run("init", ["board", "2", "60"]);
    project.run("register", ["board", "alice"]);
    const poll = "board alice --wait --timeout 1 --again 4".split(" ");
    const { code, stderr } = project.run("poll", poll);
    assert.equal(code, 1);
    assert.match(stderr, /poll\.cjs board alice --wait --timeout 1 --again 5$/m);
  });

  it("counts no other tries than whole ones", () => {
    const project = opened();
    for (const count of ["two", "-1", "", "1e3"]) {
      const on = "--session talk --participant gemini --timeout 0.1 --again".split(" ");
      const ran = project.run("wait-for-turn", [...on, count]);
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, /--again is ".*", expected a whole number/);
    }
  });
});
