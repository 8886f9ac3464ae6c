import { constants, fchmodSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { fileStamp, isoSecond } from "../base/time.ts";
import { textIfSound, writeFileAtomically } from "../files/atomic-file.ts";
import { copyFileExclusively, readdirSync, renameSync, statSync } from "../files/disk.ts";
import { diskFailure, isErrno } from "../files/errno.ts";
import { folderIdentity } from "../files/folder-identity.ts";
import { heldPaths } from "../files/held-folder.ts";
import { checkOwner } from "../files/own-file.ts";
import {
  discard,
  readBytes,
  refuseOtherNames,
  syncFolder,
  withRegularFile,
} from "../files/regular-file.ts";
import { ensureFolder, safeJoin } from "../files/safe-path.ts";

const name = "brain.db";
/** What SQLite keeps beside a database: its log of changes and that log's index. */
const companions = ["-wal", "-shm"];

const readChunkBytes = 1_048_576;
const nameBytesMax = 256;
const rescueBytesMax = 1_024;

/** The files of a brain's database in their folder. */
export class BrainFiles {
  readonly #folder: string;
  /** Which folder it was when it was used first. */
  #inode: string | undefined;
  readonly path: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, name);
  }

  /**
   * Makes the folder and an empty file where they are missing: SQLite would make the file readable
   * for others, and follow a link.
   * @throws ConsultaError REFUSED when one of the files is a link; UNAVAILABLE when the disk refuses, or
   * when the folder was moved or removed: what is stored at its old place is lost to the project.
   */
  make(): void {
    if (this.#inode === undefined) ensureFolder(this.#folder);
    const inode = folderIdentity(this.#folder)?.inode;
    this.#inode ??= inode;
    if (inode !== this.#inode) {
      const reason = `${this.#folder} was moved or removed while its brain ran`;
      throw new ConsultaError("UNAVAILABLE", `${reason}: run this again where the project is`);
    }
    for (const ending of companions) safeJoin(this.#folder, `${name}${ending}`);
    try {
      withRegularFile(this.path, constants.O_RDWR | constants.O_CREAT, (file, status) => {
        refuseOtherNames(this.path, status);
        checkOwner(this.path, status, "each user has memories of their own");
        if ((status.mode & 0o077) !== 0) fchmodSync(file, 0o600);
      });
    } catch (error) {
      throw diskFailure(error, `open ${this.path}`);
    }
  }

  status(): Stats | undefined {
    return statSync(this.path, { throwIfNoEntry: false });
  }

  /** The bytes of all files together. */
  bytes(): number {
    return ["", ...companions]
      .map((ending) => statSync(`${this.path}${ending}`, { throwIfNoEntry: false })?.size ?? 0)
      .reduce((sum, size) => sum + size, 0);
  }

  /**
   * Reads every byte: a disk that does not give a file must not make its content pass for damaged.
   * @throws ConsultaError UNAVAILABLE when the disk refuses.
   */
  requireReadable(): void {
    for (const path of ["", ...companions].map((ending) => `${this.path}${ending}`)) {
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

  /** Gives a database another name: a person may want to rescue something. */
  moveAside(why: "damaged" | "foreign"): void {
    const stamp = fileStamp(isoSecond(Date.now()));
    const taken = new Set(readdirSync(this.#folder));
    let free = `brain.${why}-${stamp}.db`;
    for (let count = 2; taken.has(free); count += 1) free = `brain.${why}-${stamp}-${count}.db`;
    // Before anything is moved: a rescue that a crash cuts off is done again.
    if (why === "damaged") writeFileAtomically(this.#rescueMark, `${free}\n`);
    // The log first: beside a new database, an old log would be taken for its own.
    for (const ending of [...companions, ""]) {
      moveIfThere(`${this.path}${ending}`, join(this.#folder, `${free}${ending}`));
    }
    syncFolder(this.#folder);
  }

  get #rescueMark(): string {
    return join(this.#folder, "brain.rescue");
  }

  /** The damaged database that was moved aside and not read yet. */
  toRescue(): string | undefined {
    const name = textIfSound(this.#rescueMark, nameBytesMax)?.trim() ?? "";
    return this.setAside().find((path) => basename(path) === name);
  }

  /** Gives a copy to read: SQLite would change what it opens. It is gone when `work` is done. */
  withCopy<T>(path: string, work: (copy: string) => T): T {
    const copy = join(this.#folder, "brain.rescue.db");
    const discardCopy = () => {
      for (const ending of ["", "-journal", ...companions]) discard(`${copy}${ending}`);
    };
    discardCopy();
    try {
      for (const ending of ["", "-wal"]) copyIfThere(`${path}${ending}`, `${copy}${ending}`);
      return work(copy);
    } finally {
      discardCopy();
    }
  }

  /** Keeps what came of a rescue beside the damaged database. */
  noteRescued(path: string, text: string): void {
    writeFileAtomically(`${path}.txt`, `${text}\n`);
    discard(this.#rescueMark);
  }

  /** What came of the rescue of each database that was moved aside. */
  rescues(): string[] {
    return this.setAside().flatMap((path) => {
      const text = rescueOf(path);
      return text === undefined ? [] : [`${basename(path)}: ${text}`];
    });
  }

  /** The paths of databases that were moved aside, oldest first. */
  setAside(): string[] {
    return readdirSync(this.#folder)
      .filter((each) => /^brain\.(?:damaged|foreign)-.*\.db$/.test(each))
      .sort()
      .map((each) => join(this.#folder, each));
  }
}

/** What a rescue has left beside a damaged database; a file that came with a clone may say anything. */
export function rescueOf(path: string): string | undefined {
  const text = textIfSound(`${path}.txt`, rescueBytesMax)?.trim();
  return text !== undefined && rescuePattern.test(text) ? text : undefined;
}

const rescuePattern =
  /^\d+(?: of \d+)? memories were read from it, (?:there is no backup of it|\d+ came from the backup of [\d-]{10}), (?:\d+ lost|how many are lost is not known)$/;

function copyIfThere(from: string, to: string): void {
  try {
    heldPaths(from, to, copyFileExclusively);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw diskFailure(error, `copy ${from} to ${to}`);
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    heldPaths(from, to, renameSync);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw diskFailure(error, `move ${from} to ${to}`);
  }
}
