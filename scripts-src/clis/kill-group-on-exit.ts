import type { spawn as Spawn } from "node:child_process";

/** `read` returns when our end of its input closes, also when we were killed. */
const guard = 'read -r _; kill -s KILL -- "-$1"';

/**
 * Has a process group killed when this process is gone, whatever became of it: a killed brain or
 * `consult` would leave a CLI running for ever. Gives what calls it off.
 */
export function killGroupOnExit(spawn: typeof Spawn, pid: number | undefined): () => void {
  if (pid === undefined || process.platform === "win32") return () => undefined;
  const child = spawn("/bin/sh", ["-c", guard, "sh", String(pid)], {
    cwd: "/",
    env: {},
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Where there is no shell, nobody watches.
  child.on("error", () => undefined);
  return () => {
    child.kill("SIGKILL");
    child.stdin?.destroy();
  };
}
