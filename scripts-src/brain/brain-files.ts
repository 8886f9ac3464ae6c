import { constants, fchmodSync, type Stats } from "node:fs";
import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { fileStamp, isoSecond } from "../base/time.ts";
import { textIfSound, writeFileAtomically } from "../files/atomic-file.ts";
import { copyFileExclusively, readdirSync, renameSync, statSync } from "../files/disk.ts";
import { diskFailure, isErrno } from "../files/errno.ts";
import { folderIdentity } from "../files/folder-identity.ts";
import { heldPaths } from "../files/open-directory.ts";
import { checkOwner } from "../files/private-file.ts";
import {
  discard,
  readBytes,
  refuseOtherNames,
  syncFile,
  syncFolder,
  withRegularFile,
} from "../files/regular-file.ts";
import { ensureFolder, safeJoin } from "../files/safe-path.ts";

const name = "brain.db";
/** What SQLite keeps beside a database: its log of changes and that log's index. */
const companions = ["-wal", "-shm"];

const readChunkBytes = 1_048_576;
const lossBytesMax = 1_024;

/** Why a database cannot be used: it is not whole, no brain of this user made it, or it is not there. */
export type Fault = "damaged" | "foreign" | "missing";

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

  /** Gives a database another name: a person may want something of it. Of a missing one a log may be left. */
  moveAside(fault: Fault): void {
    const stamp = fileStamp(isoSecond(Date.now()));
    const taken = new Set(readdirSync(this.#folder));
    let free = `brain.${fault}-${stamp}.db`;
    for (let count = 2; taken.has(free); count += 1) free = `brain.${fault}-${stamp}-${count}.db`;
    // The log first: beside a new database, an old log would be taken for its own.
    for (const ending of fault === "missing" ? companions : [...companions, ""]) {
      moveIfThere(`${this.path}${ending}`, join(this.#folder, `${free}${ending}`));
    }
    syncFolder(this.#folder);
  }

  /**
   * Puts a copy of a backup, as `prepare` changes it, in the place of the database, whole or not at all.
   * @throws ConsultaError UNAVAILABLE when the disk refuses, and what `prepare` throws.
   */
  restoreFrom(backup: string, prepare: (draft: string) => void): void {
    const draft = join(this.#folder, "brain.restore.new");
    const discardDraft = () => {
      for (const ending of ["", "-journal"]) discard(`${draft}${ending}`);
    };
    discardDraft();
    try {
      heldPaths(backup, draft, copyFileExclusively);
      prepare(draft);
      syncFile(draft);
      heldPaths(draft, this.path, renameSync);
      syncFolder(this.#folder);
    } catch (error) {
      discardDraft();
      throw diskFailure(error, `restore ${backup}`);
    }
  }

  /** Keeps what is missing since the database was lost; `from` says what is in its place. */
  noteLoss(fault: Fault, from: string): void {
    const text = `${isoSecond(Date.now())} ${faultTexts[fault]}: ${from}`;
    writeFileAtomically(lossPath(this.#folder), `${text}\n`);
  }

  /** What `noteLoss` kept last. */
  loss(): string | undefined {
    return lossIn(this.#folder);
  }

  /** The paths of databases that were moved aside, oldest first. */
  setAside(): string[] {
    return readdirSync(this.#folder)
      .filter((each) => /^brain\.(?:damaged|foreign)-.*\.db$/.test(each))
      .sort()
      .map((each) => join(this.#folder, each));
  }
}

export function lossPath(folder: string): string {
  return join(folder, "brain.loss.txt");
}

/** What `noteLoss` kept in a brain's folder; a file that came with a clone may say anything. */
export function lossIn(folder: string): string | undefined {
  const text = textIfSound(lossPath(folder), lossBytesMax)?.trim() ?? "";
  return lossPattern.test(text) ? text : undefined;
}

/** What is in the place of a lost database, as a person reads it. */
export function restoredText(day: string, memories: string): string {
  return `the backup of ${day} is in its place, ${memories}; what was stored since is missing`;
}

export const nothingRestored = "there is no backup of it, all that it held is missing";

const faultTexts: Readonly<Record<Fault, string>> = {
  damaged: "brain.db was damaged",
  foreign: "brain.db was made by no brain of yours",
  missing: "brain.db was removed or emptied",
};

const anyFault = Object.values(faultTexts).join("|");
const anyBackup = restoredText("[\\d-]{10}", "\\d+ memor(?:y|ies)");
const lossPattern = new RegExp(
  `^[\\dTZ:-]{20} (?:${anyFault}): (?:${nothingRestored}|${anyBackup})$`,
);

function moveIfThere(from: string, to: string): void {
  try {
    heldPaths(from, to, renameSync);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw diskFailure(error, `move ${from} to ${to}`);
  }
}
