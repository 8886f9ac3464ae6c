import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { repositoryAt } from "../evidence/git-state.ts";
import { isFolder, orNothing } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { homeOrNone, realPath } from "../files/home-folder.ts";
import { safeJoin } from "../files/safe-path.ts";
import { hasStore } from "../session/place.ts";
import type { FindingContent, Root } from "./rules/finding-content.ts";

/** What a working directory is on this machine; undefined when it does not exist. A relative one starts at `base`. */
export function rootAt(directory: string, base: string | undefined): Root | undefined {
  const dir = absoluteFrom(directory, base);
  if (dir === undefined || !isFolder(dir)) return undefined;
  const repository = repositoryAt(dir);
  if (repository === undefined) return { dir, repo: dir, prefix: "", commit: "" };
  const { tree, shared, commit } = repository;
  const names = namesBelow(tree, realPath(dir)) ?? [];
  return { dir, repo: shared, prefix: names.map((name) => `${name}/`).join(""), commit };
}

/** The absolute path of one in a finding; undefined when it is relative and `base` is unknown. */
function absoluteFrom(directory: string, base?: string): string | undefined {
  if (directory === "~" || directory.startsWith("~/")) {
    const home = homeOrNone();
    return home === undefined ? undefined : join(home, directory.slice(1));
  }
  if (isAbsolute(directory)) return resolve(directory);
  return base === undefined ? undefined : resolve(base, directory);
}

/** The names that lead from a folder to a path in it, none to the folder itself; undefined where it is elsewhere. */
export function namesBelow(folder: string, path: string): string[] | undefined {
  const way = relative(folder, path);
  const names = way.split(sep).filter((name) => name !== "");
  return isAbsolute(way) || names[0] === ".." ? undefined : names;
}

/**
 * Where a path that the findings of others name is in a reader's project, with slashes; undefined where it is
 * elsewhere, or a link leads out. The path need not exist.
 */
export function pathInProject(project: string, path: string): string | undefined {
  const absolute = absoluteFrom(path);
  if (absolute === undefined) return undefined;
  const real = realPath(project);
  const names = namesBelow(project, absolute) ?? namesBelow(real, absolute);
  if (names === undefined) return undefined;
  return orNothing(() => safeJoin(real, ...names)) === undefined ? undefined : names.join("/");
}

/**
 * Before a path in the repository of a board's project, and before the name of what lies outside of it.
 * No resolved path begins so, and scripts that do not know it take it for a path that is in no project.
 */
const inside = "/./";
const outside = "/../";

/**
 * The paths in a board's log. Those of one machine say nothing on another, and tell where its user works: on a
 * board that machines share each is kept as a path in the project's repository, and found in the reader's own
 * project again. What lies outside is kept as a hash.
 */
export class ProjectPaths {
  readonly #isShared: boolean;
  readonly #project: string;
  readonly #repository: ReturnType<typeof repositoryAt>;

  constructor({ folder }: { readonly folder: string }, project: string) {
    this.#isShared = hasStore(folder);
    this.#project = project;
    this.#repository = this.#isShared ? repositoryAt(project) : undefined;
  }

  /** What was made of a report on this machine, as the board's log keeps it. */
  kept(content: FindingContent): FindingContent {
    if (!this.#isShared) return content;
    const keep = <T extends { key: string }>(it: T): T => ({ ...it, key: this.#keptKey(it.key) });
    return {
      ...content,
      roots: content.roots.map((it) => {
        return { ...it, dir: this.#keptPath(it.dir), repo: this.#keptRepository(it.repo) };
      }),
      cited: content.cited.map(({ file: path, text, ...it }) => {
        if (path === undefined || text === undefined) return keep(it);
        const file = this.#keptPath(path);
        // What a line outside of the project says is nobody's there.
        return keep({ ...it, file, ...(file.startsWith(outside) ? {} : { text }) });
      }),
      modified: content.modified.map(keep),
      investigated: content.investigated.map(keep),
    };
  }

  /** Where a path of the log leads on this machine, which may be anywhere. */
  here(kept: string): string {
    const isInside = kept.startsWith(inside) && this.#repository !== undefined;
    return isInside ? join(this.#repository.tree, kept.slice(inside.length)) : kept;
  }

  #keptPath(path: string): string {
    const repository = repositoryAt(path);
    const names = repository && namesBelow(repository.tree, realPath(path));
    const isOwn = repository !== undefined && repository.shared === this.#repository?.shared;
    return isOwn && names !== undefined ? `${inside}${names.join("/")}` : this.#hidden(path);
  }

  #keptRepository(repository: string): string {
    return repository === this.#repository?.shared ? inside : this.#hidden(repository);
  }

  /** A key is a repository and a path in it, or an absolute path: see `ContentReader`. */
  #keptKey(key: string): string {
    const [repository = "", ...path] = key.split("\n");
    return isAbsolute(repository) ? [this.#keptRepository(repository), ...path].join("\n") : key;
  }

  /** All agents of this machine's project keep the same of what lies outside, and those of others something else. */
  #hidden(path: string): string {
    return `${outside}${sha256(`${this.#project}\n${path}`).slice(0, 16)}`;
  }
}

/** A working directory in the log, as people read it. */
export function shownDirectory(kept: string): string {
  if (kept.startsWith(outside)) return "elsewhere";
  return kept.startsWith(inside) ? kept.slice(1) : kept;
}
