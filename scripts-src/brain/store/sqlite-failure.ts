import { ConsultaError } from "../../base/errors.ts";

/** A file that SQLite can open but that is not, or no longer, the database of a brain. */
export class DamagedDatabase extends Error {}

/** A database that no brain of this user made: a repository may have brought it. */
export class ForeignDatabase extends DamagedDatabase {}

/** No database where there was one: its file is gone, or has no byte. */
export class MissingDatabase extends DamagedDatabase {}

/** The results of SQLite that a person can do something about. */
const advice = new Map([
  [3, "permission is denied; check who owns the file and its folder"],
  [5, "another process holds it; end that process or try again later"],
  [6, "another process holds it; end that process or try again later"],
  [7, "the machine is out of memory; close some programs and run this again"],
  [8, "it is read-only; make the file and its folder writable"],
  [10, "the disk fails; check it and its free space, then run this again"],
  [13, "the disk is full; free some space and run this again"],
  [15, "another process holds it; end that process or try again later"],
  [14, "it cannot be opened; check the folder, its owner and the free space"],
]);

const corrupt = 11;
const noDatabase = 26;

/** Whether a database has to be repaired before anything else can be done with it. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedDatabase) return true;
  const result = resultOf(error);
  return result !== undefined && [corrupt, noDatabase].includes(result & 0xff);
}

/**
 * A fault that SQLite found in a page, as an error: damage, or a disk that did not give the page,
 * which SQLite tells by a code within its text.
 */
export function pageFault(fault: string, path: string): Error {
  const code = Number(/error code[ =]+(\d+)/.exec(fault)?.[1] ?? corrupt);
  const reason = [corrupt, noDatabase].includes(code & 0xff) ? undefined : advice.get(code & 0xff);
  if (reason === undefined) return new DamagedDatabase(fault);
  return new ConsultaError("UNAVAILABLE", `cannot use ${path}: ${reason} (SQLite result ${code})`);
}

/** Turns what SQLite refuses into UNAVAILABLE, one line with a way out; else returns it as it is. */
export function sqliteFailure(error: unknown, path: string): unknown {
  const result = resultOf(error);
  const reason = isDamage(error) ? "it is damaged; move it away" : advice.get((result ?? 0) & 0xff);
  if (reason === undefined) return error;
  const code = result === undefined ? "" : ` (SQLite result ${result})`;
  return new ConsultaError("UNAVAILABLE", `cannot use ${path}: ${reason}${code}`, { cause: error });
}

/** The result code of a failed call of SQLite; undefined for every other error. */
export function resultOf(error: unknown): number | undefined {
  if (!(error instanceof Error && "errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}
