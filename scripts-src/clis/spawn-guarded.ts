import type { ChildProcess, spawn as Spawn, SpawnOptions } from "node:child_process";

/** Its second `read` returns when our end of its input closes, also when we were killed. */
const guardLine = 'read -r group && { read -r _; kill -s KILL -- "-$group"; }';

/** A child in a process group of its own, and what sends its guard home. */
export interface GuardedChild {
  readonly child: ChildProcess;
  readonly callOff: () => void;
}

/**
 * Starts a program in a process group that is killed when this process is gone, whatever became of
 * it: a killed brain or `consult` would leave a CLI running for ever. Its guard is started first, so
 * that a kill between the two finds it at work. On Windows, and where there is no shell, nobody guards.
 * @throws what `spawn` throws: words that no program can be given.
 */
export function spawnGuarded(
  spawn: typeof Spawn,
  program: string,
  words: readonly string[],
  options: SpawnOptions,
): GuardedChild {
  const hasGroups = process.platform !== "win32";
  const guard = hasGroups ? startGuard(spawn) : undefined;
  const callOff = () => {
    guard?.kill("SIGKILL");
    guard?.stdin?.destroy();
  };
  try {
    const child = spawn(program, [...words], {
      ...options,
      detached: hasGroups,
      windowsHide: true,
    });
    if (child.pid !== undefined) guard?.stdin?.write(`${child.pid}\n`);
    return { child, callOff };
  } catch (error) {
    callOff();
    throw error;
  }
}

/** Signals a child's whole group. Windows has none: there the child itself is all that can be reached. */
export function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}

function startGuard(spawn: typeof Spawn): ChildProcess {
  const guard = spawn("/bin/sh", ["-c", guardLine], {
    cwd: "/",
    env: {},
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => undefined);
  guard.stdin?.on("error", () => undefined);
  return guard;
}
