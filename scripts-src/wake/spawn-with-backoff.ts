import { join } from "node:path";
import { brainFolder } from "../brain/brain-folder.ts";
import { spawnBrain } from "../brain/client/spawn-brain.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { existsSync, lstatSync } from "../files/disk.ts";
import { discard } from "../files/regular-file.ts";
import { brainRoot } from "../session/workspace/brain-switch.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import { canStartBrain } from "./probe-brain.ts";

/** A brain that did not come is not started again for so long: each try would cost its CLI time. */
const pauseMs = 600_000;

/** How a hook starts the brain; undefined where it cannot, or did so in vain a short while ago. */
export function brainSpawner({ root, project }: Workspace): (() => void) | undefined {
  const mark = markIn(root);
  if (!canStartBrain() || isRecent(mark)) return undefined;
  return () => {
    brainFolder(brainRoot(root));
    writeFileAtomically(mark, "", { sync: "nothing" });
    spawnBrain(project);
  };
}

/** A clock may have been set back since. */
function isRecent(mark: string): boolean {
  const status = lstatSync(mark, { throwIfNoEntry: false });
  return status?.isFile() === true && Math.abs(Date.now() - status.mtimeMs) < pauseMs;
}

/** It came: the next one may be started when this one is gone. */
export function recordBrainStarted({ root }: Workspace): void {
  const mark = markIn(root);
  if (existsSync(mark)) discard(mark);
}

/** Made at a start, removed when the brain has answered. */
function markIn(root: string): string {
  return join(brainRoot(root), "brain", "started-in-vain");
}
