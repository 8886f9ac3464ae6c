import { isAbsolute, join, relative, sep } from "node:path";
import { realpathSync } from "../files/disk.ts";
import { orNothing } from "../files/errno.ts";
import { sha256 } from "../files/hash.ts";
import { hasStore } from "../remote/store-mark.ts";
import type { CitedLines, FileKey, FindingContent, Root } from "./rules/finding-content.ts";
import { namesBelow, Roots } from "./working-directories.ts";

/**
 * Before a path in the repository of a board's project, and before the name of what lies outside of it.
 * No resolved path begins so, and scripts that do not know it take it for a path that is in no project.
 */
const inside = "/./";
const outside = "/../";
/** Each costs a process; the others count as commits that are not there. */
const commitsAskedMax = 64;

/**
 * The paths in a board's log. Those of one machine say nothing on another, and tell where its user works: on a
 * board that machines share each is kept as a path in the project's repository, and found in the reader's own
 * project again. What lies outside is kept as a hash.
 */
export class ProjectPaths {
  readonly #folder: string;
  readonly #project: string;
  /** Each is looked at once. */
  readonly roots = new Roots();
  readonly #commits = new Map<string, boolean>();

  constructor({ folder }: { readonly folder: string }, project: string) {
    this.#folder = folder;
    this.#project = project;
  }

  /** What was made of a report on this machine, as the board's log keeps it. */
  kept(content: FindingContent): FindingContent {
    if (!hasStore(this.#folder)) return content;
    const { roots, citations, about, modified, investigated } = content;
    const worktrees = this.#worktreesAmong(roots);
    const keep = (path: string) => keptPath(path, worktrees, this.#project);
    const keepRepo = (repo: string) => (this.#isOwn(repo) ? inside : keep(repo));
    const keepKey = <T extends FileKey>(file: T): T => {
      return { ...file, key: keptKey(file.key, keep, keepRepo) };
    };
    return {
      ...content,
      roots: roots.map((it) => ({ ...it, dir: keep(it.dir), repo: keepRepo(it.repo) })),
      citations: citations.map((it) => withoutForeignText({ ...it, file: keep(it.file) })),
      ...(about === undefined ? {} : { about: about.map(keepKey) }),
      modified: modified.map(keepKey),
      investigated: investigated.map(keepKey),
    };
  }

  /** Where a path of the log leads on this machine. That may be anywhere: a `Scope` says what is opened. */
  here(kept: string): string {
    const own = kept.startsWith(inside) ? this.#own() : undefined;
    if (own === undefined) return kept;
    const top = relative(join(sep, own.prefix), sep);
    return join(realOf(own.dir), top, kept.slice(inside.length));
  }

  /**
   * Whether a path of the log is one in the project's repository, of which the reader's clone has none of the
   * commits that a report was written at: its author saw what the reader does not have, or another project.
   */
  isOfOtherCommits(kept: string, roots: readonly Root[]): boolean {
    if (!kept.startsWith(inside)) return false;
    const own = roots.filter(({ repo, commit }) => repo === inside && commit !== "");
    return own.length > 0 && !own.some(({ commit }) => this.#hasCommit(commit));
  }

  #hasCommit(commit: string): boolean {
    const known = this.#commits.get(commit);
    if (known !== undefined || this.#commits.size >= commitsAskedMax) return known === true;
    const has = this.roots.hasCommit(this.#project, commit);
    this.#commits.set(commit, has);
    return has;
  }

  #own(): Root | undefined {
    return this.roots.find(this.#project, undefined);
  }

  #isOwn(repo: string): boolean {
    const own = this.#own();
    return own !== undefined && realOf(own.repo) === realOf(repo);
  }

  /** The folders that are known to show the project's repository, or a part of it: the innermost first. */
  #worktreesAmong(roots: readonly Root[]): Root[] {
    const own = this.#own();
    return [...(own === undefined ? [] : [own]), ...roots.filter(({ repo }) => this.#isOwn(repo))]
      .flatMap((root) => [root, { ...root, dir: realOf(root.dir) }])
      .sort((one, other) => other.dir.length - one.dir.length);
  }
}

/** What a line outside of the project says is nobody's there. */
function withoutForeignText({ text, ...citation }: CitedLines): CitedLines {
  const isForeign = text === undefined || citation.file.startsWith(outside);
  return isForeign ? citation : { ...citation, text };
}

/** A working directory in the log, as people read it. */
export function shownDirectory(kept: string): string {
  if (kept.startsWith(outside)) return "elsewhere";
  return kept.startsWith(inside) ? kept.slice(1) : kept;
}

/** All agents of this machine's project keep the same of what lies outside, and those of others something else. */
function keptPath(path: string, worktrees: readonly Root[], project: string): string {
  for (const { dir, prefix } of worktrees) {
    const names = namesBelow(dir, path);
    if (names !== undefined) return `${inside}${prefix}${names.join("/")}`;
  }
  return `${outside}${sha256(`${project}\n${path}`).slice(0, 16)}`;
}

/** `fileKeyOf` makes keys: a repository and a path in it, or an absolute path. */
function keptKey(
  key: string,
  keep: (path: string) => string,
  keepRepo: (repo: string) => string,
): string {
  const [repo = "", ...path] = key.split("\n");
  if (!isAbsolute(repo)) return key;
  if (path.length > 0) return [keepRepo(repo), ...path].join("\n");
  const kept = keep(repo);
  return kept.startsWith(inside) ? `${inside}\n${kept.slice(inside.length)}` : kept;
}

function realOf(path: string): string {
  return orNothing(() => realpathSync(path)) ?? path;
}
