import { join } from "node:path";
import { parseJsonObject } from "../../base/json.ts";
import { isRunning, thisProcess } from "../../clis/is-running.ts";
import type { ProcessLook } from "../../clis/process-table.ts";
import {
  createFileExclusively,
  isOlderThan,
  namesIn,
  textIfSound,
  uniqueSuffix,
  writeFileAtomically,
} from "../../files/atomic-file.ts";
import { folderIdentity, isWrittenIn } from "../../files/folder-identity.ts";
import { discard } from "../../files/regular-file.ts";

/**
 * The right to be a project's one brain: the highest numbered claim in the folder is the one that
 * counts. Its number is taken by creating the file, so one starter gets it; a process that wants it when
 * its holder is dead takes the next number. A number that counts is never removed, only marked as
 * given up: a starter that looked long ago would take it again.
 */
export class InstanceLock {
  readonly #folder: string;
  readonly #number: number;
  readonly #holder: object;
  readonly #mark = uniqueSuffix();

  private constructor(folder: string, number: number, look: ProcessLook | undefined) {
    this.#folder = folder;
    this.#number = number;
    const started = look?.(process.pid)?.started ?? "";
    this.#holder = { ...thisProcess(), started, ...folderIdentity(folder) };
  }

  /** Takes the claim; undefined when a process that may live holds it. */
  static take(folder: string, holderIsLost: boolean, look?: ProcessLook): InstanceLock | undefined {
    const last = lastNumber(folder);
    if (last > 0 && isHeld(folder, last, holderIsLost, look)) return undefined;
    // No brain has counted so far: it came with a clone, and must not keep ours from starting.
    if (last >= numberMax) {
      discard(claimPath(folder, last));
      return lastNumber(folder) < last ? InstanceLock.take(folder, holderIsLost, look) : undefined;
    }
    const claim = new InstanceLock(folder, last + 1, look);
    const path = claim.#path(last + 1);
    // After a power cut its holder is dead, and what cannot be read is held by nobody.
    if (!createFileExclusively(path, claim.#text(false), { sync: "nothing" })) return undefined;
    // Its number may have been used up and cleared away since we looked.
    if (!claim.holds()) {
      discard(path);
      return undefined;
    }
    for (const number of numbersIn(folder)) if (number <= last) discard(claim.#path(number));
    return claim;
  }

  /** Whether nobody has taken a higher number: who was paused for long may have been replaced. */
  holds(): boolean {
    const text = textIfSound(this.#path(this.#number), claimBytes);
    return lastNumber(this.#folder) === this.#number && markIn(text) === this.#mark;
  }

  release(): void {
    if (!this.holds()) return;
    writeFileAtomically(this.#path(this.#number), this.#text(true), { sync: "nothing" });
  }

  #path(number: number): string {
    return claimPath(this.#folder, number);
  }

  #text(released: boolean): string {
    return `${JSON.stringify({ ...this.#holder, mark: this.#mark, released })}\n`;
  }
}

const claimBytes = 16_384;
const namePattern = /^brain\.lock\.([1-9][0-9]{0,14})$/;
const numberMax = 999_999_999_999_999;

/** A holder that lives and cannot be reached has this long to get ready. */
const startMsMax = 15_000;

function numbersIn(folder: string): number[] {
  return namesIn(folder).flatMap((name) => {
    const number = namePattern.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

function lastNumber(folder: string): number {
  return Math.max(0, ...numbersIn(folder));
}

function claimPath(folder: string, number: number): string {
  return join(folder, `brain.lock.${number}`);
}

/**
 * A holder that lives and was found unreachable does not count for long: it hangs, or its pid is now
 * another program's, which not every system tells. When it was only slow it finds out that it was
 * replaced, and leaves.
 */
function isHeld(
  folder: string,
  number: number,
  holderIsLost: boolean,
  look?: ProcessLook,
): boolean {
  const path = claimPath(folder, number);
  const holder = parseJsonObject(textIfSound(path, claimBytes) ?? "");
  if (holder === undefined || holder["released"] === true) return false;
  // It came with a copy of the folder: the brain of the original holds nothing here.
  if (!isWrittenIn(folder, holder)) return false;
  const { pid, host, started } = holder;
  if (typeof pid !== "number" || typeof host !== "string") return false;
  const named = { pid, host, started: typeof started === "string" ? started : "" };
  if (isRunning(named, look) === false) return false;
  return !(holderIsLost && isOlderThan(path, startMsMax));
}

function markIn(text: string | undefined): unknown {
  return parseJsonObject(text ?? "")?.["mark"];
}
