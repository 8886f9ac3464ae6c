import { isAbsolute } from "node:path";
import { firstOf } from "../base/first-of.ts";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { withoutSecrets } from "../base/secrets.ts";
import { sha256 } from "../files/hash.ts";
import { realPath } from "../files/home-folder.ts";
import { type Citation, citedPlace, type ListedFile, shownFile } from "../protocol/citations.ts";
import { CitedFiles, textOfLines } from "./cited-lines.ts";
import { namesBelow, ProjectPaths, pathInProject, rootAt } from "./project-paths.ts";
import { resolveFinding } from "./rules/board-names.ts";
import type { FindingContent, Root } from "./rules/finding-content.ts";
import { type FindingText, readFinding } from "./rules/finding-text.ts";

/**
 * Reads reports one after the other: they name the same few directories and files. For who is not the author
 * nothing outside of the project is looked at, and neither lines nor commits are recorded: with a
 * reader's rights an author would learn what only the reader may read.
 */
export class ContentReader {
  readonly #project: string;
  /** Where relative working directories start; undefined for who is not the author. */
  readonly #base: string | undefined;
  readonly #paths: ProjectPaths;
  readonly #roots = new Map<string, Root | undefined>();
  readonly #files = new CitedFiles();

  constructor(place: { readonly folder: string }, by: { project: string; base?: string }) {
    this.#project = by.project;
    this.#base = by.base;
    this.#paths = new ProjectPaths(place, by.project);
  }

  /** Reads a report of an agent and fixes what it rests on as it is now; `findings` are all of the board. */
  read(text: string, agent: string, findings: readonly string[]): FindingContent {
    const finding = readFinding(text);
    const { title, summary } = finding;
    const isAuthor = this.#base !== undefined;
    const found = this.#rootsOf(finding);
    const roots = isAuthor ? found : [];
    const placeOf = placesIn(finding, found);
    const fileOf = (file: ListedFile) => ({
      key: keyAt(file, placeOf(file)),
      shown: shownFile(file),
    });
    const { confirms, supersedes, faults } = relationsOf(finding, agent, findings);
    const content = {
      sha256: sha256(text),
      title: title.slice(0, limits.summaryCharacters).toWellFormed(),
      said: summary === "" ? "" : sha256(plainWords(summary)),
      watched: isAuthor,
      faults: [...finding.faults, ...faults],
      roots,
      cited: finding.citations.map((it) => ({
        ...{ key: keyAt(it, placeOf(it)), shown: citedPlace(it), from: it.from, to: it.to },
        ...(isAuthor ? this.#seen(it, placeOf(it)) : {}),
      })),
      modified: finding.modified.map(fileOf),
      investigated: finding.investigated.map(fileOf),
      ...{ confirms, supersedes },
    };
    return this.#paths.kept(bounded(content));
  }

  /**
   * What a report cites and is not below its working directories now; nothing of it is for the log. Undefined where
   * one of these directories does not lie in the reader's project.
   */
  missingIn(finding: FindingText): string[] | undefined {
    const found = this.#rootsOf(finding);
    if (found.length < finding.workingDirectories.length) return undefined;
    const placeOf = placesIn(finding, found);
    const missing = finding.citations.filter((it) => this.#seen(it, placeOf(it)) === undefined);
    return missing.map(citedPlace);
  }

  #rootsOf({ workingDirectories }: FindingText): Root[] {
    return workingDirectories.flatMap((dir) => {
      const isFar = this.#base === undefined && pathInProject(this.#project, dir) === undefined;
      if (isFar) return [];
      if (!this.#roots.has(dir)) this.#roots.set(dir, rootAt(dir, this.#base));
      return this.#roots.get(dir) ?? [];
    });
  }

  /** Cited lines as they are; undefined where they are not. */
  #seen({ from, to }: Citation, place: FilePlace | undefined) {
    if (place === undefined) return undefined;
    const folder = realPath(place.root.dir);
    const lines = this.#files.linesOf(folder, place.names.join("/"));
    const text = textOfLines(lines, from, to);
    if (text === undefined) return undefined;
    const first = withoutSecrets(lines[from - 1] ?? "").trim();
    return {
      file: [folder, ...place.names].join("/"),
      sha256: sha256(text),
      text: first.slice(0, citedTextCharacters).toWellFormed(),
    };
  }
}

/** What a reader sees of cited lines beside the claim. */
const citedTextCharacters = 160;

/** Letters and digits only: other signs and capitals make no other finding. */
function plainWords(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** What would not fit into one line of the log is left out, with a fault that says so. */
function bounded(content: FindingContent): FindingContent {
  if (Buffer.byteLength(JSON.stringify(content)) <= limits.findingContentBytes) return content;
  const fault = "its lists of files and citations are too long to be kept: shorten the paths";
  const faults = [...content.faults.slice(0, 8).map((it) => it.slice(0, 400)), fault];
  const lists = { roots: [], cited: [], modified: [], investigated: [] };
  return { ...content, faults, ...lists, confirms: [], supersedes: [] };
}

/** A listed file, by the names that lead to it from its working directory. */
interface FilePlace {
  readonly root: Root;
  readonly names: readonly string[];
}

/**
 * Where the listed files of a report are: in the working directory that an absolute path lies in, the only one that
 * the report names, or the one whose path has the file's repository as a component, the last of several.
 */
function placesIn({ workingDirectories }: FindingText, roots: readonly Root[]) {
  return ({ repo, path }: ListedFile): FilePlace | undefined => {
    const isNamed = (root: Root) => repo !== undefined && foldersOf(root).includes(repo);
    const near = workingDirectories.length === 1 ? roots[0] : roots.findLast(isNamed);
    for (const root of isAbsolute(path) ? roots : near === undefined ? [] : [near]) {
      const names = namesBelow(root.dir, isAbsolute(path) ? path : `${root.dir}/${path}`) ?? [];
      if (names.length > 0) return { root, names };
    }
    return undefined;
  };
}

/** A repository is called by its folder, wherever its worktrees lie. */
function foldersOf({ dir, repo }: Root): string[] {
  return [...dir.split(/[/\\]/), ...repo.replace(/\.git$/, "").split(/[/\\]/)];
}

/** Names a listed file so that every worktree of its repository names it alike. */
function keyAt({ repo = "", path }: ListedFile, place: FilePlace | undefined): string {
  if (place === undefined) return isAbsolute(path) ? path : `${repo}\n${path}`;
  const { root, names } = place;
  return `${root.repo}\n${root.prefix}${names.join("/")}`;
}

function relationsOf(finding: FindingText, agent: string, findings: readonly string[]) {
  const faults: string[] = [];
  const resolve = (word: string, references: readonly string[]) =>
    references.flatMap((reference) => {
      const found = resolveFinding(reference, findings);
      const isOwn = found?.startsWith(`${agent}/`) === true;
      if (found !== undefined && !(word === "Confirms" && isOwn)) return [found];
      faults.push(
        isOwn
          ? `"${word}: ${reference}" is your own finding: only another agent can confirm it`
          : `"${word}: ${reference}" names no finding here: write agent/NN, ${knownText(findings)}`,
      );
      return [];
    });
  const confirms = resolve("Confirms", finding.confirms);
  return { confirms, supersedes: resolve("Supersedes", finding.supersedes), faults };
}

function knownText(findings: readonly string[]): string {
  if (findings.length === 0) return "but there is none yet";
  return `one of ${firstOf(findings.map(quote), 8, () => "...").join(", ")}`;
}
