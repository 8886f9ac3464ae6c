import { constants } from "node:os";
import { ConsultaError } from "../base/errors.ts";

const again = "and run this again";
const owner = "check who owns the file and its folder";
const full = `the disk is full or its quota used up; free some space ${again}`;
const exhausted = `the machine has no room for it; close some programs ${again}`;
const lost = `the network share was lost; mount it again ${again}`;

/** What a person can do about each failure of a disk. */
const advice: Readonly<Record<string, string>> = {
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: `the file may not grow further; raise the file size limit ${again}`,
  EIO: "the disk reports an error; check the disk, then run this again",
  EROFS: "the file system is read-only; make it writable or use another folder",
  EACCES: `permission is denied; ${owner}`,
  EPERM: `it is not permitted; ${owner}`,
  EBUSY: "another program holds it; close that program or run this again",
  EMFILE: exhausted,
  ENFILE: exhausted,
  ENOMEM: exhausted,
  ENOTDIR: `a file is where a folder has to be; move it away ${again}`,
  ENAMETOOLONG: "the name is too long; choose a shorter one",
  ESTALE: lost,
  ENOTCONN: lost,
  EHOSTDOWN: lost,
  EINTR: "it was interrupted; run this again",
};

/** The code of a failed system call, also where a sentence tells of it; undefined for other errors. */
export function errnoOf(error: unknown): string | undefined {
  if (error instanceof ConsultaError) return errnoOf(error.cause);
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return undefined;
  if (typeof error.code !== "string") return undefined;
  const isNamed = !error.code.startsWith("Unknown system error");
  return isNamed || !("errno" in error) ? error.code : nameOf(Number(error.errno));
}

/** Node has no names for some codes, such as those of a quota and of a lost share. */
function nameOf(errno: number): string {
  const named = Object.entries(constants.errno).find(([, number]) => number === -errno);
  return named?.[0] ?? `error ${errno}`;
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

/**
 * Turns what the disk refused into UNAVAILABLE, or REFUSED for a path that cannot be, one line with a
 * way out; any other error comes back as it is. `task` completes "cannot ...", such as "write /a/b".
 */
export function diskFailure(error: unknown, task: string): unknown {
  if (error instanceof ConsultaError) return error;
  const code = errnoOf(error) ?? "";
  const help = advice[code];
  if (help === undefined) return error;
  const kind = code === "ENAMETOOLONG" ? "REFUSED" : "UNAVAILABLE";
  return new ConsultaError(kind, `cannot ${task}: ${help} (${code})`, { cause: error });
}

/** Turns a refused link() into UNAVAILABLE: file systems without hard links cannot hold a log. */
export function linkFailure(error: unknown, task: string): unknown {
  const isUnsupported = isErrno(
    error,
    ...["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EMLINK"],
  );
  if (!isUnsupported) return diskFailure(error, task);
  const help = "this file system has no hard links; put the workspace on a local disk";
  return new ConsultaError("UNAVAILABLE", `cannot ${task}: ${help} (${errnoOf(error)})`, {
    cause: error,
  });
}
