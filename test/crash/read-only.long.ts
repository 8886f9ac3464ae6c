import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Project, type Ran } from "../dialogue/project.ts";
import { reportText } from "../findings/board.ts";
import { removeFolder } from "../scratch-folder.ts";

const isRoot = process.getuid?.() === 0;
const skip = !isRoot && "NO READ-ONLY FOLDER WAS TESTED: mounting and other users need root";
const [owner, stranger] = [65_534, 65_533];
const request = { type: "REQUEST", question_or_proposal: { content: "Files?" } };
const answer = {
  type: "RESPONSE",
  question_or_proposal: { content: "Files." },
  position: "Files.",
  confidence: 0.7,
};
const by = (name: string) => ["--session", "talk", "--participant", name];

/** Every script on what is there; standard input is an answer where one is read. */
const commands: string[][] = [
  ["next-action", ...by("gemini")],
  ["append-event", ...by("gemini"), "--message", "-"],
  ["wait-for-turn", ...by("claude"), "--timeout", "0.3"],
  ["close", ...by("claude"), "--reason", "over"],
  ["status", "--all"],
  ["report", "--session", "talk"],
  ["validate"],
  ["validate", "--repair"],
  ["journal", ...by("claude"), "--positive", "Read the code."],
  ["profile"],
  ["init", "--topic", "New?", "--participant", "claude", "--participant", "gemini"],
  ["init", "other", "2"],
  ["register", "board", "b"],
  ["register", "board", "a"],
  ["post", "board", "a", "second"],
  ["ready", "board", "a"],
  ["poll", "board", "a"],
  ["read-all", "board", "a"],
  ["report", "--folder", "board"],
  ["validate", "--folder", "board"],
  ["hook", "claude"],
  ["install", "--into", ".", "--hooks"],
  ["advise", "--participant", "claude", "--colleague", "gemini", "--advice", "-"],
];

describe("a project that may only be read", { skip, timeout: 240_000 }, () => {
  let project: Project;
  before(() => {
    project = new Project();
    mkdirSync(project.path());
    project.open("talk");
    project.say("talk", "claude", request);
    for (const words of [
      ["init", "board", "2"],
      ["register", "board", "a"],
      ["post", "board", "a", "first", "--file", "-"],
    ]) {
      const [script = "", ...args] = words;
      const { code, stderr } = project.run(script, args, reportText());
      assert.equal(code, 0, stderr);
    }
  });
  after(() => {
    spawnSync("umount", ["-l", project.folder]);
    removeFolder(project.folder);
  });

  function refuseAll(options: { uid?: number }): void {
    const earlier = project.listing();
    for (const [script = "", ...args] of commands) {
      const input = script === "append-event" ? JSON.stringify(answer) : "";
      isPlain(project.run(script, args, input, options), `${script} ${args.join(" ")}`);
    }
    assert.deepEqual(project.listing(), earlier, "something has changed");
  }

  it("because its disk is read-only, is told of in one line by every script", () => {
    mount("--bind", project.folder, project.folder);
    mount("-o", "remount,ro,bind", project.folder);
    refuseAll({});
    spawnSync("umount", ["-l", project.folder]);
  });

  it("because it is another user's, is told of in one line by every script", () => {
    const names = readdirSync(project.folder, { recursive: true, encoding: "utf8" });
    for (const name of ["", ...names]) chownSync(join(project.folder, name), owner, owner);
    spawnSync("chmod", ["-R", "u=rwX,go=rX", project.folder]);
    refuseAll({ uid: stranger });
    chmodSync(project.path(), 0o700);
    refuseAll({ uid: stranger });
  });
});

function isPlain({ code, stderr }: Ran, what: string): void {
  assert([0, 1, 2, 4].includes(code ?? -1), `${what} ends with ${code}: ${stderr}`);
  assert.doesNotMatch(stderr, /^bug:|^ {4}at /m, what);
  // install tells of each place that it would write to.
  const most = what.startsWith("install") ? 2 : 1;
  assert((stderr.match(/^error: /gm)?.length ?? 0) <= most, `${what}: ${stderr}`);
}

function mount(...words: string[]): void {
  const { status, stderr } = spawnSync("mount", words, { encoding: "utf8" });
  assert.equal(status, 0, `mount ${words.join(" ")}: ${stderr}`);
}
