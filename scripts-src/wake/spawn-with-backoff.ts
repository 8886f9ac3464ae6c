import { dirname, join } from "node:path";
import { brainPath, canRunBrain, ensureBrainFolder, spawnBrain } from "../brain/endpoint.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { existsSync, lstatSync } from "../files/disk.ts";
import { discard } from "../files/regular-file.ts";
import type { Workspace } from "../session/workspace/workspace.ts";

/** After a start that failed, hooks wait this long before the next: each try costs their CLI time. */
const pauseMs = 600_000;

/** How a hook starts the brain; undefined where it cannot, or a start failed a short while ago. */
export function brainSpawner({ root }: Workspace): (() => void) | undefined {
  const mark = startMark(root);
  if (!canRunBrain(process.versions.node) || isRecent(mark)) return undefined;
  return () => {
    ensureBrainFolder(root);
    writeFileAtomically(mark, "", { sync: "nothing" });
    spawnBrain(dirname(root));
  };
}

/** Either way: the clock may have been set back. */
function isRecent(mark: string): boolean {
  const status = lstatSync(mark, { throwIfNoEntry: false });
  return status?.isFile() === true && Math.abs(Date.now() - status.mtimeMs) < pauseMs;
}

/** The brain has answered: when it is gone, the next one may be started at once. */
export function recordBrainStarted({ root }: Workspace): void {
  const mark = startMark(root);
  if (existsSync(mark)) discard(mark);
}

/**
 * A file that is made before every start and removed when the brain has answered: where it stays, the
 * start was in vain.
 */
function startMark(root: string): string {
  return join(brainPath(root), "started-in-vain");
}
