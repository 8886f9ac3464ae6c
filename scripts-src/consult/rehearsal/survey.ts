import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** What the files of a project say about some words; the same files give the same survey. */
export interface Survey {
  readonly files: number;
  readonly bytes: number;
  /** For each term how many files hold it. */
  readonly found: readonly { readonly term: string; readonly files: number }[];
  /** Some of the files that hold a term, as relative paths. */
  readonly examples: readonly string[];
}

const filesMax = 2_000;
const fileBytesMax = 262_144;
const examplesMax = 5;

/**
 * Looks into the text files of a project, but not into hidden folders, node_modules and `except`:
 * what is being written about the question says nothing about it.
 */
export function surveyProject(project: string, terms: readonly string[], except = ""): Survey {
  const counts = new Map(terms.map((term) => [term, 0]));
  const examples: string[] = [];
  let [files, bytes] = [0, 0];
  for (const { path, text } of projectTexts(project, except)) {
    files += 1;
    bytes += text.length;
    const held = terms.filter((term) => text.includes(term.toLowerCase()));
    for (const term of held) counts.set(term, (counts.get(term) ?? 0) + 1);
    if (held.length > 0 && examples.length < examplesMax) examples.push(path);
  }
  const found = [...counts].map(([term, count]) => ({ term, files: count }));
  return { files, bytes, found, examples };
}

export const surveyMethod =
  "count the text files of the project outside hidden folders and node_modules, " +
  "and those that hold the words, in any letter case";

/** The survey as a claim that a colleague can check again. */
export function surveyText({ files, found }: Survey): string {
  const counts = found.map((it) => `"${it.term}" stands in ${it.files}`).join(", ");
  return `the project has ${files} text files${counts === "" ? "" : `; ${counts}`}`;
}

/** A text file with its path in the project, its text in lower case. */
export interface ProjectText {
  readonly path: string;
  readonly text: string;
}

/** The text files of a project outside of hidden folders, node_modules and `except`. */
export function* projectTexts(project: string, except: string): Generator<ProjectText> {
  for (const file of textFiles(project, except)) {
    const text = readText(file);
    const path = relative(project, file).replaceAll("\\", "/");
    if (text !== undefined) yield { path, text };
  }
}

function* textFiles(project: string, except: string): Generator<string> {
  const folders = [project];
  let seen = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of entriesOf(folder)) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && path !== except) folders.push(path);
      if (!entry.isFile()) continue;
      seen += 1;
      if (seen > filesMax) return;
      yield path;
    }
  }
}

function entriesOf(folder: string) {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    // A folder that cannot be read says nothing, for the colleague as well.
    return [];
  }
}

function readText(path: string): string | undefined {
  try {
    if (statSync(path).size > fileBytesMax) return undefined;
    const text = readFileSync(path, "utf8");
    return text.includes("\0") ? undefined : text.toLowerCase();
  } catch {
    return undefined;
  }
}
