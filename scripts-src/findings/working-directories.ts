import { execFileSync } from "node:child_process";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { realpathSync, statSync } from "../files/disk.ts";
import { isErrno } from "../files/errno.ts";
import { homeOrNone } from "../files/home-folder.ts";
import { safeJoin } from "../files/safe-path.ts";
import type { Root } from "./rules/content.ts";

const gitTimeoutMs = 1_000;

/** Working directories of reports, each looked at once: many reports name the same few. */
export class Roots {
  readonly #known = new Map<string, Root | undefined>();
  #gitHangs = false;

  /**
   * What a working directory is on this machine; undefined when it is not there. `base` is what a
   * relative path starts from. Only `git rev-parse` looks at it: unlike `status` or `diff` it runs
   * nothing that a repository's own config names. A git that does not answer is not asked again.
   */
  find(directory: string, base: string | undefined): Root | undefined {
    const key = `${base ?? ""}\n${directory}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#look(directory, base));
    return this.#known.get(key);
  }

  #look(directory: string, base: string | undefined): Root | undefined {
    const dir = absoluteFrom(directory, base);
    if (dir === undefined || !isFolder(dir)) return undefined;
    const [common = "", prefix = "", commit = ""] = this.#askGit(dir);
    if (common === "") return { dir, repo: dir, prefix: "", commit: "" };
    return { dir, repo: resolve(dir, common), prefix, commit };
  }

  /** Git folder, place in the worktree and commit; nothing without git, no commit before the first. */
  #askGit(dir: string): string[] {
    // In a repository without a commit the first question fails over HEAD alone.
    for (const words of [[...placeWords, "HEAD"], placeWords]) {
      if (this.#gitHangs) break;
      const answer = askGit(dir, words);
      if (answer === "hangs") this.#gitHangs = true;
      else if (answer !== undefined) return answer.split("\n");
    }
    return [];
  }
}

const placeWords = ["--git-common-dir", "--show-prefix"];

/** What git says; undefined where it is not there or has nothing to say. */
function askGit(dir: string, words: readonly string[]): string | undefined | "hangs" {
  try {
    return execFileSync("git", ["-C", dir, "rev-parse", ...words], {
      timeout: gitTimeoutMs,
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
      env: environment,
    });
  } catch (error) {
    return isErrno(error, "ETIMEDOUT") ? "hangs" : undefined;
  }
}

/** A path as reports write it; undefined where nobody knows what it starts from. */
export function absoluteFrom(directory: string, base: string | undefined): string | undefined {
  if (directory === "~" || directory.startsWith("~/")) {
    const home = homeOrNone();
    return home === undefined ? undefined : join(home, directory.slice(1));
  }
  if (isAbsolute(directory)) return resolve(directory);
  return base === undefined ? undefined : resolve(base, directory);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Within a hook git's own variables name another repository than the directory's. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")),
);

/** The folder below which a reader looks at what others' reports name. */
export class Scope {
  readonly #folder: string;
  readonly #real: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#real = realOf(folder);
  }

  /** Whether a path lies in it, not through a link either; the path need not exist. */
  has(path: string): boolean {
    const absolute = absoluteFrom(path, undefined);
    const real = this.#real;
    if (absolute === undefined || real === undefined) return false;
    return [this.#folder, real].some((folder) => isReached(real, relative(folder, absolute)));
  }
}

function isReached(real: string, way: string): boolean {
  try {
    // What leads out begins with "..", or with a drive: neither is a name that may be joined.
    safeJoin(real, ...way.split(sep).filter((name) => name !== ""));
    return true;
  } catch {
    return false;
  }
}

function realOf(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}
