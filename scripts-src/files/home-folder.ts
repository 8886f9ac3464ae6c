import { userInfo } from "node:os";
import { dirname, isAbsolute } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { realpathSync } from "./disk.ts";
import type { Environment } from "./environment.ts";

/**
 * The user's home, for all that is in `~/.consulta`. A HOME that is empty, relative or the root of
 * the disk names none: then it is the one of the system's list of users.
 * @throws ConsultaError REFUSED when there is none there either.
 */
export function homeFolder(environment: Environment = process.env): string {
  const named = environment[process.platform === "win32" ? "USERPROFILE" : "HOME"] ?? "";
  if (isHomeLike(named)) return named;
  const listed = listedHome();
  if (isHomeLike(listed)) return listed;
  const came = named === "" ? "HOME is not set" : `HOME is ${JSON.stringify(named)}`;
  throw new ConsultaError("REFUSED", `${came}, and you have no home folder: set HOME to a folder`);
}

/** The same where there is a way to go on without one. */
export function homeOrNone(): string | undefined {
  try {
    return homeFolder();
  } catch (cause) {
    if (cause instanceof ConsultaError) return undefined;
    throw cause;
  }
}

function isHomeLike(folder: string): boolean {
  return isAbsolute(folder) && dirname(folder) !== folder;
}

/** "" where there is none: a container may run as a user that no list has. */
function listedHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return "";
  }
}

export function isHome(folder: string): boolean {
  return realPath(folder) === realPath(homeOrNone());
}

function realPath(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync.native(path);
  } catch {
    return path;
  }
}
