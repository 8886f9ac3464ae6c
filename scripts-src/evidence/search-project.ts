import type { Stats } from "node:fs";
import { join } from "node:path";
import { type ConsultaError, refused } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { millisecondsOf } from "../base/time.ts";
import { isRealFolder, lstatSync, readdirSync } from "../files/disk.ts";
import { checkLimits } from "./check-limits.ts";
import {
  isKeptFromEvidence,
  isUnreadable,
  notThere,
  placeBelow,
  readCitedLines,
} from "./read-cited-file.ts";

/** A line that holds what was looked for. */
interface FoundLine {
  readonly path: string;
  readonly number: number;
  readonly text: string;
}

type TextFile = readonly [path: string, lines: readonly string[]];

/** Folders that hold what others wrote; who means them names one. */
const skippedFolders = new Set(["node_modules"]);

/** Whether nobody looks there who looks through a whole folder. */
function isPassedOver(name: string): boolean {
  return isKeptFromEvidence(name) || skippedFolders.has(name);
}

/**
 * The lines that hold a text, sign by sign, in files and folders below the project, in the order of
 * their names; of a sample in the first files alone. What is no text is passed over in a folder, and refused where it is named.
 * @throws ConsultaError REFUSED also where a path is not there, or there is too much to look through.
 */
export function searchProject(
  project: string,
  wanted: string,
  paths: readonly string[],
  isSample = false,
): FoundLine[] {
  const until = performance.now() + checkLimits.searchMs;
  const found: FoundLine[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  for (const [named, lines] of textsAtAll(project, paths)) {
    const path = named.replace(/^(?:\.\/)+/, "");
    if (seen.has(path)) continue;
    seen.add(path);
    for (const [index, text] of lines.entries()) {
      bytes += text.length;
      if (text.includes(wanted)) found.push({ path, number: index + 1, text });
    }
    if (isSample && seen.size >= checkLimits.countedFiles) return found;
    if (found.length > checkLimits.foundLines) {
      const reason = `more than ${checkLimits.foundLines} lines hold ${quote(wanted)}`;
      throw refused(`${reason}, which says nothing: look for more words`);
    }
    if (seen.size > checkLimits.searchedFiles) throw tooMuch("files");
    if (bytes > checkLimits.searchedBytes || performance.now() > until) throw tooMuch("text");
  }
  return found;
}

function* textsAtAll(project: string, paths: readonly string[]): Generator<TextFile> {
  for (const path of paths) yield* textsAt(project, path.replace(/\/+$/, "") || ".");
}

/** The file that a path names, or all that can be read below the folder that it names. */
function* textsAt(project: string, path: string): Generator<TextFile> {
  if (isRealFolder(placeBelow(project, path))) {
    yield* textsBelow(project, path, 0);
    return;
  }
  const lines = readCitedLines(project, path);
  if (lines === undefined) throw notThere(path);
  yield [path, lines];
}

function* textsBelow(project: string, folder: string, level: number): Generator<TextFile> {
  if (level > checkLimits.folderLevels) throw tooMuch("folders");
  // A link that took a folder's place leads elsewhere: its path is looked at again.
  const list = () => readdirSync(placeBelow(project, folder), { withFileTypes: true });
  const entries = ifReadable(list) ?? [];
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    if (isPassedOver(entry.name)) continue;
    const path = folder === "." ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* textsBelow(project, path, level + 1);
    if (!entry.isFile()) continue;
    const lines = ifReadable(() => readCitedLines(project, path));
    if (lines !== undefined) yield [path, lines];
  }
}

function tooMuch(what: string): ConsultaError {
  const way = "name a smaller folder or the file itself";
  return refused(`too many ${what} to search; ${way}`);
}

/** What may not be read, or goes away meanwhile, holds nothing for anyone who looks through a folder. */
function ifReadable<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (cause) {
    if (!isUnreadable(cause)) throw cause;
    return undefined;
  }
}

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
  const found = ifReadable(() => lstatSync(file));
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
