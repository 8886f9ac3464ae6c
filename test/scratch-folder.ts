import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder under its real name, so that no part of it is a link. */
export function makeScratchFolder(): string {
  return mkdtempSync(join(realpathSync(tmpdir()), "consulta-"));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
