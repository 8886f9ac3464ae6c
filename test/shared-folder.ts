import { makeScratchFolder } from "./scratch-folder.ts";

/** Set by test/run-all.ts: the folder of a run, which goes with it. */
export const runFolderVariable = "CONSULTA_TEST_RUN";

let own = "";

/** A folder for what all processes of a run make once and may share; alone, a process has its own. */
export function sharedFolder(): string {
  const shared = process.env[runFolderVariable];
  if (shared !== undefined) return shared;
  if (own === "") own = makeScratchFolder();
  return own;
}
