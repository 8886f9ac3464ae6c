import { spawnSync } from "node:child_process";
import { basename, dirname, resolve } from "node:path";
import { type Ended, runInThread, runsInThread } from "./script-host.ts";

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A line of nothing but one script and its words, perhaps in another folder. */
const single = /^(?:cd [^|&;<>\n]+ && )?node \S+\.cjs(?: [^|&;<>\n]*)?$/;
/** In place of the program that a shell would start: it says where, and what words the shell made of the line. */
const words = `node() { printf '%s\\0' "$PWD" "$@"; }\n`;

/**
 * Runs a command line as a shell understands it. A single script, whose process is nobody's concern, runs in the
 * thread of this process; all else is typed into a shell.
 */
export function runTyped(line: string, { cwd, env }: Place): Ended {
  const asked = single.test(line) ? spawned(`${words}${line}`, { cwd, env }) : undefined;
  const [folder = "", file = "", ...args] = asked?.stdout.split("\0").slice(0, -1) ?? [];
  const script = basename(file, ".cjs");
  if (asked?.code !== 0 || !runsInThread(script, args)) return spawned(line, { cwd, env });
  const scripts = resolve(folder, dirname(file));
  return runInThread(
    { script, args, input: "", environment: env, scripts, parent: process.pid },
    folder,
  );
}

function spawned(line: string, place: Place): Ended {
  const options = { ...place, encoding: "utf8", timeout: 120_000 } as const;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", line], options);
  return { code: status, stdout, stderr };
}
