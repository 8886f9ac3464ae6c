import type { Stats } from "node:fs";
import { join } from "node:path";
import { millisecondsOf } from "../base/time.ts";
import { lstatSync, readdirSync } from "../files/disk.ts";
import { checkLimits } from "./check-limits.ts";
import { ifReadable, isPassedOver } from "./search-project.ts";

/**
 * The first files below `root` that were created or changed at a time or later, those in the upper folders
 * first. Hidden files and what a search passes over are none, nor is what a link leads to; of a large
 * project the first files are looked at.
 */
export function changedFiles(root: string, below: string, since: string): string[] {
  const found: string[] = [];
  const folders = [below];
  let looks = 0;
  // A folder that is found is looked through after those that are known.
  for (const folder of folders) {
    for (const entry of entriesOf(join(root, folder))) {
      looks += 1;
      const isFull = found.length >= checkLimits.changedFiles;
      if (looks > checkLimits.changeLooks || isFull) return found;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && isChanged(join(root, path), since)) found.push(path);
    }
  }
  return found;
}

function entriesOf(folder: string) {
  const entries = ifReadable(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.filter(({ name }) => !name.startsWith(".") && !isPassedOver(name));
}

function isChanged(file: string, since: string): boolean {
  const found = ifReadable(() => lstatSync(file, { throwIfNoEntry: false }));
  return found !== undefined && found.size <= checkLimits.changedBytes && isSince(found, since);
}

/** A disk that counts in whole seconds, or in two, may have noted an earlier one. */
const coarseMs = 2_000;

/** Whether a file changed at a time or later; always, where no time is given. */
export function isSince({ ctimeMs }: Pick<Stats, "ctimeMs">, since = ""): boolean {
  if (since === "") return true;
  const from = millisecondsOf(since);
  return ctimeMs >= from || (ctimeMs % 1_000 === 0 && ctimeMs > from - coarseMs);
}
