import { isAbsolute, join } from "node:path";
import { repositoryAt } from "../evidence/git-state.ts";
import { sha256 } from "../files/hash.ts";
import { hasStore } from "../remote/store-mark.ts";
import type { CitedLines, FileKey, FindingContent } from "./rules/finding-content.ts";
import { namesBelow, realOf } from "./working-directories.ts";

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
    const { roots, citations, about, modified, investigated } = content;
    const keepKey = <T extends FileKey>(file: T): T => ({ ...file, key: this.#keptKey(file.key) });
    return {
      ...content,
      roots: roots.map((it) => {
        return { ...it, dir: this.#keptPath(it.dir), repo: this.#keptRepository(it.repo) };
      }),
      citations: citations.map((it) => this.#keptCitation(it)),
      about: about.map(keepKey),
      modified: modified.map(keepKey),
      investigated: investigated.map(keepKey),
    };
  }

  /** Where a path of the log leads on this machine, which may be anywhere. */
  here(kept: string): string {
    const isInside = kept.startsWith(inside) && this.#repository !== undefined;
    return isInside ? join(this.#repository.tree, kept.slice(inside.length)) : kept;
  }

  /** What a line outside of the project says is nobody's there. */
  #keptCitation({ text, ...citation }: CitedLines): CitedLines {
    const file = this.#keptPath(citation.file);
    const isForeign = text === undefined || file.startsWith(outside);
    return isForeign ? { ...citation, file } : { ...citation, file, text };
  }

  #keptPath(path: string): string {
    const repository = repositoryAt(path);
    const names = repository && namesBelow(repository.tree, realOf(path));
    const isOwn = repository !== undefined && repository.shared === this.#repository?.shared;
    return isOwn && names !== undefined ? `${inside}${names.join("/")}` : this.#hidden(path);
  }

  #keptRepository(repository: string): string {
    return repository === this.#repository?.shared ? inside : this.#hidden(repository);
  }

  /** `ContentReader` makes keys: a repository and a path in it, or an absolute path. */
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
