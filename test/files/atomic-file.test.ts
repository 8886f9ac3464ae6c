import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  createFileExclusively,
  moveFile,
  readFileIfPresent,
  sweepTemporaryFiles,
  writeFileAtomically,
} from "../../scripts-src/files/atomic-file.ts";
import { hasCode } from "../log/check-event-log.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

const posixOnly = { skip: process.platform === "win32" && "needs POSIX files" };

describe("atomic files", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = makeScratchFolder();
    path = join(folder, "file");
  });
  afterEach(() => removeFolder(folder));

  for (const sync of ["all", "content", "nothing"] as const) {
    it(`are replaced whole (sync: ${sync})`, () => {
      writeFileAtomically(path, "old", { sync });
      writeFileAtomically(path, Buffer.from("new ж"), { sync });
      assert.equal(readFileSync(path, "utf8"), "new ж");
      assert.deepEqual(readdirSync(folder), ["file"]);
      if (process.platform !== "win32") assert.equal(statSync(path).mode & 0o777, 0o600);
    });

    it(`are created once (sync: ${sync})`, () => {
      assert.equal(createFileExclusively(path, "first", { sync }), true);
      assert.equal(createFileExclusively(path, "second", { sync }), false);
      assert.equal(readFileSync(path, "utf8"), "first");
      assert.deepEqual(readdirSync(folder), ["file"]);
    });
  }

  it("leave the target of a link alone", posixOnly, () => {
    writeFileSync(join(folder, "target"), "target");
    symlinkSync("target", path);
    assert.equal(createFileExclusively(path, "new"), false);
    writeFileAtomically(path, "new");
    assert.equal(readFileSync(join(folder, "target"), "utf8"), "target");
    assert.equal(readFileSync(path, "utf8"), "new");
  });

  it("leave nothing behind when they cannot be put in place", () => {
    mkdirSync(path);
    assert.throws(() => writeFileAtomically(path, "new"));
    assert.deepEqual(readdirSync(folder), ["file"]);
  });

  it("are read when they are there", () => {
    assert.equal(readFileIfPresent(path, 10), undefined);
    writeFileSync(path, "\ufefftext ж");
    assert.equal(readFileIfPresent(path, 10), "text ж");
  });

  it("are refused above the limit and when they are not UTF-8", () => {
    writeFileSync(path, "12345678901");
    const tooLong = hasCode("REFUSED", /file has 11 bytes; the limit is 10/);
    assert.throws(() => readFileIfPresent(path, 10), tooLong);
    writeFileSync(path, Buffer.from([0x61, 0xff]));
    assert.throws(() => readFileIfPresent(path, 10), hasCode("REFUSED", /file is not UTF-8/));
  });

  it("are refused when they are a folder, link, FIFO or device", posixOnly, () => {
    mkdirSync(join(folder, "folder"));
    symlinkSync("folder", join(folder, "link"));
    execFileSync("mkfifo", [join(folder, "fifo")]);
    for (const name of ["folder", "link", "fifo"]) {
      const refusal = hasCode("REFUSED", name === "link" ? /is a link/ : /is not a regular file/);
      assert.throws(() => readFileIfPresent(join(folder, name), 10), refusal);
    }
    assert.throws(() => readFileIfPresent("/dev/zero", 10), hasCode("REFUSED", /not a regular/));
  });

  it("are moved by one process only", () => {
    writeFileSync(path, "x");
    assert.equal(moveFile(path, join(folder, "moved")), true);
    assert.equal(moveFile(path, join(folder, "moved")), false);
    assert.equal(readFileSync(join(folder, "moved"), "utf8"), "x");
    writeFileSync(path, "x");
    assert.throws(
      () => moveFile(path, join(folder, "none", "moved")),
      /none is gone: it was moved or removed/,
    );
  });

  it("of dead writers are swept", () => {
    const ages = { ".tmp-1-old": 9_000, ".tmp-1-young": 120, old: 9_000 };
    for (const [name, seconds] of Object.entries(ages)) {
      writeFileSync(join(folder, name), "");
      const past = Date.now() / 1000 - seconds;
      utimesSync(join(folder, name), past, past);
    }
    sweepTemporaryFiles(folder);
    assert.deepEqual(readdirSync(folder).sort(), [".tmp-1-young", "old"]);
    sweepTemporaryFiles(join(folder, "none"));
  });

  it("say which path failed and what to do", { skip: process.platform !== "linux" }, () => {
    const reason = /cannot write \/proc\/x: .+ \(E[A-Z]+\)$/;
    try {
      writeFileAtomically("/proc/x", "");
      assert.fail("/proc took a file");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
      hasCode("UNAVAILABLE", reason)(error);
    }
  });
});
