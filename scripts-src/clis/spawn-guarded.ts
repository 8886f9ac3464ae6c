import type { ChildProcess, spawn as Spawn, SpawnOptions } from "node:child_process";
import { Writable } from "node:stream";
import { findProgram } from "./find-program.ts";

/** Its second `read` returns when our end of its input closes, also when we were killed. */
const guardLine = 'read -r group && { read -r _; kill -s KILL -- "-$group"; }';

/**
 * Becomes the program once its group is known to the guard. A program that was started before could be
 * left running by a kill in between; without the line it never starts.
 */
const starterLine = 'read -r _ <&3 && exec 3<&- && exec "$@"';

/** The words that begin each start: of a shell that waits, under the name `sh`. */
const starter = ["-c", starterLine, "sh"];

/** A child in a process group of its own, and what sends its guard home. */
export interface GuardedChild {
  readonly child: ChildProcess;
  readonly callOff: () => void;
}

/** What `spawn` takes, with the standard streams one by one. */
export interface GuardedOptions extends Pick<SpawnOptions, "cwd" | "env"> {
  readonly env: NodeJS.ProcessEnv;
  readonly shell: boolean;
  readonly stdio: readonly ("pipe" | "ignore")[];
}

/**
 * Starts a program in a process group that is killed when this process is gone, at whatever moment: a
 * killed brain or `consult` would leave a CLI running for ever. On Windows the program has no guard.
 * @throws what `spawn` throws: words that no program can be given.
 */
export function spawnGuarded(
  spawn: typeof Spawn,
  program: string,
  words: readonly string[],
  options: GuardedOptions,
): GuardedChild {
  if (process.platform === "win32") {
    const { stdio, ...others } = options;
    const child = spawn(program, [...words], { ...others, stdio: [...stdio], windowsHide: true });
    return { child, callOff: () => undefined };
  }
  const guard = startGuard(spawn);
  const callOff = () => {
    guard.kill("SIGKILL");
    guard.stdin?.destroy();
  };
  try {
    const child = startWaiting(spawn, program, words, options);
    if (child.pid !== undefined) guard.stdin?.write(`${child.pid}\n`);
    const start = child.stdio[3];
    if (start instanceof Writable) {
      start.on("error", () => undefined);
      start.write("\n", () => start.destroy());
    }
    return { child, callOff };
  } catch (error) {
    callOff();
    throw error;
  }
}

/** Starts a shell that becomes the program when it is given a line. */
function startWaiting(
  spawn: typeof Spawn,
  program: string,
  words: readonly string[],
  { shell, stdio, ...others }: GuardedOptions,
): ChildProcess {
  const [command, ...itsWords] = shell
    ? ["/bin/sh", "-c", [program, ...words].join(" ")]
    : [program, ...words];
  const detached = { ...others, detached: true };
  // What is missing fails here, with the error that says so.
  if (findProgram(command, others.env) === undefined)
    return spawn(command, itsWords, { ...detached, stdio: [...stdio] });
  return spawn("/bin/sh", [...starter, command, ...itsWords], {
    ...detached,
    stdio: [...stdio, "pipe"],
  });
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
