import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { repositoryAt } from "../evidence/git-state.ts";
import { isFolder, realpathSync } from "../files/disk.ts";
import { orNothing } from "../files/errno.ts";
import { homeOrNone } from "../files/home-folder.ts";
import { safeJoin } from "../files/safe-path.ts";
import type { Root } from "./rules/finding-content.ts";

/** What a working directory is on this machine; undefined when it does not exist. A relative one starts at `base`. */
export function rootAt(directory: string, base: string | undefined): Root | undefined {
  const dir = absoluteFrom(directory, base);
  if (dir === undefined || !isFolder(dir)) return undefined;
  const repository = repositoryAt(dir);
  if (repository === undefined) return { dir, repo: dir, prefix: "", commit: "" };
  const { tree, shared, commit } = repository;
  const names = namesBelow(tree, realOf(dir)) ?? [];
  return { dir, repo: shared, prefix: names.map((name) => `${name}/`).join(""), commit };
}

/** The absolute path of one in a finding; undefined when it is relative and `base` is unknown. */
function absoluteFrom(directory: string, base: string | undefined): string | undefined {
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
  const absolute = absoluteFrom(path, undefined);
  if (absolute === undefined) return undefined;
  const real = realOf(project);
  const names = namesBelow(project, absolute) ?? namesBelow(real, absolute);
  if (names === undefined) return undefined;
  return orNothing(() => safeJoin(real, ...names)) === undefined ? undefined : names.join("/");
}

export function realOf(path: string): string {
  return orNothing(() => realpathSync(path)) ?? path;
}
