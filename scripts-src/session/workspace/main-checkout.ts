import { basename, dirname, join, relative, resolve } from "node:path";
import { limits } from "../../base/limits.ts";
import { namesIn, readFileIfPresent } from "../../files/atomic-file.ts";
import { existsSync, isRealFolder, orNothing, realpathSync } from "../../files/disk.ts";
import { isHome } from "../../files/home-folder.ts";
import { isOwnWith } from "../../files/ownership.ts";

/**
 * A repository's main checkout and its worktrees. Git's own files say which they are, and git is not run:
 * a project's config names programs. They count only where both ends name each other, so that no folder,
 * such as one that came in an archive, joins a repository that does not know it.
 */

/**
 * The folder of a repository's main checkout that stands for this one, which is in a worktree of it;
 * undefined elsewhere.
 */
export function mainCheckout(folder: string): string | undefined {
  return orNothing(() => {
    const real = realpathSync(folder);
    const worktree = repositoryAbove(real);
    if (worktree === undefined || isRealFolder(join(worktree, ".git"))) return undefined;
    const common = commonFolder(worktree);
    if (common === undefined || basename(common) !== ".git") return undefined;
    const main = dirname(common);
    // Another user's checkout is not shared, and dotfiles make no project of a home.
    if (!isOwnWith(main, ".git") || isHome(main)) return undefined;
    return sameBelow(main, relative(worktree, real));
  });
}

/** What stands for a folder of the main checkout in the worktree that another folder is in. */
export function inWorktreeOf(folder: string, mainFolder: string): string {
  const real = realpathSync(folder);
  const worktree = repositoryAbove(real) ?? real;
  const main = repositoryAbove(mainFolder) ?? mainFolder;
  return sameBelow(worktree, relative(main, mainFolder));
}

/** The checkouts of a repository, of which one is named: the main one, where it has one, and its worktrees. */
export function checkoutsOf(checkout: string): string[] {
  const common = orNothing(() => commonFolder(checkout));
  if (common === undefined) return [];
  const main = basename(common) === ".git" ? [dirname(common)] : [];
  const places = orNothing(() => namesIn(join(common, "worktrees"))) ?? [];
  const linked = places.flatMap((name) => {
    const git = orNothing(() => pathIn(join(common, "worktrees", name, "gitdir")));
    // Any other file could lie where its writer may reach and the user's project is not.
    if (git === undefined || basename(git) !== ".git") return [];
    const worktree = dirname(git);
    return orNothing(() => commonFolder(worktree)) === common ? [worktree] : [];
  });
  return [...main, ...linked];
}

/** The git folder that a repository's checkouts share. */
function commonFolder(checkout: string): string | undefined {
  const git = join(checkout, ".git");
  if (isRealFolder(git)) return realpathSync(git);
  const place = pathIn(git, "gitdir: ");
  if (place === undefined || basename(dirname(place)) !== "worktrees") return undefined;
  const common = dirname(dirname(place));
  const isMutual = pathIn(join(place, "gitdir")) === realpathSync(git);
  return isMutual && pathIn(join(place, "commondir")) === common ? common : undefined;
}

function repositoryAbove(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The real path that a file of git names after `start`; undefined where it names none. */
function pathIn(file: string, start = ""): string | undefined {
  const line = readFileIfPresent(file, limits.gitFileBytes) ?? "";
  if (!line.startsWith(start) || line.trim() === "") return undefined;
  return realpathSync(resolve(dirname(file), line.slice(start.length).trim()));
}

/** The same folder in another checkout, or the nearest above it that is there; through no link. */
function sameBelow(checkout: string, way: string): string {
  for (let below = way; below !== "" && below !== "."; below = dirname(below)) {
    const folder = join(checkout, below);
    if (orNothing(() => realpathSync(folder)) === folder) return folder;
  }
  return checkout;
}
