import { join } from "node:path";
import { createFileExclusively } from "../../files/atomic-file.ts";
import { existsSync } from "../../files/disk.ts";

/** In a session's folder: a rehearsal took part, so what was said there is nobody's opinion. */
export const rehearsalMark = ".rehearsal";

/**
 * Marks a session before a rehearsal acts in it. It stays marked, whoever else takes part.
 * @throws ConsultaError UNAVAILABLE when the disk refuses.
 */
export function markRehearsed(folder: string): void {
  createFileExclusively(join(folder, rehearsalMark), "");
}

/** Whether a rehearsal took part in the session: nothing is learned from it or offered of it. */
export function isRehearsed(folder: string): boolean {
  return existsSync(join(folder, rehearsalMark));
}
