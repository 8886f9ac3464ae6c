import assert from "node:assert/strict";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ConsultaError } from "../../../scripts-src/base/errors.ts";
import { hasCode } from "../../log/check-event-log.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { draft, fill, time } from "../given.ts";

/** SQLite guards its own tables unless it is told not to, in the Nodes that know of this. */
interface Defensive {
  enableDefensive?(active: boolean): void;
  exec(sql: string): void;
  close(): void;
}

import { openStore } from "../../../scripts-src/brain/store/brain-store.ts";
import { openRaw } from "../raw-database.ts";

describe("a brain whose files are not as they should be", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = join(makeScratchFolder(), "brain");
    path = join(folder, "brain.db");
    const store = await openStore(folder);
    fill(store, 200);
    store.memories.store(draft("deploy", "make ship"), time(1));
    store.close();
  });
  afterEach(() => removeFolder(join(folder, "..")));

  it("is not believed when a database came from elsewhere, until its user says so", async () => {
    const open = (key: string, adopts = false) => openStore(folder, { key, adopts });
    const [own, other] = ["1".repeat(64), "2".repeat(64)];
    const fresh = await open(own);
    assert.equal(fresh.memories.retrieve("deploy"), undefined);
    const [aside = ""] = fresh.stats().setAside;
    assert.match(aside, /brain\.foreign-[^/]*\.db$/);
    fresh.memories.store(draft("mine", "said here"), time(2));
    fresh.close();
    const again = await open(own);
    assert.equal(again.memories.retrieve("mine")?.value, "said here");
    again.close();
    const stolen = await open(other);
    assert.equal(stolen.memories.retrieve("mine"), undefined);
    assert.equal(stolen.stats().setAside.length, 2);
    stolen.close();
    for (const ending of ["", "-wal", "-shm"]) rmSync(`${path}${ending}`, { force: true });
    renameSync(aside, path);
    const adopted = await open(own, true);
    assert.equal(adopted.memories.retrieve("deploy")?.value, "make ship");
    adopted.close();
    const known = await open(own);
    assert.equal(known.memories.retrieve("deploy")?.value, "make ship");
    known.close();
    change("drop table origin; create view origin as select 1 as id, 2 as proof, 3 as loss");
    const lied = await open(own);
    assert.equal(lied.memories.retrieve("deploy"), undefined);
    lied.close();
  });

  /** Writes over a part of the database. */
  function overwrite(offset: number, length: number): void {
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(length, 0xa5), 0, length, offset);
    closeSync(file);
  }

  function change(sql: string): void {
    const database = openRaw(path);
    database.exec(sql);
    database.close();
  }

  const damages: [name: string, damage: () => void][] = [
    ["holds something else", () => writeFileSync(path, "this is no database\n".repeat(500))],
    ["has no header any more", () => overwrite(0, 100)],
    ["was made by another program", () => change("pragma application_id = 7")],
    ["is cut off", () => truncateSync(path, 20_480)],
    ["has spoilt pages", () => overwrite(8_192, 40_960)],
  ];
  it("moves aside what it cannot read, tells its name, and begins a new one without a backup", async () => {
    for (const [name, damage] of damages) {
      damage();
      const damaged = readFileSync(path);
      const store = await openStore(folder);
      const { loss = "", memories, setAside } = store.stats();
      assert.match(loss, / brain\.db was damaged: there is no backup of it, all/, name);
      assert.equal(memories, 0);
      assert.equal(store.memories.store(draft("port", 3000), time(2)).stored, true);
      const isWhole = (it: string) =>
        it.startsWith(join(folder, "brain.damaged-")) && readFileSync(it).equals(damaged);
      assert(setAside.some(isWhole), `${name}: it was changed`);
      fill(store, 200);
      store.close();
      const again = await openStore(folder);
      assert.equal(again.memories.retrieve("port")?.value, 3000);
      again.close();
    }
  });

  const losses: [name: string, lose: () => void, told: RegExp][] = [
    ...damages.map(([name, lose]): [string, () => void, RegExp] => [name, lose, /was damaged/]),
    ["was removed", () => rmSync(path), /was removed or emptied/],
    ["has no byte", () => truncateSync(path, 0), /was removed or emptied/],
  ];
  for (const [name, lose, told] of losses) {
    it(`takes the newest sound backup for a database that ${name}, and says what is missing`, async () => {
      const key = "1".repeat(64);
      const open = (by = key, adopts = false) => openStore(folder, { key: by, adopts });
      const store = await open(key, true);
      store.sessions.saveEvent({ kind: "event", text: "told since", source: "ci" }, time(2));
      store.backUp();
      store.memories.store(draft("later", "said after the backup"), time(3));
      store.close();
      const backup = backupOf(today);
      for (const day of ["2026-01-01", "2999-01-01"]) writeFileSync(backupOf(day), "no backup\n");
      lose();
      const restored = await open();
      const { loss = "", memories } = restored.stats();
      assert.match(loss, told);
      const day = `the backup of ${today} is in its place, 201 memories; what was stored since`;
      assert(loss.includes(day), loss);
      assert.deepEqual([memories, restored.sessions.pendingEvents("s1")], [201, []]);
      assert.equal(restored.memories.search("ship", 5)[0]?.key, "deploy");
      assert.equal(restored.memories.store(draft("port", 3000), time(4)).stored, true);
      assert.equal(statSync(path).mode & 0o777, 0o600);
      restored.close();
      assert(existsSync(backup));
      // A restored one is a database as any other.
      const again = await open();
      assert.equal(again.stats().loss, loss);
      assert.equal(again.memories.retrieve("port")?.value, 3000);
      again.close();
      // And a backup that came with a clone is not read.
      rmSync(path);
      const stolen = await open("2".repeat(64));
      assert.equal(stolen.stats().memories, 0);
      stolen.close();
    });
  }

  it("takes the newest backup also for what is lost while it is open, and stores into no lost file", async () => {
    const store = await openStore(folder);
    store.backUp();
    for (const ending of ["", "-wal", "-shm"]) rmSync(`${path}${ending}`, { force: true });
    assert.equal(store.memories.store(draft("after", "the flood"), time(2)).stored, true);
    assert.equal(store.memories.retrieve("deploy")?.value, "make ship");
    assert.match(store.stats().loss ?? "", /was removed or emptied: the backup of/);
    store.close();
  });

  const today = new Date().toISOString().slice(0, 10);

  function backupOf(day: string): string {
    return join(folder, `brain.backup-${day}.db`);
  }

  const backups = () => readdirSync(folder).filter((name) => name.includes("backup"));

  it("keeps one backup a day, three in all, for their owner only", async () => {
    const store = await openStore(folder);
    for (const day of ["2026-01-01", "2026-01-02", "2026-01-03"]) writeFileSync(backupOf(day), "");
    store.backUp();
    const names = ["2026-01-02", "2026-01-03", today].map((it) => `brain.backup-${it}.db`);
    assert.deepEqual(backups(), names);
    const { mtimeMs } = statSync(backupOf(today));
    const own = [folder, path, `${path}-wal`, backupOf(today)];
    const modes = own.map((it) => statSync(it).mode & 0o777);
    assert.deepEqual(modes, [0o700, 0o600, 0o600, 0o600]);
    store.backUp();
    assert.equal(statSync(backupOf(today)).mtimeMs, mtimeMs);
    store.close();
  });

  it("leaves no trace of what is forgotten in a backup", async () => {
    const store = await openStore(folder);
    store.memories.store(draft("secret-place", "the treasure is below the oak"), time(2));
    store.backUp();
    const holders = () =>
      readdirSync(folder)
        .filter((name) => !name.endsWith(".db.lock"))
        .filter((name) => readFileSync(join(folder, name)).includes("below the oak"));
    assert(holders().some((name) => name.includes("backup")));
    store.forget({ keys: "secret-place" });
    assert.deepEqual(holders(), []);
    assert.equal(readdirSync(folder).filter((name) => name.includes("backup")).length, 1);
    store.close();
  });

  /** Spoils the search index and nothing else. */
  function spoilIndex(): void {
    const database: Defensive = openRaw(path);
    database.enableDefensive?.(false);
    database.exec("update memory_index_data set block = zeroblob(length(block)) where id > 10");
    database.close();
  }

  it("builds a spoilt index anew when it opens", async () => {
    spoilIndex();
    const store = await openStore(folder);
    assert.equal(store.memories.search("ship", 5)[0]?.key, "deploy");
    assert.deepEqual([store.stats().memories, store.stats().setAside.length], [201, 0]);
    store.close();
  });

  it("leaves a database of another schema alone", async () => {
    change("pragma user_version = 99");
    const before = readFileSync(path);
    await assert.rejects(
      openStore(folder),
      hasCode("REFUSED", /schema 99, expected 3: use the version/),
    );
    assert.deepEqual(readFileSync(path), before);
  });

  it("does not follow a link in place of its files", async () => {
    const victim = join(folder, "..", "victim");
    writeFileSync(victim, "precious");
    for (const ending of ["-shm", "-wal", ""]) {
      rmSync(`${path}${ending}`, { force: true });
      symlinkSync(victim, `${path}${ending}`);
      await assert.rejects(openStore(folder), hasCode("REFUSED", /is a link/));
      assert.equal(readFileSync(victim, "utf8"), "precious");
      rmSync(`${path}${ending}`);
    }
  });

  it("never stores where its folder was, once that was moved or removed", async () => {
    const store = await openStore(folder);
    renameSync(folder, `${folder}-moved`);
    const write = () => store.memories.store(draft("after", "the move"), time(2));
    for (let times = 1; times <= 2; times += 1) {
      assert.throws(write, hasCode("UNAVAILABLE", /was moved or removed while its brain ran/));
      assert.equal(existsSync(folder), false);
    }
    renameSync(`${folder}-moved`, folder);
    assert.equal(write().stored, true);
    store.close();
  });

  it("is open in one process only, and says so in one line", async () => {
    const store = await openStore(folder);
    await assert.rejects(openStore(folder), (error) => {
      assert(error instanceof ConsultaError && error.reason === "held", String(error));
      return hasCode("UNAVAILABLE", /another process holds it/)(error);
    });
    assert.equal(store.memories.retrieve("deploy")?.value, "make ship");
    store.close();
    (await openStore(folder)).close();
    assert(!existsSync(`${path}-wal`));
  });
});
