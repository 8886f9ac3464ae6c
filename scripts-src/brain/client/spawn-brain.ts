import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { existsSync, lstatSync, realpathSync } from "../../files/disk.ts";
import { discard } from "../../files/regular-file.ts";
import { brainRoot } from "../../session/workspace/brain-switch.ts";
import type { Workspace } from "../../session/workspace/workspace.ts";
import { brainFolder, brainPath } from "../brain-folder.ts";
import { canRunBrain } from "../rules/node-version.ts";

/** Starts the brain of a project as a process of its own, which outlives this one. */
export function spawnBrain(project: string): void {
  const [running = ""] = process.argv.slice(1);
  const script = join(dirname(realpathSync(running)), "brain.cjs");
  const words = ["--disable-warning=ExperimentalWarning", script, "serve", "--workspace", project];
  const child = spawn(process.execPath, words, { detached: true, stdio: "ignore", cwd: "/" });
  // A failure shows by its absence to those who wait for it.
  child.on("error", () => undefined);
  child.unref();
}

/** After a start that failed, hooks wait this long before the next: each try costs their CLI time. */
const pauseMs = 600_000;

/** How a hook starts the brain; undefined where it cannot, or a start failed a short while ago. */
export function brainSpawner({ root, project }: Workspace): (() => void) | undefined {
  const mark = startMark(root);
  if (!canRunBrain(process.versions.node) || isRecent(mark)) return undefined;
  return () => {
    brainFolder(brainRoot(root));
    writeFileAtomically(mark, "", { sync: "nothing" });
    spawnBrain(project);
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

/** A file that is made at a start and removed when the brain has answered. */
function startMark(root: string): string {
  return join(brainPath(brainRoot(root)), "started-in-vain");
}
