import assert from "node:assert/strict";
import { closeSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { CommitFolder } from "../../scripts-src/store/commit-folder.ts";
import { hasCode } from "./check-event-log.ts";
import { makeScratchFolder, removeFolder } from "./scratch-folder.ts";

const scratch = makeScratchFolder();
after(() => removeFolder(scratch));

describe("commits whose folder is moved meanwhile", () => {
  it("are to be tried again, and nothing foreign gets a name", () => {
    const path = join(scratch, "commits");
    const commits = new CommitFolder(path);
    const commit = { seq: 7, offset: 0, bytes: Buffer.from("{}\n") };
    const isMoved = hasCode(
      "UNAVAILABLE",
      /commits was moved .*; nothing was stored: run this again$/,
    );
    mkdirSync(path);
    const draft = commits.draft(commit);
    renameSync(path, `${path}.aside`);
    assert.throws(() => commits.draft(commit), isMoved);
    mkdirSync(path);
    assert.throws(() => commits.claim(7, 0, draft.path), isMoved);
    closeSync(draft.file);
    assert.deepEqual(commits.find(7), { turn: 0 });
  });
});
