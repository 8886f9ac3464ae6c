import assert from "node:assert/strict";
import {
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ConsultaError } from "../../scripts-src/base/errors.ts";
import { createFileExclusively, writeFileAtomically } from "../../scripts-src/files/atomic-file.ts";
import { isErrno } from "../../scripts-src/files/disk.ts";
import { writeProjectFile } from "../../scripts-src/files/project-file.ts";
import { guardFolder, inFolder } from "../../scripts-src/files/safe-open.ts";
import { FileEventLog } from "../../scripts-src/log/file-event-log.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

const scratch = makeScratchFolder();
after(() => removeFolder(scratch));

let count = 0;
function freshFolder(): string {
  count += 1;
  const folder = join(scratch, String(count));
  mkdirSync(folder);
  return folder;
}

const isGone = (folder: string) => (error: unknown) => {
  assert(error instanceof ConsultaError, String(error));
  assert.equal(error.code, "UNAVAILABLE");
  assert(error.message.startsWith(`busy: ${folder} is gone: `), error.message);
  return true;
};

const linux = { skip: process.platform !== "linux" && "ONLY LINUX HOLDS A FOLDER" };

describe("a held folder", linux, () => {
  it("that is removed meanwhile is one line", () => {
    const folder = freshFolder();
    const work = (at: string) => {
      removeFolder(folder);
      unlinkSync(join(at, "file"));
    };
    assert.throws(() => inFolder(folder, work), isGone(folder));
    const hasCause = (error: unknown) => isErrno(error, "ENOENT");
    assert.throws(() => inFolder(folder, work), hasCause, "for those who ask for the code");
  });

  it("that is replaced meanwhile is one line", () => {
    const folder = freshFolder();
    const work = (at: string) => {
      renameSync(folder, `${folder}.aside`);
      mkdirSync(folder);
      unlinkSync(join(at, "file"));
    };
    assert.throws(() => inFolder(folder, work), isGone(folder));
  });

  it("that stays says of a missing file what the disk says", () => {
    const folder = freshFolder();
    const work = (at: string) => unlinkSync(join(at, "file"));
    const isPlain = (error: unknown) =>
      !(error instanceof ConsultaError) && isErrno(error, "ENOENT");
    assert.throws(() => inFolder(folder, work), isPlain);
  });

  it("that is missing is one line for each that writes into it", () => {
    const folder = join(freshFolder(), "missing");
    const path = join(folder, "file");
    assert.throws(() => writeFileAtomically(path, "text"), isGone(folder));
    assert.throws(() => createFileExclusively(path, "text"), isGone(folder));
  });

  it("names no file by the path under which it is held", () => {
    const folder = freshFolder();
    mkdirSync(join(folder, "file"));
    const isTold = (error: unknown) => String(error).includes(join(folder, "file is no file"));
    const work = (at: string) => {
      throw new ConsultaError("REFUSED", `${join(at, "file")} is no file`);
    };
    assert.throws(() => inFolder(folder, work), isTold);
  });

  it("keeps a project's file out of what was put in its place", () => {
    const folder = freshFolder();
    const outside = freshFolder();
    guardFolder(folder);
    mkdirSync(join(folder, "kept"));
    renameSync(join(folder, "kept"), join(folder, "aside"));
    symlinkSync(outside, join(folder, "kept"));
    const path = join(folder, "kept", "file");
    assert.throws(() => writeProjectFile(path, "text", false), /is reached through a link/);
    assert.throws(() => readFileSync(join(outside, "file")));
  });
});

describe("an append whose folder of commits is moved", linux, () => {
  const event = { seq: 1, from: "a", event: "said", at: "2026-01-01T00:00:00Z", summary: "x" };

  for (let step = 1; step <= 12; step += 1) {
    it(`behind step ${step} stores the event or says so`, async () => {
      const folder = freshFolder();
      const log = new FileEventLog(folder);
      const steps = log.appendSteps(log.start, event);
      let outcome: unknown;
      try {
        let state = steps.next();
        for (let at = 1; !state.done; at += 1, state = steps.next()) {
          if (at !== step) continue;
          const commits = join(folder, ".commits");
          renameSync(commits, `${commits}.aside`);
          mkdirSync(commits, 0o700);
          writeFileSync(join(commits, "tmp-else"), "");
        }
        outcome = state.value;
      } catch (error) {
        outcome = error;
      }
      const { events } = await log.read(log.start);
      if (outcome instanceof Error) return assert(isGone(join(folder, ".commits"))(outcome));
      assert.equal(events.length, 1, "acknowledged is stored");
    });
  }
});
