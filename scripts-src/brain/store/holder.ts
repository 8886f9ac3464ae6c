import { constants, ftruncateSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type ConsultaError, unavailable } from "../../base/errors.ts";
import { parseJsonObject } from "../../base/json.ts";
import {
  isRunning,
  lookAtProcesses,
  type ProcessLook,
  processIn,
  thisProcess,
} from "../../clis/is-running.ts";
import { createFileExclusively, namesIn, textIfSound } from "../../files/atomic-file.ts";
import { orNothing } from "../../files/disk.ts";
import { folderIdentity } from "../../files/folder-identity.ts";
import { discard, removeTree, withRegularFile } from "../../files/safe-open.ts";

type Lock = Pick<DatabaseSync, "isOpen" | "close">;
type HolderRecord = Readonly<Record<string, unknown>>;

const namePattern = /^brain\.holder-(\d{1,15})$/;
const recordBytes = 4_096;
const patienceMs = 3_000;
const pauseMs = 50;

/**
 * Which process has a brain's files, by the newest `brain.holder-N` of their folder. Locks of SQLite do not tell:
 * its two builds do not see each other's, and those of one stay where a process is killed.
 *
 *   dead, or emptied: N --create N + 1, which one process can--> held --let go: emptied, never removed--> emptied
 *
 * The newest always stays: a process that was paused after its look makes an older one, sees that, and takes it back.
 */
export class Holder {
  readonly #folder: string;
  readonly #inode: string | undefined;
  readonly #number: number;
  readonly #lock: Lock | undefined;

  /**
   * `lock` is one that the system takes from a process that dies: no other that had one is left. It goes with this.
   * @throws ConsultaError UNAVAILABLE, with the reason "held", where another process has them, or may.
   */
  constructor(folder: string, lock: Lock | undefined) {
    this.#folder = folder;
    this.#inode = folderIdentity(folder)?.inode;
    this.#lock = lock;
    try {
      this.#number = this.#take();
    } catch (error) {
      this.#closeLock();
      throw error;
    }
    const isOver = (name: string) => numberIn(name) < this.#number;
    for (const name of namesIn(folder).filter(isOver)) discard(join(folder, name));
  }

  /** Removes what locks of files are left: nobody else has one of these open. */
  clearLocks(): void {
    const locks = namesIn(this.#folder).filter((name) => lockPattern.test(name));
    for (const name of locks) removeTree(join(this.#folder, name));
  }

  /** One that is about to end is waited for, as SQLite waits for a lock. */
  #take(): number {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const taken = this.#makeNext();
      if (taken !== undefined) return taken;
      if (performance.now() > deadline) throw this.#held();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }

  /** Returns the number; undefined where another process has the files, or was faster. */
  #makeNext(): number | undefined {
    const look = lookAtProcesses();
    const last = newestIn(this.#folder);
    const holder = this.#read(last);
    if (holder !== undefined && !this.#hasEnded(holder, look)) return undefined;
    const path = this.#pathOf(last + 1);
    const { started } = look(process.pid) ?? {};
    const locksEnd = this.#lock !== undefined;
    const own = JSON.stringify({ ...thisProcess(), started, locksEnd, inode: this.#inode });
    if (!createFileExclusively(path, `${own}\n`, { sync: "nothing" })) return undefined;
    if (newestIn(this.#folder) === last + 1) return last + 1;
    discard(path);
    return undefined;
  }

  #hasEnded(holder: HolderRecord, look: ProcessLook): boolean {
    if (this.#lock !== undefined && holder["locksEnd"] === true) return true;
    return isRunning(processIn(holder), look) === false;
  }

  /** What a holder says of itself; undefined where it let go, and in a copy of its folder. */
  #read(number: number): HolderRecord | undefined {
    const record = parseJsonObject(textIfSound(this.#pathOf(number), recordBytes) ?? "");
    return record?.["inode"] === this.#inode ? record : undefined;
  }

  #pathOf(number: number): string {
    return join(this.#folder, `brain.holder-${number}`);
  }

  #held(): ConsultaError {
    const path = this.#pathOf(newestIn(this.#folder));
    const { pid, host } = parseJsonObject(textIfSound(path, recordBytes) ?? "") ?? {};
    const whose = `${pid} on ${host}, such as a brain that cannot be reached from here`;
    const reason = `another process holds it, ${whose}`;
    const way = `end that one; where it is no more, remove ${path}`;
    const text = `cannot use ${join(this.#folder, "brain.db")}: ${reason}: ${way}`;
    return unavailable(text, { reason: "held" });
  }

  /** The process may live on. Where its folder was another one may be. */
  letGo(): void {
    const path = this.#pathOf(this.#number);
    if (folderIdentity(this.#folder)?.inode === this.#inode)
      orNothing(() => withRegularFile(path, constants.O_WRONLY, (file) => ftruncateSync(file)));
    this.#closeLock();
  }

  #closeLock(): void {
    if (this.#lock?.isOpen === true) this.#lock.close();
  }
}

/** What SQLite as WebAssembly makes beside each file that it uses. */
const lockPattern = /^brain\..*\.lock$/;

function newestIn(folder: string): number {
  return Math.max(0, ...namesIn(folder).map(numberIn).filter(Number.isSafeInteger));
}

/** Not a number for another file. */
function numberIn(name: string): number {
  return Number(namePattern.exec(name)?.[1] ?? Number.NaN);
}
