import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { projectMaker, scriptPath } from "../dialogue/project.ts";

describe("what hashes at each start", () => {
  const makeProject = projectMaker();

  it("needs little address space: some shells give a process no more", () => {
    const project = makeProject();
    project.open("small");
    const words = [scriptPath("append-event"), "--session", "small", "--participant", "claude"];
    const message = { type: "REQUEST", question_or_proposal: { content: "Files or SQLite?" } };
    const line = 'ulimit -v 4000000; exec "$@"';
    const argv = ["-c", line, "bash", process.execPath, ...words, "--message", "-"];
    const cwd = project.folder;
    const ran = spawnSync("bash", argv, { cwd, input: JSON.stringify(message), encoding: "utf8" });
    assert.equal(ran.stderr, "");
    assert.match(ran.stdout, /^appended seq 2/);
  });

  it("says what is missing where Node has no WebAssembly", () => {
    const project = makeProject();
    project.open("jitless");
    const { code, stderr } = project.runNode(["--jitless"], [scriptPath("status")]);
    assert.equal(code, 4);
    assert.match(stderr, /^error: this Node runs without WebAssembly.*without --jitless$/m);
  });
});
