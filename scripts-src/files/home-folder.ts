import { userInfo } from "node:os";
import { dirname, isAbsolute } from "node:path";
import { refused } from "../base/errors.ts";
import { orNothing, realpathSync } from "./disk.ts";

/**
 * The user's home, for all that is in `~/.consulta`. A HOME that is empty, relative or the root of
 * the disk names none: then it is the one of the system's list of users.
 * @throws ConsultaError REFUSED when there is none there either.
 */
export function homeFolder(environment: Environment = process.env): string {
  const named = environment[process.platform === "win32" ? "USERPROFILE" : "HOME"] ?? "";
  if (isHomeLike(named)) return named;
  // A container may run as a user that no list has.
  const listed = orNothing(() => userInfo().homedir) ?? "";
  if (isHomeLike(listed)) return listed;
  const came = named === "" ? "HOME is not set" : `HOME is ${JSON.stringify(named)}`;
  throw refused(`${came}, and you have no home folder: set HOME to a folder`);
}

/** The same where there is a way to go on without one. */
export function homeOrNone(): string | undefined {
  return orNothing(homeFolder);
}

function isHomeLike(folder: string): boolean {
  return isAbsolute(folder) && dirname(folder) !== folder;
}

export function isHome(folder: string): boolean {
  const home = homeOrNone();
  return home !== undefined && realPath(folder) === realPath(home);
}

/** Where links lead; the path itself where nothing is there. */
export function realPath(path: string): string {
  return orNothing(() => realpathSync.native(path)) ?? path;
}

/** Environment variables by name; scripts read them, drivers pass them on. */
export type Environment = Readonly<Record<string, string | undefined>>;
