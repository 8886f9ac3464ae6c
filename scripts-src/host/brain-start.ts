import { join } from "node:path";
import { brainRoot } from "../app/brain-place.ts";
import type { Workspace } from "../app/workspace.ts";
import { brainFolder } from "../brain/brain-folder.ts";
import { writeFileAtomically } from "../store/atomic-file.ts";
import { existsSync, lstatSync } from "../store/disk.ts";
import { discard } from "../store/regular-file.ts";
import { canStartBrain } from "./brain-at-hand.ts";
import { startBrain } from "./start-brain.ts";

/** A brain that did not come is not started again for so long: each try would cost its CLI time. */
const pauseMs = 600_000;

/** How a hook starts the brain; undefined where it cannot, or did so in vain a short while ago. */
export function brainStart({ root, project }: Workspace): (() => void) | undefined {
  const mark = markIn(root);
  if (!canStartBrain() || isRecent(mark)) return undefined;
  return () => {
    brainFolder(brainRoot(root));
    writeFileAtomically(mark, "", { sync: "nothing" });
    startBrain(project);
  };
}

/** A clock may have been set back since. */
function isRecent(mark: string): boolean {
  const status = lstatSync(mark, { throwIfNoEntry: false });
  return status?.isFile() === true && Math.abs(Date.now() - status.mtimeMs) < pauseMs;
}

/** It came: the next one may be started when this one is gone. */
export function noteBrainCame({ root }: Workspace): void {
  const mark = markIn(root);
  if (existsSync(mark)) discard(mark);
}

/** Made at a start, removed when the brain has answered. */
function markIn(root: string): string {
  return join(brainRoot(root), "brain", "started-in-vain");
}
