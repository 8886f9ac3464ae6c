import { isAbsolute, normalize, sep } from "node:path";
import { quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { withoutSecrets } from "../base/secrets.ts";
import { gitState } from "../evidence/git-state.ts";
import { isKeptFromEvidence } from "../evidence/read-cited-file.ts";
import { realpathSync } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { safeJoin } from "../files/safe-path.ts";
import { type Citation, citedPlace, type ListedFile, shownFile } from "../protocol/citations.ts";
import { CitedFiles, hashOfLines, type Lines } from "./cited-lines.ts";
import type { ProjectPaths } from "./project-paths.ts";
import { resolveFinding } from "./rules/board-names.ts";
import {
  type FindingContent,
  fileKeyOf,
  rootFor,
  type Workplace,
} from "./rules/finding-content.ts";
import { type FindingText, readFinding } from "./rules/finding-text.ts";
import { namesBelow, type Scope } from "./working-directories.ts";

/** What a report is recorded against. */
export interface Surroundings {
  /** Where relative working directories start; undefined when nobody knows where its author is. */
  readonly base: string | undefined;
  /** The author, who cannot confirm itself. */
  readonly agent: string;
  /** All findings of the board, as `agent/NN-topic.md`. */
  readonly findings: readonly string[];
}

export interface RecordedContent {
  readonly content: FindingContent;
  /** What the report cites and nobody can watch: there is no such file or line here. */
  readonly unwatched: string[];
}

/**
 * Reads reports one after the other: they name the same few directories and files. With `scope`, the
 * folder of a reader who is not the author, nothing outside of it is looked at, and neither lines nor
 * commits are recorded: with a reader's rights an author would learn what only the reader may read.
 */
export class ContentReader {
  readonly #paths: ProjectPaths;
  readonly #scope: Scope | undefined;
  readonly #files = new CitedFiles();
  readonly #dirty = new Map<string, Promise<readonly string[]>>();

  constructor(paths: ProjectPaths, scope?: Scope) {
    this.#paths = paths;
    this.#scope = scope;
  }

  /** The same for the author, and compares a report that lists no modified file with git. */
  async readOwn(text: string, around: Surroundings): Promise<RecordedContent> {
    const { content, unwatched } = this.#readHere(text, around);
    const kept = this.#paths.kept(content);
    if (content.modified.length > 0 || content.faults.length > 0) {
      return { content: kept, unwatched };
    }
    const found: string[] = [];
    for (const { dir, commit } of content.roots) {
      if (commit !== "") found.push(...(await this.#dirtyIn(dir)));
    }
    const dirty = [...new Set(found)];
    return { content: dirty.length === 0 ? kept : { ...kept, dirty }, unwatched };
  }

  /** Each directory once; git sees none of the settings that the repository brings. */
  #dirtyIn(dir: string): Promise<readonly string[]> {
    const known =
      this.#dirty.get(dir) ?? gitState(dir, process.env).then(({ dirty = [] }) => dirty);
    this.#dirty.set(dir, known);
    return known;
  }

  /** Reads a report and fixes what it rests on as it is now. */
  read(text: string, around: Surroundings): RecordedContent {
    const { content, unwatched } = this.#readHere(text, around);
    return { content: this.#paths.kept(content), unwatched };
  }

  /** The same with paths of this machine. */
  #readHere(text: string, around: Surroundings): RecordedContent {
    const finding = readFinding(text);
    const { workingDirectories } = finding;
    const roots = workingDirectories
      .filter((dir) => this.#scope === undefined || this.#scope.has(dir))
      .flatMap((dir) => this.#paths.roots.find(dir, around.base) ?? []);
    const workplace = { roots, isOnly: workingDirectories.length === 1 };
    const isAuthors = this.#scope === undefined;
    const { citations, unwatched } = isAuthors ? this.#citationsIn(finding, workplace) : nothing;
    const relations = relationsOf(finding, around);
    const beyond =
      finding.citationsBeyond > 0
        ? [`${finding.citationsBeyond} citations beyond the first ${limits.citations}`]
        : [];
    const content: FindingContent = {
      sha256: sha256(text),
      title: finding.title.slice(0, limits.summaryCharacters).toWellFormed(),
      faults: [...finding.faults, ...relations.faults],
      roots: isAuthors ? roots : [],
      citations,
      ...(unwatched.length > 0 ? { missing: unwatched } : {}),
      about: finding.citations.map((cited) => {
        return {
          ...fileKeyOf(cited, workplace),
          shown: citedPlace(cited),
          from: cited.from,
          to: cited.to,
        };
      }),
      ...(finding.summary === "" ? {} : { said: sha256(plainWords(finding.summary)) }),
      modified: finding.modified.map((file) => fileKeyOf(file, workplace)),
      investigated: finding.investigated.map((file) => fileKeyOf(file, workplace)),
      confirms: relations.confirms,
      supersedes: relations.supersedes,
    };
    return { content: bounded(content), unwatched: [...unwatched, ...beyond] };
  }

  /**
   * What a report cites and is not below its working directories now, for a reader of one that its
   * author has not recorded; nothing of it is for the log. Undefined where one of these directories
   * does not lie in the reader's scope.
   */
  missingIn(finding: FindingText): string[] | undefined {
    const { workingDirectories } = finding;
    const near = workingDirectories.filter((dir) => this.#scope?.has(dir) === true);
    const roots = near.flatMap((dir) => this.#paths.roots.find(dir, undefined) ?? []);
    if (roots.length < workingDirectories.length) return undefined;
    return this.#citationsIn(finding, { roots, isOnly: roots.length === 1 }).unwatched;
  }

  #citationsIn(finding: FindingText, workplace: Workplace) {
    const citations: FindingContent["citations"] = [];
    const unwatched: string[] = [];
    for (const listed of [...finding.modified, ...finding.investigated]) {
      const file = pathFor(listed, workplace);
      if (file === undefined || this.#files.linesOf(file) === "gone") continue;
      citations.push({ shown: shownFile(listed), file, from: 0, to: 0, sha256: "" });
    }
    for (const cited of finding.citations) {
      const { from, to } = cited;
      const shown = citedPlace(cited);
      const file = pathFor(cited, workplace);
      const lines = file === undefined ? "gone" : this.#files.linesOf(file);
      const hash = typeof lines === "string" ? undefined : hashOfLines(lines, from, to);
      if (file === undefined || hash === undefined) unwatched.push(shown);
      else citations.push({ shown, file, from, to, sha256: hash, ...firstLine(lines, cited) });
    }
    return { citations, unwatched };
  }
}

/** What a reader sees of cited lines beside the claim; nothing of files that hold credentials. */
function firstLine(lines: Lines, { path, from }: Citation): { text?: string } {
  if (typeof lines === "string" || path.split(/[/\\]/).some(isKeptFromEvidence)) return {};
  const text = withoutSecrets(lines[from - 1] ?? "").trim();
  return { text: text.slice(0, citedTextCharacters).toWellFormed() };
}

const citedTextCharacters = 160;

/** Letters and digits only: other signs and capitals make no other finding. */
function plainWords(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const nothing = { citations: [], unwatched: [] };

/** What would not fit into one line of the log is left out, with a fault that says so. */
function bounded(content: FindingContent): FindingContent {
  if (Buffer.byteLength(JSON.stringify(content)) <= limits.findingContentBytes) return content;
  const fault = "its lists of files and citations are too long to be kept: shorten the paths";
  const faults = [...content.faults.slice(0, 8).map((it) => it.slice(0, 400)), fault];
  const { sha256, title } = content;
  const none = { roots: [], citations: [], modified: [], investigated: [] };
  return { sha256, title, faults, ...none, confirms: [], supersedes: [] };
}

/** Where a listed file is; never outside of the working directory that it belongs to. */
function pathFor(listed: ListedFile, workplace: Workplace): string | undefined {
  const { path } = listed;
  const root = isAbsolute(path)
    ? workplace.roots.find(({ dir }) => namesBelow(dir, path)?.[0] !== undefined)
    : rootFor(listed, workplace);
  if (root === undefined) return undefined;
  const names = isAbsolute(path) ? namesBelow(root.dir, path) : normalize(path).split(sep);
  try {
    return safeJoin(realpathSync(root.dir), ...(names ?? []).filter((name) => name !== "."));
  } catch {
    // It leads out, through a link, or the directory went away: there is nothing to watch.
    return undefined;
  }
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
