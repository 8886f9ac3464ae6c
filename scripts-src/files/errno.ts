import { ConsultaError } from "../base/errors.ts";
import { errnoName } from "./errno-names.ts";

/** What a person can do about each failure of a disk. */
const advice = new Map([
  ["ENOSPC", "the disk is full; free some space and run this again"],
  ["EDQUOT", "the disk quota is used up; free some space and run this again"],
  ["EFBIG", "the file may not grow further; raise the file size limit and run this again"],
  ["EIO", "the disk reports an error; check the disk, then run this again"],
  ["EROFS", "the file system is read-only; make it writable or use another folder"],
  ["EACCES", "permission is denied; check who owns the file and its folder"],
  ["EPERM", "it is not permitted; check who owns the file and its folder"],
  ["EBUSY", "another program holds it; close that program or run this again"],
  ["EMFILE", "too many files are open; close some programs and run this again"],
  ["ENFILE", "too many files are open; close some programs and run this again"],
  ["ENOMEM", "the machine is out of memory; close some programs and run this again"],
  ["ENOTDIR", "a file is where a folder has to be; move it away and run this again"],
  ["ENAMETOOLONG", "the name is too long; choose a shorter one"],
  ["ESTALE", "the network share was lost; mount it again and run this again"],
  ["ENOTCONN", "the network share was lost; mount it again and run this again"],
  ["EHOSTDOWN", "the network share was lost; mount it again and run this again"],
  ["EINTR", "it was interrupted; run this again"],
]);

/** The code of a failed system call, also where a sentence tells of it; undefined for other errors. */
export function errnoOf(error: unknown): string | undefined {
  if (error instanceof ConsultaError) return errnoOf(error.cause);
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return undefined;
  if (typeof error.code !== "string") return undefined;
  const isNamed = !error.code.startsWith("Unknown system error");
  return isNamed || !("errno" in error) ? error.code : nameOf(error.errno);
}

/** Node has no names for some codes, such as those of a quota and of a lost share. */
function nameOf(errno: unknown): string {
  return errnoName(-Number(errno)) ?? `error ${errno}`;
}

/** What a look finds; undefined where the disk or what is on it forbids the look. A bug is thrown on. */
export function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (cause) {
    return unlessBug(cause);
  }
}

/** As `orNothing`, for a look that is a promise. */
export async function orNothingAsync<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (cause) {
    return unlessBug(cause);
  }
}

function unlessBug(cause: unknown): undefined {
  if (!(cause instanceof ConsultaError) && errnoOf(cause) === undefined) throw cause;
}

export function isErrno(error: unknown, ...codes: string[]): boolean {
  const code = errnoOf(error);
  return code !== undefined && codes.includes(code);
}

/** Trying again later does not help: another path has to be given. */
const notLater = ["ENAMETOOLONG"];

/**
 * Turns what the disk refused into UNAVAILABLE, or REFUSED for a path that cannot be, one line with a
 * way out; any other error comes back as it is. `task` completes "cannot ...", such as "write /a/b".
 */
export function diskFailure(error: unknown, task: string): unknown {
  if (error instanceof ConsultaError) return error;
  const code = errnoOf(error);
  const help = code === undefined ? undefined : advice.get(code);
  if (help === undefined) return error;
  const kind = isErrno(error, ...notLater) ? "REFUSED" : "UNAVAILABLE";
  return new ConsultaError(kind, `cannot ${task}: ${help} (${code})`, { cause: error });
}

/** Turns a refused link() into UNAVAILABLE: file systems without hard links cannot hold a log. */
export function linkFailure(error: unknown, task: string): unknown {
  if (!isErrno(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EMLINK")) {
    return diskFailure(error, task);
  }
  const help = "this file system has no hard links; put the workspace on a local disk";
  return new ConsultaError("UNAVAILABLE", `cannot ${task}: ${help} (${errnoOf(error)})`, {
    cause: error,
  });
}
