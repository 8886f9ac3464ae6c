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

/**
 * A process that is about to end may still write there: Node's own retries look only at the folder, not
 * at what is new in it.
 */
export function removeFolder(folder: string): void {
  for (let tries = 1; ; tries += 1) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries === 50) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}
