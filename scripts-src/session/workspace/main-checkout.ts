import { basename, dirname, join, relative, resolve } from "node:path";
import { limits } from "../../base/limits.ts";
import { namesIn, readFileIfPresent } from "../../files/atomic-file.ts";
import { existsSync, lstatSync, realpathSync } from "../../files/disk.ts";
import { orNothing } from "../../files/errno.ts";
import { isHome } from "../../files/home-folder.ts";
import { isOwnWith } from "../../files/own-folder.ts";

/**
 * The folder of a repository's main checkout that stands for this one, which is in a worktree of it;
 * undefined elsewhere. Git's own files say so, and git is not run: a project's config names programs.
 * They count only where both ends name each other, so that no folder joins a repository that does not
 * know it.
 */
export function mainCheckout(folder: string): string | undefined {
  return orNothing(() => {
    const worktree = repositoryAbove(realpathSync(folder));
    const main = worktree === undefined ? undefined : mainOf(worktree);
    if (worktree === undefined || main === undefined) return undefined;
    // Another user's checkout is not shared, and dotfiles make no project of a home.
    if (!isOwnWith(main, ".git") || isHome(main)) return undefined;
    return sameBelow(main, relative(worktree, realpathSync(folder)));
  });
}

/** What stands for a folder of a main checkout in the repository's worktrees, as far as they are there. */
export function inWorktrees(folder: string): string[] {
  const found = orNothing(() => {
    const main = repositoryAbove(realpathSync(folder));
    if (main === undefined) return [];
    const way = relative(main, realpathSync(folder));
    return worktreesOf(main).map((worktree) => sameBelow(worktree, way));
  });
  return found ?? [];
}

function worktreesOf(main: string): string[] {
  const links = join(main, ".git", "worktrees");
  return namesIn(links).flatMap((name) => {
    const worktree = orNothing(() => dirname(realpathSync(pathIn(join(links, name), "gitdir"))));
    const isOurs = worktree !== undefined && orNothing(() => mainOf(worktree)) === main;
    return isOurs ? [worktree] : [];
  });
}

function repositoryAbove(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The main checkout that a worktree belongs to; undefined for what is no worktree. */
function mainOf(worktree: string): string | undefined {
  const file = join(worktree, ".git");
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const [, named] = /^gitdir: (.+?)\s*$/.exec(textOf(file)) ?? [];
  if (named === undefined) return undefined;
  const link = realpathSync(resolve(worktree, named));
  const common = realpathSync(pathIn(link, "commondir"));
  // Anyone who makes up a folder can name any repository; the repository's own list is not theirs.
  if (dirname(link) !== join(common, "worktrees") || basename(common) !== ".git") return undefined;
  const isMutual = realpathSync(pathIn(link, "gitdir")) === realpathSync(file);
  return isMutual ? dirname(common) : undefined;
}

/** What one of git's files in a folder names. */
function pathIn(folder: string, name: string): string {
  return resolve(folder, textOf(join(folder, name)).trim());
}

function textOf(path: string): string {
  return readFileIfPresent(path, limits.messageBytes) ?? "";
}

/** The same folder in another checkout, or the nearest above it that is there; through no link. */
function sameBelow(main: string, way: string): string {
  for (let below = way; below !== "" && below !== "."; below = dirname(below)) {
    const folder = join(main, below);
    if (orNothing(() => realpathSync(folder)) === folder) return folder;
  }
  return main;
}
