import { defined } from "../../base/omit-undefined.ts";
import { BrainDatabase, type Owner } from "./database.ts";
import { MemoryTable } from "./memories.ts";
import { SessionTable } from "./sessions.ts";
import { loadSqlite } from "./sqlite.ts";

/**
 * What to forget: all memories whose key fits (`*` any characters, `?` one), or whatever is kept -
 * memories, snapshots, events - that holds the text in any case.
 */
export type Forgetting = { readonly keys: string } | { readonly text: string };

/**
 * Opens the memory of a project; `folder` is made where it is missing.
 * @throws ConsultaError UNAVAILABLE on a Node without SQLite, when the disk refuses, or, with the reason "held",
 * when another process has it open; REFUSED when the folder or a file in it is a link, or another Consulta wrote it.
 */
export async function openStore(folder: string, owner?: Owner): Promise<BrainStore> {
  return new BrainStore(new BrainDatabase(await loadSqlite(), folder, owner));
}

/** The memory of a project in one SQLite database. */
export class BrainStore {
  readonly memories: MemoryTable;
  readonly sessions: SessionTable;
  readonly #database: BrainDatabase;

  constructor(database: BrainDatabase) {
    this.#database = database;
    this.memories = new MemoryTable(database);
    this.sessions = new SessionTable(database);
  }

  /**
   * Removes without a trace, also of what was removed before: no index, log or free page holds it when the call
   * returns. It takes time that grows with the store. Databases that were set aside and exports are not looked into.
   */
  forget(what: Forgetting) {
    // First: what is cut off leaves a trace in no backup at least.
    this.#database.backups.discardAll();
    const forgotten = this.#database.write(() =>
      "keys" in what
        ? { memories: this.memories.removeFitting(what.keys), snapshots: 0, events: 0 }
        : {
            memories: this.memories.removeHolding(what.text),
            ...this.sessions.removeHolding(what.text),
          },
    );
    // Also when nothing is left to forget: a call before this one may have been stopped half way.
    this.#database.scrub();
    this.backUp();
    return forgotten;
  }

  /** Makes the backup of the day where there is none. */
  backUp(): void {
    this.#database.backUp();
  }

  stats() {
    const database = this.#database;
    return database.read(() => ({
      memories: this.memories.count(),
      snapshots: database.count("session where content is not null"),
      eventsPending: database.count("event where taken is null"),
      injections: database.count("injection"),
      bytes: database.bytes(),
      setAside: database.backups.setAside(),
      ...defined({ loss: database.loss() }),
    }));
  }

  close(): void {
    this.#database.close();
  }
}
