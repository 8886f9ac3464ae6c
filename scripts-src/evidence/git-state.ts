import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { firstOf } from "../base/first-of.ts";
import { limits } from "../base/limits.ts";
import { visibleText } from "../base/visible-text.ts";
import { findProgram } from "../clis/find-program.ts";
import { readFileIfPresent } from "../files/atomic-file.ts";
import { existsSync, isRealFolder, orNothing, realpathSync } from "../files/disk.ts";
import { evidenceLimits } from "../protocol/check-spec.ts";
import type { EvidenceRecord } from "../protocol/evidence.ts";
import { checkLimits } from "./check-limits.ts";

/** What is known of a project's history; fields that nobody can tell are absent. */
export type GitState = Pick<EvidenceRecord, "commit" | "dirty">;

/**
 * The commit that a project is at, the tracked files that differ from it, and what is cited and not
 * tracked at all; with "all", whatever is not, but for what git ignores and hidden files. A project's `.git` may
 * have come with a clone and name programs: git sees its objects and its index, and none of its settings.
 */
export async function gitState(
  project: string,
  environment: Readonly<Record<string, string | undefined>>,
  cited: readonly string[] | "all" = [],
): Promise<GitState> {
  const found = orNothing(() => repositoryOf(realpathSync(project)));
  if (found === undefined) return {};
  const commit = orNothing(() => commitOf(found));
  if (commit === undefined) return {};
  const dirty = await dirtyFiles(found, commit, environment, { project, cited });
  return dirty === undefined ? { commit } : { commit, dirty };
}

interface Repository {
  /** The folder that is checked out. */
  readonly tree: string;
  /** Where HEAD and the index lie, */
  readonly own: string;
  /** and what a worktree shares with its repository. */
  readonly shared: string;
}

/** The repository that a file or folder is in, as its files tell it; "" for a commit before the first one. */
export function repositoryAt(
  path: string,
): (Pick<Repository, "tree" | "shared"> & { commit: string }) | undefined {
  const found = orNothing(() => repositoryOf(realpathSync(path)));
  if (found === undefined) return undefined;
  const { tree, shared } = found;
  return { tree, shared, commit: orNothing(() => commitOf(found)) ?? "" };
}

/** The repository that a folder is in: its own `.git`, or that of a worktree or submodule. */
function repositoryOf(folder: string): Repository | undefined {
  for (let tree = folder; ; tree = dirname(tree)) {
    const git = join(tree, ".git");
    if (existsSync(git)) {
      const own = gitFolder(git);
      if (own === undefined) return undefined;
      const common = textOf(join(own, "commondir")).trim();
      return { tree, own, shared: common === "" ? own : resolve(own, common) };
    }
    if (dirname(tree) === tree) return undefined;
  }
}

function gitFolder(git: string): string | undefined {
  if (isRealFolder(git)) return git;
  const [, named] = /^gitdir: (.+?)\s*$/.exec(textOf(git)) ?? [];
  if (named === undefined) return undefined;
  const own = realpathSync(resolve(dirname(git), named));
  // A `.git` that came in an archive could name any other repository of the user's.
  const back = textOf(join(own, "gitdir")).trim();
  const isWorktree = back !== "" && realpathSync(resolve(own, back)) === git;
  const [superproject, below] = own.split(`${sep}.git${sep}modules${sep}`);
  const isSubmodule = below !== undefined && git.startsWith(`${superproject}${sep}`);
  return isWorktree || isSubmodule ? own : undefined;
}

const refName = /^refs\/(?!.*(?:\.\.|\/\/|\/$))[^\s~^:?*[\\\0]{1,240}$/;

const objectName = /^[0-9a-f]{40}$/;

function commitOf({ own, shared }: Repository): string | undefined {
  const head = textOf(join(own, "HEAD")).trim();
  if (objectName.test(head)) return head;
  const ref = head.replace(/^ref: /, "");
  if (!refName.test(ref)) return undefined;
  for (const folder of [own, shared]) {
    const found = textOf(join(folder, ref)).trim();
    if (objectName.test(found)) return found;
  }
  const packed = readFileIfPresent(join(shared, "packed-refs"), checkLimits.packedRefsBytes) ?? "";
  const line = packed.split("\n").find((it) => it.endsWith(` ${ref}`));
  const [name = ""] = line?.split(" ") ?? [];
  return objectName.test(name) ? name : undefined;
}

function textOf(path: string): string {
  return readFileIfPresent(path, limits.gitFileBytes) ?? "";
}

/** Undefined where git is absent, fails, or takes too long. */
async function dirtyFiles(
  repository: Repository,
  commit: string,
  outer: Readonly<Record<string, string | undefined>>,
  { project, cited }: { readonly project: string; readonly cited: readonly string[] | "all" },
): Promise<string[] | undefined> {
  const git = findProgram("git", outer, project, repository.tree);
  const folder = git === undefined ? undefined : orNothing(() => ownGitFolder(commit));
  if (git === undefined || folder === undefined) return undefined;
  try {
    const env = environmentFor(repository, folder, dirname(git));
    const isAll = cited === "all";
    const status = [...words, `--untracked-files=${isAll ? "all" : "no"}`];
    const changed = partsOf(await runGit(git, status, { cwd: repository.tree, env }));
    if (changed === undefined) return undefined;
    const others =
      isAll || cited.length === 0
        ? undefined
        : await runGit(git, [...untracked, ...cited], { cwd: project, env });
    const known = changed.filter((it) => !/^\?\? (?:.*\/)?\./.test(it));
    const paths = [...(partsOf(others) ?? []), ...known.map((it) => it.slice(3))];
    const most = evidenceLimits.dirtyFiles;
    return firstOf(paths.map(shown), most, (beyond) => `and ${beyond} more`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A git folder of ours, whose settings name nothing; objects and index are the project's. */
function ownGitFolder(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), "consulta-git-"));
  mkdirSync(join(folder, "refs"));
  writeFileSync(join(folder, "HEAD"), `${commit}\n`);
  writeFileSync(join(folder, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  return folder;
}

function environmentFor({ tree, own, shared }: Repository, folder: string, path: string) {
  return {
    PATH: path,
    LC_ALL: "C",
    HOME: folder,
    GIT_DIR: folder,
    GIT_WORK_TREE: tree,
    GIT_OBJECT_DIRECTORY: join(shared, "objects"),
    GIT_INDEX_FILE: join(own, "index"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_TERMINAL_PROMPT: "0",
    GIT_LITERAL_PATHSPECS: "1",
  };
}

const settings = ["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

const words = [
  ...[...settings, "status", "--porcelain=v1", "-z", "--no-renames"],
  "--ignore-submodules=all",
];

/** Also what is ignored: a proof that no commit holds is one that nobody else has. */
const untracked = [...settings, "ls-files", "--others", "-z", "--"];

async function runGit(
  git: string,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string | undefined> {
  const { gitMs: timeout, gitOutputBytes: maxBuffer } = checkLimits;
  return new Promise((settle) => {
    const child = execFile(git, args, { ...place, timeout, maxBuffer }, (error, stdout) =>
      settle(error === null ? stdout : undefined),
    );
    child.stdin?.end();
  });
}

function partsOf(output: string | undefined): string[] | undefined {
  return output?.split("\0").filter((it) => it !== "");
}

function shown(path: string): string {
  return visibleText(path.replace(/\n/g, " "))
    .slice(0, evidenceLimits.pathCharacters)
    .toWellFormed();
}
