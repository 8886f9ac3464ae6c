import { cpSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeScratchFolder } from "../scratch-folder.ts";

/** Copies the scripts that a run needs into a folder of this test, away from the repository. */
export function copyScripts(): string {
  const folder = join(makeScratchFolder(), "scripts");
  cpSync(resolve(import.meta.dirname, "../../dist"), folder, { recursive: true });
  return folder;
}
