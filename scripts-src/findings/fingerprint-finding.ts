import { isAbsolute } from "node:path";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { withoutSecrets } from "../base/secrets.ts";
import { gitState } from "../evidence/git-state.ts";
import { sha256 } from "../files/hash.ts";
import { citedPlace, type ListedFile, shownFile } from "../protocol/citations.ts";
import { CitedFiles, hashOfLines } from "./cited-lines.ts";
import type { ProjectPaths } from "./project-paths.ts";
import { resolveFinding } from "./rules/board-names.ts";
import type { CitedLines, FileKey, FindingContent, Root } from "./rules/finding-content.ts";
import { type FindingText, readFinding } from "./rules/finding-text.ts";
import { namesBelow, pathInProject, realOf, rootAt } from "./working-directories.ts";

/** What a report is recorded against. */
export interface Surroundings {
  /** Where relative working directories start; undefined when nobody knows where its author is. */
  readonly base: string | undefined;
  /** The author, who cannot confirm itself. */
  readonly agent: string;
  /** All findings of the board, as `agent/NN-topic.md`. */
  readonly findings: readonly string[];
}

/** The working directories of a report that are on this machine. */
interface Workplace {
  readonly roots: readonly Root[];
  /** The report names no other directory than this one. */
  readonly isOnly: boolean;
}

/**
 * Reads reports one after the other: they name the same few directories and files. With the `project` of a
 * reader who is not the author, nothing outside of it is looked at, and neither lines nor commits are
 * recorded: with a reader's rights an author would learn what only the reader may read.
 */
export class ContentReader {
  readonly #paths: ProjectPaths;
  readonly #project: string | undefined;
  readonly #roots = new Map<string, Root | undefined>();
  readonly #files = new CitedFiles();
  readonly #dirty = new Map<string, Promise<readonly string[]>>();

  constructor(paths: ProjectPaths, project?: string) {
    this.#paths = paths;
    this.#project = project;
  }

  /** Reads a report and fixes what it rests on as it is now; `missing` has what nobody can watch. */
  async read(text: string, around: Surroundings): Promise<FindingContent> {
    const finding = readFinding(text);
    const workplace = this.#workplaceOf(finding, around.base);
    const isAuthors = this.#project === undefined;
    const { citations, missing } = isAuthors ? this.#citationsIn(finding, workplace) : nothing;
    const relations = relationsOf(finding, around);
    const keyOf = (file: ListedFile) => fileKeyOf(file, workplace);
    const roots = isAuthors ? workplace.roots : [];
    const faults = [...finding.faults, ...relations.faults];
    const checksGit = finding.modified.length === 0 && faults.length === 0;
    const content: FindingContent = {
      sha256: sha256(text),
      title: finding.title.slice(0, limits.summaryCharacters).toWellFormed(),
      faults,
      roots: [...roots],
      citations,
      missing,
      about: finding.citations.map((cited) => {
        const { from, to } = cited;
        return { ...keyOf(cited), shown: citedPlace(cited), from, to };
      }),
      said: finding.summary === "" ? "" : sha256(plainWords(finding.summary)),
      dirty: checksGit ? await this.#dirtyIn(roots) : [],
      modified: finding.modified.map(keyOf),
      investigated: finding.investigated.map(keyOf),
      confirms: relations.confirms,
      supersedes: relations.supersedes,
    };
    return this.#paths.kept(bounded(content));
  }

  /**
   * What a report cites and is not below its working directories now, for a reader of one that its
   * author has not recorded; nothing of it is for the log. Undefined where one of these directories
   * does not lie in the reader's project.
   */
  missingIn(finding: FindingText): string[] | undefined {
    const workplace = this.#workplaceOf(finding, undefined);
    if (workplace.roots.length < finding.workingDirectories.length) return undefined;
    return this.#citationsIn(finding, workplace).missing;
  }

  #workplaceOf({ workingDirectories }: FindingText, base: string | undefined): Workplace {
    const roots = workingDirectories.flatMap((dir) => this.#rootAt(dir, base) ?? []);
    return { roots, isOnly: workingDirectories.length === 1 };
  }

  #rootAt(dir: string, base: string | undefined): Root | undefined {
    const project = this.#project;
    if (project !== undefined && pathInProject(project, dir) === undefined) return undefined;
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

  #citationsIn({ citations: cited }: FindingText, workplace: Workplace) {
    const citations: CitedLines[] = [];
    const missing: string[] = [];
    for (const it of cited) {
      const { from, to } = it;
      const shown = citedPlace(it);
      const root = rootFor(it, workplace);
      const names = root && namesIn(root, it.path);
      const folder = realOf(root?.dir ?? "");
      const lines = names === undefined ? "gone" : this.#files.linesOf(folder, names.join("/"));
      const hash = hashOfLines(lines, from, to);
      if (names === undefined || hash === undefined) {
        missing.push(shown);
        continue;
      }
      const text = withoutSecrets(lines[from - 1] ?? "").trim();
      const kept = text.slice(0, citedTextCharacters).toWellFormed();
      const file = [folder, ...names].join("/");
      citations.push({ shown, file, from, to, sha256: hash, text: kept });
    }
    return { citations, missing };
  }
}

const nothing = { citations: [], missing: [] };

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

/**
 * The working directory that a listed file is in: the one that an absolute path lies in, the only one that the
 * report names, or the one whose path has the file's repository as a component, the last of several.
 */
function rootFor({ repo, path }: ListedFile, { roots, isOnly }: Workplace): Root | undefined {
  if (isAbsolute(path)) return roots.find(({ dir }) => (namesBelow(dir, path) ?? []).length > 0);
  if (isOnly) return roots[0];
  return roots.findLast((root) => repo !== undefined && foldersOf(root).includes(repo));
}

/** A repository is called by its folder, wherever its worktrees lie. */
function foldersOf({ dir, repo }: Root): string[] {
  return [...dir.split(/[/\\]/), ...repo.replace(/\.git$/, "").split(/[/\\]/)];
}

/** The names of a path below its working directory; undefined where it leads out. */
function namesIn({ dir }: Root, path: string): string[] | undefined {
  const names = namesBelow(dir, isAbsolute(path) ? path : `${dir}/${path}`) ?? [];
  return names.length === 0 ? undefined : names;
}

/** Names a listed file so that every worktree of its repository names it alike. */
function fileKeyOf(file: ListedFile, workplace: Workplace): FileKey {
  const { repo, path } = file;
  const shown = shownFile(file);
  const root = rootFor(file, workplace);
  const names = root && namesIn(root, path);
  if (root !== undefined && names !== undefined)
    return { key: `${root.repo}\n${root.prefix}${names.join("/")}`, shown };
  return { key: isAbsolute(path) ? path : `${repo ?? ""}\n${path}`, shown };
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
  const supersedes = resolve("Supersedes", finding.supersedes);
  return { confirms, supersedes, faults };
}

function knownText(findings: readonly string[]): string {
  if (findings.length === 0) return "but there is none yet";
  return `one of ${findings.slice(0, 8).map(quote).join(", ")}${findings.length > 8 ? ", ..." : ""}`;
}
