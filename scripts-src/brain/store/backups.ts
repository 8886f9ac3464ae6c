import { basename, join } from "node:path";
import { isoSecond } from "../../base/time.ts";
import { createFileExclusively } from "../../files/atomic-file.ts";
import { lstatSync, readdirSync, renameSync } from "../../files/disk.ts";
import { diskFailure } from "../../files/errno.ts";
import { heldPaths } from "../../files/open-directory.ts";
import { discard, syncFile, syncFolder } from "../../files/regular-file.ts";

const keptMax = 3;
const draftName = "brain.backup.new";
const namePattern = /^brain\.backup-(\d{4}-\d\d-\d\d)\.db$/;

/** The copies of a brain's database that lie beside it, one a day. */
export class Backups {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Their paths, the oldest first. */
  paths(): string[] {
    const names = readdirSync(this.#folder).filter((name) => namePattern.test(name));
    const paths = names.sort().map((name) => join(this.#folder, name));
    // SQLite would wait for a pipe, and follow a link.
    return paths.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile());
  }

  /** Whether none was made today. */
  areDue(): boolean {
    const [newest = ""] = this.paths().reverse();
    return dayOf(newest) < today();
  }

  /**
   * Makes the one of today and drops the oldest; `copyTo` writes into an empty file, `holds` says how many
   * memories a backup holds.
   * @throws ConsultaError UNAVAILABLE when the disk refuses, and what `copyTo` throws.
   */
  make(copyTo: (path: string) => void, holds: (path: string) => number): void {
    const draft = join(this.#folder, draftName);
    this.#discardDraft();
    try {
      // SQLite would make one that others may read.
      createFileExclusively(draft, "");
      copyTo(draft);
      syncFile(draft);
      heldPaths(draft, join(this.#folder, `brain.backup-${today()}.db`), renameSync);
    } catch (error) {
      this.#discardDraft();
      throw diskFailure(error, `make a backup in ${this.#folder}`);
    }
    for (const path of this.#outlived(holds)) discard(path);
    syncFolder(this.#folder);
  }

  /** But for the newest, those that hold no more than a newer one: one that holds more is all there is of it. */
  #outlived(holds: (path: string) => number): string[] {
    const paths = this.paths();
    return paths.slice(0, -keptMax).filter((path, at) => {
      return Math.max(...paths.slice(at + 1).map(holds)) >= holds(path);
    });
  }

  /** They hold what is to be forgotten, or may. */
  discardAll(): void {
    this.#discardDraft();
    for (const path of this.paths()) discard(path);
    syncFolder(this.#folder);
  }

  #discardDraft(): void {
    for (const name of [draftName, `${draftName}-journal`]) discard(join(this.#folder, name));
  }
}

/** The day of a backup, as an ISO date. */
export function dayOf(path: string): string {
  return namePattern.exec(basename(path))?.[1] ?? "";
}

function today(): string {
  return isoSecond(Date.now()).slice(0, 10);
}
