import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Project } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";

describe("a note of a session that lies elsewhere", () => {
  it("brings nothing of the user's other projects in when it came with a clone", (t) => {
    const [secret, clone] = [new Project(), new Project()];
    for (const project of [secret, clone]) mkdirSync(project.path());
    t.after(() => {
      for (const { folder } of [secret, clone]) removeFolder(folder);
    });
    secret.open("dismiss-whom");
    clone.open("mine");
    mkdirSync(clone.path("boards"), { recursive: true });
    const folder = secret.path("sessions", "dismiss-whom");
    const board = join(secret.folder, "board");
    assert.equal(secret.run("init", [board, "2"]).code, 0);
    assert.match(secret.run("status", ["--all"]).stdout, /board/);
    const [note = ""] = readdirSync(secret.path("boards"));
    const proved = readFileSync(secret.path("boards", note), "utf8");
    for (const [name, text] of [
      ["11111111.json", JSON.stringify({ folder })],
      ["22222222.json", `${"0".repeat(32)}\n${JSON.stringify({ folder })}`],
      // One that is true in another workspace.
      [note, proved],
    ] as const) {
      writeFileSync(clone.path("boards", name), text);
    }
    const { code, stdout } = clone.run("status", ["--all"]);
    assert.equal(code, 0);
    assert.match(stdout, /mine/);
    assert.doesNotMatch(stdout, /dismiss|board/);
  });
});
