import { spawnSync } from "node:child_process";
import { accessSync, chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
const enoughBytes = 4 * 1_024 ** 3;

/**
 * A new folder for all that a test run writes, which its caller removes: in memory where the machine
 * has enough of it, because the scripts wait for the disk at each of their writes. What a power cut
 * leaves on a disk has tests of its own, on disks of their own.
 */
export function makeRunFolder(): string {
  const folder = mkdtempSync(join(isUsable() ? memory : tmpdir(), "consulta-run-"));
  chmodSync(folder, 0o711);
  return folder;
}

/** Whether there is room, and programs may lie there. */
function isUsable(): boolean {
  try {
    accessSync(memory);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= enoughBytes && runsPrograms();
  } catch {
    // Another system, or not ours to write to.
    return false;
  }
}

function runsPrograms(): boolean {
  const folder = mkdtempSync(join(memory, "consulta-"));
  try {
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    return spawnSync(program).status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
