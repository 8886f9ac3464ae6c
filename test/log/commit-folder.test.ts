import assert from "node:assert/strict";
import { closeSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { HeldFolder } from "../../scripts-src/files/open-directory.ts";
import { CommitFolder } from "../../scripts-src/log/commit-folder.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { hasCode } from "./check-event-log.ts";

const scratch = makeScratchFolder();
after(() => removeFolder(scratch));

describe("commits whose folder is moved meanwhile", () => {
  it("are to be tried again, and nothing foreign gets a name", () => {
    const path = join(scratch, "commits");
    mkdirSync(path);
    const hold = new HeldFolder(path);
    const commits = new CommitFolder(hold.at, path);
    const draft = commits.draft({ seq: 7, offset: 0, bytes: Buffer.from("{}\n") });
    renameSync(path, `${path}.aside`);
    mkdirSync(path);
    const isMoved = hasCode(
      "UNAVAILABLE",
      /commits is gone: it was moved .*; run the same command again, at most three times/,
    );
    assert.throws(() => {
      throw hold.moved();
    }, isMoved);
    assert.equal(hold.isInPlace(), false);
    closeSync(draft.file);
    hold.release();
    assert.deepEqual(new CommitFolder(path).find(7), { turn: 0 });
  });
});
