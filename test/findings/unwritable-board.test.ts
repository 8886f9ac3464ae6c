import assert from "node:assert/strict";
import { chmodSync, chownSync, lstatSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isOneLine, type Ran } from "../dialogue/project.ts";
import { type Board, reportText } from "./board.ts";
import { marksOf, printOf } from "./pool-print.ts";
import { base, good, posix } from "./refusals.ts";

// Boards that cannot be written: one line, the right exit code, nothing half done.

describe("what stands in the way of a board's own files", () => {
  type Row = [what: string, spoil: (at: Board) => void, script: string, words: string[]];
  const withoutFindings = (at: Board) => {
    rmSync(at.path("findings"), { recursive: true });
    at.write("findings", "x");
  };
  const link = (at: Board) => symlinkSync(at.project.folder, at.path("findings/cy"));
  const markFolder = (at: Board) => mkdirSync(at.path("findings/bob/.ready"));
  const rows: Row[] = [
    ["a file in place of findings", withoutFindings, "post", ["alice", "t", "--file", good]],
    ["a file for an agent's folder", (at) => at.write("findings/cy", "x"), "register", ["cy"]],
    ["a link for an agent's folder", link, "register", ["cy"]],
    ["a folder in place of .ready", markFolder, "ready", ["bob"]],
  ];
  for (const [what, spoil, script, words] of rows) {
    it(`${what} is told in one line, and nothing is half done`, posix, () => {
      const at = base.copy();
      spoil(at);
      const before = at.events();
      const { code, stdout, stderr } = at.run(script, words);
      assert(code === 2 || code === 4, `${code}: ${stderr}`);
      assert.equal(stdout, "");
      assert(isOneLine(stderr), stderr);
      const kept = at.events().filter(({ event }) => event !== "readied");
      assert.deepEqual(kept, before);
      assert.doesNotMatch(at.read("agents.md"), /^- cy /m);
    });
  }
});

describe("where nothing can be written", () => {
  /** Runs a script on a board that its user may read and not write: the superuser is somebody else. */
  function readOnly(at: Board, run: (options: { uid?: number }) => void): void {
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    const paths = Object.keys(at.project.listing()).map((name) => join(at.project.folder, name));
    for (const path of paths) {
      if (uid !== undefined) chownSync(path, uid, uid);
      chmodSync(path, lstatSync(path).isDirectory() ? 0o500 : 0o400);
    }
    try {
      run(uid === undefined ? {} : { uid });
    } finally {
      for (const path of paths) if (lstatSync(path).isDirectory()) chmodSync(path, 0o700);
    }
  }

  it("poll and read-all go on, and say what is not recorded", posix, () => {
    const at = base.copy();
    at.write("findings/bob/01-new.md", reportText({ title: "New here", summary: "It is new." }));
    readOnly(at, (options) => {
      const ran = (script: string, ...words: string[]): Ran =>
        at.project.run(script, ["board", ...words], "", options);
      assert.equal(ran("poll", "bob").stdout, "waiting (0/3 agents ready)\n");
      const waited = ran("poll", "bob", "--wait", "--timeout", "1");
      assert.deepEqual([waited.code, waited.stdout], [1, "waiting (0/3 agents ready)\n"]);
      const { code, stdout } = ran("read-all", "cy");
      assert.equal(code, 0);
      assert.deepEqual(marksOf(stdout, "bob", "01-new.md"), ["not recorded", "cites nothing"]);
      assert.match(printOf(stdout, "bob").quoted, /^# New here$/m);
    });
  });
});
