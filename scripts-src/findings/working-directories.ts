import { execFileSync } from "node:child_process";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { isFolder, realpathSync } from "../files/disk.ts";
import { isErrno } from "../files/errno.ts";
import { homeOrNone } from "../files/home-folder.ts";
import { safeJoin } from "../files/safe-path.ts";
import type { Root } from "./rules/finding-content.ts";

const gitTimeoutMs = 1_000;

/** The working directories of findings. Each is examined once, because many findings name the same few. */
export class Roots {
  readonly #known = new Map<string, Root | undefined>();
  #gitHangs = false;

  /**
   * What a working directory is on this machine; undefined when it does not exist. A relative path
   * starts at `base`. Only `git rev-parse` is run in it: unlike `status` and `diff` it runs no program
   * that the repository's config names. A git that does not answer in time is not asked again.
   */
  find(directory: string, base: string | undefined): Root | undefined {
    const key = `${base ?? ""}\n${directory}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#look(directory, base));
    return this.#known.get(key);
  }

  /** Whether the repository that a directory is in has a commit. */
  hasCommit(directory: string, commit: string): boolean {
    if (this.#gitHangs || !/^[0-9a-f]{40,64}$/.test(commit)) return false;
    const answer = askGit(directory, ["--verify", "--quiet", `${commit}^{commit}`]);
    this.#gitHangs = answer === "hangs";
    return answer?.trim() === commit;
  }

  #look(directory: string, base: string | undefined): Root | undefined {
    const dir = absoluteFrom(directory, base);
    if (dir === undefined || !isFolder(dir)) return undefined;
    const [common = "", prefix = "", commit = ""] = this.#askGit(dir);
    if (common === "") return { dir, repo: dir, prefix: "", commit: "" };
    return { dir, repo: resolve(dir, common), prefix, commit };
  }

  /** Git folder, path in the worktree and commit; empty without git, no commit when there is none yet. */
  #askGit(dir: string): string[] {
    // Without a commit the question with HEAD fails, and the one without it is answered.
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

/** What git prints; undefined when it is missing or fails. */
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

/** The absolute path of one in a finding; undefined when it is relative and `base` is unknown. */
export function absoluteFrom(directory: string, base: string | undefined): string | undefined {
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
 * Without git's own variables: inside a git hook they name another repository than the directory's. A partial
 * clone would fetch a commit that it lacks, by programs that its config names.
 */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))),
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
};

/** The folder outside of which a reader opens nothing that the findings of others name. */
export class Scope {
  readonly #folder: string;
  readonly #real: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#real = realOf(folder);
  }

  /** Whether a path is in it without a link that leads out; the path need not exist. */
  has(path: string): boolean {
    const absolute = absoluteFrom(path, undefined);
    const real = this.#real;
    if (absolute === undefined || real === undefined) return false;
    return [this.#folder, real].some((folder) => isBelow(real, relative(folder, absolute)));
  }
}

function isBelow(real: string, path: string): boolean {
  try {
    // A path that leads out begins with ".." or a drive, and safeJoin takes neither as a name.
    safeJoin(real, ...path.split(sep).filter((name) => name !== ""));
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
