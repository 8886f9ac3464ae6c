import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { realpathSync } from "../../files/disk.ts";

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
