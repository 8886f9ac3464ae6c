import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { loadSqlite } from "../../../scripts-src/brain/store/sqlite.ts";
import { WasmDatabase } from "../../../scripts-src/brain/store/wasm-sqlite.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { mount, mountWorks, unmount } from "../../small-disk.ts";

const here = await loadSqlite();
const builds: [name: string, Database: typeof DatabaseSync][] = [["as WebAssembly", WasmDatabase]];
if (here.locksEnd) builds.push(["of Node", here.DatabaseSync]);

let folder: string;
beforeEach(() => {
  folder = makeScratchFolder();
});
afterEach(() => removeFolder(folder));

/** The result code of what a call throws. */
function codeOf(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return Object(error)["errcode"] & 0xff;
  }
  return assert.fail("nothing was thrown");
}

for (const [name, Database] of builds)
  describe(`SQLite ${name}`, () => {
    /** As the brain opens one. */
    const open = (path: string): DatabaseSync => {
      const database = new Database(path);
      database.exec("pragma locking_mode = exclusive; pragma journal_mode = wal");
      return database;
    };
    const rowsOf = (database: DatabaseSync, sql: string, ...values: string[]) =>
      database
        .prepare(sql)
        .all(...values)
        .map((row) => ({ ...row }));

    it("says by a code what is wrong", () => {
      const path = join(folder, "a.db");
      assert.equal(
        codeOf(() => open(join(folder, "none", "a.db"))),
        14,
      );
      writeFileSync(path, "this is no database\n".repeat(500));
      assert.equal(
        codeOf(() => open(path)),
        26,
      );
      const whole = open(join(folder, "b.db"));
      whole.exec("create table note (text unique); insert into note values ('a')");
      const insert = whole.prepare("insert into note values (?)");
      assert.equal(
        codeOf(() => insert.run("a")),
        19,
      );
      assert.equal(
        codeOf(() => whole.exec("select nothing")),
        1,
      );
      assert.equal(
        codeOf(() => whole.prepare("select nothing")),
        1,
      );
      insert.run("b");
      assert.deepEqual(rowsOf(whole, "select * from note"), [{ text: "a" }, { text: "b" }]);
      whole.close();
    });

    it("says that another has it, and that the disk is full", { skip: !mountWorks() }, () => {
      const disk = join(folder, "disk");
      mkdirSync(disk);
      mount("-t", "tmpfs", "-o", "size=300k", "tmpfs", disk);
      try {
        const database = open(join(disk, "a.db"));
        database.exec("create table note (text)");
        assert.equal(
          codeOf(() => open(join(disk, "a.db"))),
          5,
        );
        const fill = database.prepare("insert into note values (?)");
        const fillUp = () => {
          for (;;) fill.run("x".repeat(10_000));
        };
        assert.equal(codeOf(fillUp), 13);
        assert(rowsOf(database, "select rowid from note").length > 3);
        database.close();
      } finally {
        unmount(disk);
      }
    });

    it("binds numbers as they are, and gives rows one by one", () => {
      const database = open(join(folder, "a.db"));
      const types = database.prepare("select typeof(?) as a, typeof(?) as b, typeof(?) as c");
      const found = { ...types.get(1n, 1.5, null) };
      assert.deepEqual(found, { a: "integer", b: "real", c: "null" });
      database.exec("create table note (id integer primary key); insert into note values (1), (2)");
      for (const row of database.prepare("select id from note").iterate()) {
        assert.deepEqual({ ...row }, { id: 1 });
        break;
      }
      // A statement of which rows are left keeps this from being done.
      assert(database.prepare("select * from note").get());
      database.exec("vacuum");
      database.close();
    });

    it("lets go of its files when it is closed, with statements that were used", () => {
      const path = join(folder, "a.db");
      const database = open(path);
      database.exec("create table note (text)");
      for (const sql of ["select * from note", "insert into note values ('a')"])
        database.prepare(sql).all();
      database.close();
      assert.deepEqual([database.isOpen, existsSync(`${path}.lock`)], [false, false]);
      const again = open(path);
      assert.deepEqual(rowsOf(again, "select * from note"), [{ text: "a" }]);
      again.close();
    });
  });

it("is that of Node where it has full-text search", () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  assert.equal(here.locksEnd, major > 22 || (major === 22 && minor >= 16));
});
