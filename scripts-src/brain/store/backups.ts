import { constants } from "node:fs";
import { basename, join } from "node:path";
import { isoSecond } from "../../base/time.ts";
import { createFileExclusively, moveFile } from "../../files/atomic-file.ts";
import {
  copyFileExclusively,
  diskFailure,
  isErrno,
  lstatSync,
  readdirSync,
  renameSync,
} from "../../files/disk.ts";
import {
  discard,
  heldPaths,
  readBytes,
  syncFile,
  syncFolder,
  withRegularFile,
} from "../../files/safe-open.ts";

const keptMax = 3;
const draftName = "brain.backup.new";
const namePattern = /^brain\.backup-(\d{4}-\d\d-\d\d)\.db$/;
const readChunkBytes = 1_048_576;

/** The copies of a brain's database that lie beside it, one a day, and what was moved aside. */
export class Backups {
  readonly #folder: string;
  readonly #draft: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#draft = join(folder, draftName);
  }

  /** Their paths, the oldest first. */
  paths(): string[] {
    const paths = this.#named(namePattern);
    // SQLite would wait for a pipe, and follow a link.
    return paths.filter((path) => lstatSync(path)?.isFile());
  }

  /** The paths of databases that were moved aside, oldest first. */
  setAside(): string[] {
    return this.#named(/^brain\.(?:damaged|foreign)-.*\.db$/);
  }

  #named(pattern: RegExp): string[] {
    const names = readdirSync(this.#folder).filter((name) => pattern.test(name));
    return names.sort().map((name) => join(this.#folder, name));
  }

  /** Whether none was made today. */
  areDue(): boolean {
    return dayOf(this.paths().at(-1) ?? "") < today();
  }

  /** The newest that is sound; `holds` says how many memories are in one that is. */
  newest(holds: (path: string) => number | undefined) {
    for (const path of this.paths().reverse()) {
      const memories = holds(path);
      if (memories !== undefined) return { path, day: dayOf(path), holds: memories };
    }
    return undefined;
  }

  /**
   * Makes the one of today and drops all but the last three; `copyTo` writes into an empty file.
   * @throws ConsultaError UNAVAILABLE when the disk refuses, and what `copyTo` throws.
   */
  make(copyTo: (path: string) => void): void {
    this.#put(join(this.#folder, `brain.backup-${today()}.db`), (draft) => {
      // SQLite would make one that others may read.
      createFileExclusively(draft, "");
      copyTo(draft);
    });
    for (const path of this.paths().slice(0, -keptMax)) discard(path);
    syncFolder(this.#folder);
  }

  /** Puts a copy of a backup, as `prepare` changes it, in the place of the database, whole or not at all. */
  restore(backup: string, path: string, prepare: (draft: string) => void): void {
    this.#put(path, (draft) => {
      heldPaths(backup, draft, copyFileExclusively);
      prepare(draft);
    });
  }

  #put(path: string, write: (draft: string) => void): void {
    this.#discardDraft();
    try {
      write(this.#draft);
      syncFile(this.#draft);
      heldPaths(this.#draft, path, renameSync);
      syncFolder(this.#folder);
    } catch (error) {
      this.#discardDraft();
      throw diskFailure(error, `write ${path}`);
    }
  }

  /** They hold what is to be forgotten, or may. */
  discardAll(): void {
    this.#discardDraft();
    for (const path of this.paths()) discard(path);
    syncFolder(this.#folder);
  }

  #discardDraft(): void {
    for (const ending of ["", "-journal"]) discard(`${this.#draft}${ending}`);
  }

  /**
   * Reads every byte: a disk that does not give a file must not make its content pass for damaged.
   * @throws ConsultaError UNAVAILABLE when the disk refuses.
   */
  requireReadable(paths: readonly string[]): void {
    for (const path of paths) {
      try {
        withRegularFile(path, constants.O_RDONLY, (file) => {
          for (let at = 0, read = readChunkBytes; read === readChunkBytes; at += read) {
            read = readBytes(file, at, readChunkBytes).length;
          }
        });
      } catch (error) {
        if (!isErrno(error, "ENOENT")) throw diskFailure(error, `read ${path}`);
      }
    }
  }

  /** Gives the files of a database, which end so, another name: a person may want something of it. */
  moveAside(path: string, endings: readonly string[], name: string): void {
    const taken = new Set(readdirSync(this.#folder));
    let free = name;
    for (let count = 2; taken.has(`${free}.db`); count += 1) free = `${name}-${count}`;
    // The log first: beside a new database, an old log would be taken for its own.
    for (const ending of [...endings].reverse())
      moveFile(`${path}${ending}`, join(this.#folder, `${free}.db${ending}`));
    syncFolder(this.#folder);
  }
}

/** The day of a backup, as an ISO date. */
function dayOf(path: string): string {
  return namePattern.exec(basename(path))?.[1] ?? "";
}

function today(): string {
  return isoSecond(Date.now()).slice(0, 10);
}
