import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let root = "";

/**
 * A new folder under its real name, so that no part of it is a link. It goes with this process; a test
 * that fills it with much removes it before.
 */
export function makeScratchFolder(): string {
  if (root === "") {
    root = mkdtempSync(join(realpathSync(tmpdir()), "consulta-"));
    // Scripts of other users work in the folders that a test lets them into.
    chmodSync(root, 0o711);
    process.once("exit", () => removeFolder(root));
  }
  return mkdtempSync(join(root, "test-"));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
