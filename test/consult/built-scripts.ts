import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { compileScripts, install } from "../../build.ts";
import { makeScratchFolder } from "../scratch-folder.ts";

/** Builds the scripts that a run needs into a folder of this test, away from dist/. */
export async function buildScripts(): Promise<string> {
  const folder = join(makeScratchFolder(), "scripts");
  mkdirSync(folder);
  install(await compileScripts(), folder);
  return folder;
}
