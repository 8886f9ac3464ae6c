import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { millisecondsOf } from "../base/time.ts";
import { changedFiles, isSince } from "../evidence/search-project.ts";
import { namesIn, readFileIfPresent } from "../files/atomic-file.ts";
import { diskFailure, isErrno, lstatSync, readSync } from "../files/disk.ts";
import { syncFile, syncFolder, withRegularFile } from "../files/safe-open.ts";
import { resolveProjectFile } from "../files/safe-path.ts";
import type { FileFact, Files, FileWanted } from "../protocol/protocol.ts";

/**
 * Looks at the files that a protocol wants to know about, as they are now. What is no regular file,
 * no text, too large or not to be read by us says so in its fact; what is not there has none.
 * @throws ConsultaError REFUSED when a path leads out of the folder that it starts from, UNAVAILABLE when
 * the disk fails: nothing is to be decided on that.
 */
export async function readFiles(folder: string, wanted: readonly FileWanted[]): Promise<Files> {
  const files = new Map<string, FileFact>();
  for (const { path, as, foldersUp = 0, since } of wanted.flatMap((it) => singly(folder, it))) {
    // What a draft names may be among what changed.
    if (as === "sha256" && files.get(path)?.sha256 !== undefined) continue;
    const file = placeOfFile(rootOf(folder, foldersUp), path);
    if (typeof file !== "string") {
      files.set(path, file);
      continue;
    }
    const found = lstatSync(file);
    if (found === undefined) continue;
    const bytes = found.size;
    const known = files.get(path) ?? { bytes };
    if (as === "names" && found.isDirectory())
      files.set(path, { ...known, names: namesIn(file).sort() });
    else if (!found.isFile()) files.set(path, { ...known, fault: "is not a regular file" });
    else if (as === "file") files.set(path, known);
    else if (as === "sha256" && !isSince(found, since)) files.set(path, known);
    else if (as === "sha256") files.set(path, { ...known, ...(await hashOf(file)) });
    else files.set(path, { ...known, ...textOf(file) });
  }
  return files;
}

function rootOf(folder: string, foldersUp: number): string {
  return resolve(folder, ...Array(foldersUp).fill(".."));
}

/** Of a folder in which something changed, the files. */
function singly(folder: string, wanted: FileWanted): FileWanted[] {
  if (wanted.as !== "changed") return [wanted];
  const { path: below, foldersUp = 0, since = "" } = wanted;
  return changedFiles(rootOf(folder, foldersUp), below, since).map(
    (path): FileWanted => ({ path, foldersUp, since, as: "sha256" }),
  );
}

/**
 * Makes files last that were written since a time, with their names; agents sync nothing. A clock that
 * counts in whole seconds is given two.
 */
export function syncFiles(folder: string, wanted: readonly FileWanted[], since: string): void {
  const named = wanted.filter(({ as }) => as !== "changed");
  const places = named.map(({ path, foldersUp = 0 }) =>
    placeOfFile(rootOf(folder, foldersUp), path),
  );
  for (const file of new Set(places)) {
    const found = typeof file === "string" ? lstatSync(file) : undefined;
    if (typeof file !== "string" || found === undefined) continue;
    // Nothing is known of the time before the first event.
    if (since !== "" && found.ctimeMs < millisecondsOf(since) - 2_000) continue;
    if (found.isDirectory()) syncFolder(file);
    else if (found.isFile()) syncFile(file);
    if (found.isFile()) syncFolder(dirname(file));
  }
}

/** Where a file is; the fact of a link on the way to it, which nobody follows. */
function placeOfFile(root: string, path: string): string | FileFact {
  try {
    return resolveProjectFile(root, path);
  } catch (cause) {
    if (cause instanceof ConsultaError && cause.reason === "link") {
      return { bytes: 0, fault: `cannot be looked at: ${cause.message}` };
    }
    throw cause;
  }
}

function textOf(file: string): { text?: string; fault?: string } {
  try {
    const text = readFileIfPresent(file, limits.messageBytes);
    return text === undefined ? {} : { text };
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || isPassing(cause)) throw cause;
    return { fault: cause.fault ?? cause.message };
  }
}

/** A large file is not read whole. */
const pieceBytes = 1_048_576;

async function hashOf(file: string): Promise<{ sha256?: string; fault?: string }> {
  try {
    return withRegularFile(file, constants.O_RDONLY, (open) => {
      const hash = createHash("sha256");
      const piece = Buffer.allocUnsafe(pieceBytes);
      for (;;) {
        const length = readSync(open, piece, 0, piece.length, null);
        if (length === 0) return { sha256: hash.digest("hex") };
        hash.update(piece.subarray(0, length));
      }
    });
  } catch (cause) {
    const failure = diskFailure(cause, `read ${file}`);
    if (failure instanceof ConsultaError && isPassing(failure)) throw failure;
    if (failure instanceof ConsultaError || isErrno(cause, "ENOENT"))
      return { fault: "cannot be read: check who owns it" };
    throw cause;
  }
}

/** The disk failed: another time the file can be read, as it is. */
function isPassing(failure: ConsultaError): boolean {
  return failure.code === "UNAVAILABLE" && !isErrno(failure, "EACCES", "EPERM");
}
