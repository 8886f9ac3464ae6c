import { isAbsolute } from "node:path";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { withoutSecrets } from "../base/secrets.ts";
import { gitState } from "../evidence/git-state.ts";
import { sha256 } from "../files/hash.ts";
import { type Citation, citedPlace, type ListedFile, shownFile } from "../protocol/citations.ts";
import { CitedFiles, textOfLines } from "./cited-lines.ts";
import { namesBelow, ProjectPaths, pathInProject, realOf, rootAt } from "./project-paths.ts";
import { resolveFinding } from "./rules/board-names.ts";
import type { CitedLines, FindingContent, Root } from "./rules/finding-content.ts";
import { type FindingText, readFinding } from "./rules/finding-text.ts";

/** What a report is recorded against. */
interface Surroundings {
  /** Where relative working directories start; undefined when nobody knows where its author is. */
  readonly base: string | undefined;
  /** The author, who cannot confirm itself. */
  readonly agent: string;
  /** All findings of the board, as `agent/NN-topic.md`. */
  readonly findings: readonly string[];
}

/**
 * Reads reports one after the other: they name the same few directories and files. For who is not the author
 * nothing outside of the project is looked at, and neither lines nor commits are recorded: with a
 * reader's rights an author would learn what only the reader may read.
 */
export class ContentReader {
  readonly #project: string;
  readonly #isAuthor: boolean;
  readonly #paths: ProjectPaths;
  readonly #roots = new Map<string, Root | undefined>();
  readonly #files = new CitedFiles();
  readonly #dirty = new Map<string, Promise<readonly string[]>>();

  constructor(place: { readonly folder: string }, project: string, who: "author" | "reader") {
    this.#project = project;
    this.#isAuthor = who === "author";
    this.#paths = new ProjectPaths(place, project);
  }

  /** Reads a report and fixes what it rests on as it is now; `missing` has what nobody can watch. */
  async read(text: string, around: Surroundings): Promise<FindingContent> {
    const finding = readFinding(text);
    const { workingDirectories } = finding;
    const found = workingDirectories.flatMap((dir) => this.#rootAt(dir, around.base) ?? []);
    const placeOf = (file: ListedFile) => placeIn(file, found, workingDirectories.length === 1);
    const keyOf = (file: ListedFile) => ({
      key: keyAt(file, placeOf(file)),
      shown: shownFile(file),
    });
    const roots = this.#isAuthor ? found : [];
    const { confirms, supersedes, faults } = relationsOf(finding, around);
    const allFaults = [...finding.faults, ...faults];
    const checksGit = finding.modified.length === 0 && allFaults.length === 0;
    const content: FindingContent = {
      sha256: sha256(text),
      title: finding.title.slice(0, limits.summaryCharacters).toWellFormed(),
      faults: allFaults,
      roots,
      ...this.#watched(this.#isAuthor ? finding.citations : [], placeOf),
      about: finding.citations.map((cited) => {
        const { from, to } = cited;
        return { key: keyAt(cited, placeOf(cited)), shown: citedPlace(cited), from, to };
      }),
      said: finding.summary === "" ? "" : sha256(plainWords(finding.summary)),
      dirty: checksGit ? await this.#dirtyIn(roots) : [],
      modified: finding.modified.map(keyOf),
      investigated: finding.investigated.map(keyOf),
      confirms,
      supersedes,
    };
    return this.#paths.kept(bounded(content));
  }

  /**
   * What a report cites and is not below its working directories now, where its author has not recorded it; nothing
   * of it is for the log. Undefined where one of these directories does not lie in the reader's project.
   */
  missingIn({ workingDirectories, citations }: FindingText): string[] | undefined {
    const found = workingDirectories.flatMap((dir) => this.#rootAt(dir, undefined) ?? []);
    if (found.length < workingDirectories.length) return undefined;
    const isOnly = workingDirectories.length === 1;
    return this.#watched(citations, (file) => placeIn(file, found, isOnly)).missing;
  }

  #rootAt(dir: string, base: string | undefined): Root | undefined {
    if (!this.#isAuthor && pathInProject(this.#project, dir) === undefined) return undefined;
    const key = `${base ?? ""}\n${dir}`;
    if (!this.#roots.has(key)) this.#roots.set(key, rootAt(dir, base));
    return this.#roots.get(key);
  }

  /** What differs in the directories from their commits. */
  async #dirtyIn(roots: readonly Root[]): Promise<string[]> {
    const found: string[] = [];
    for (const { dir, commit } of roots) {
      if (commit === "") continue;
      const known = this.#dirty.get(dir) ?? gitState(dir, process.env).then((it) => it.dirty ?? []);
      this.#dirty.set(dir, known);
      found.push(...(await known));
    }
    return [...new Set(found)];
  }

  #watched(cited: readonly Citation[], placeOf: (file: ListedFile) => FilePlace | undefined) {
    const citations: CitedLines[] = [];
    const missing: string[] = [];
    for (const it of cited) {
      const { from, to } = it;
      const place = placeOf(it);
      const folder = realOf(place?.root.dir ?? "");
      const names = place?.names ?? [];
      const lines = place === undefined ? "gone" : this.#files.linesOf(folder, names.join("/"));
      const text = textOfLines(lines, from, to);
      if (text === undefined) {
        missing.push(citedPlace(it));
        continue;
      }
      const first = withoutSecrets(lines[from - 1] ?? "").trim();
      citations.push({
        shown: citedPlace(it),
        file: [folder, ...names].join("/"),
        ...{ from, to, sha256: sha256(text) },
        text: first.slice(0, citedTextCharacters).toWellFormed(),
      });
    }
    return { citations, missing };
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
  const lists = { roots: [], citations: [], missing: [], about: [], dirty: [] };
  const relations = { modified: [], investigated: [], confirms: [], supersedes: [] };
  return { ...content, faults, ...lists, ...relations };
}

/** A listed file, by the names that lead to it from its working directory. */
interface FilePlace {
  readonly root: Root;
  readonly names: readonly string[];
}

/**
 * Where a listed file is: in the working directory that an absolute path lies in, the `only` one that the report
 * names, or the one whose path has the file's repository as a component, the last of several.
 */
function placeIn(
  { repo, path }: ListedFile,
  roots: readonly Root[],
  only: boolean,
): FilePlace | undefined {
  const isNamed = (root: Root) => repo !== undefined && foldersOf(root).includes(repo);
  const near = only ? roots[0] : roots.findLast(isNamed);
  for (const root of isAbsolute(path) ? roots : near === undefined ? [] : [near]) {
    const names = namesBelow(root.dir, isAbsolute(path) ? path : `${root.dir}/${path}`) ?? [];
    if (names.length > 0) return { root, names };
  }
  return undefined;
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

function relationsOf(finding: FindingText, { agent, findings }: Surroundings) {
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
  return `one of ${findings.slice(0, 8).map(quote).join(", ")}${findings.length > 8 ? ", ..." : ""}`;
}
