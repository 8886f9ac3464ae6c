import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * The AI CLI that this process runs below; undefined when there is none, as for a person at a terminal. First
 * looks for a CLI's variable in our own environment. An agent can remove it from its command (`env -u`), so
 * else the names of the processes above decide, and on Linux their environments: it cannot change those. On
 * Windows only our own environment is read.
 */
export function cliAbove(): string | undefined {
  const inside = markIn(Object.keys(process.env));
  if (inside !== undefined || process.platform === "win32") return inside;
  return firstAbove(({ words, variables }) => nameIn(words) ?? markIn(variables));
}

/** The pid of the nearest process above that is known as an AI CLI by its own name. */
export function cliPidAbove(): number | undefined {
  if (process.platform === "win32") return undefined;
  return firstAbove(({ words }, pid) => (nameIn(words) === undefined ? undefined : pid));
}

/** What `find` finds in the nearest of the processes above. */
function firstAbove<T>(find: (above: Process, pid: number) => T | undefined): T | undefined {
  const look = process.platform === "linux" ? lookInProc : lookInPs();
  let pid = process.ppid;
  for (let level = 0; level < levelsMax && pid > 1; level += 1) {
    const above = look(pid);
    if (above === undefined) return undefined;
    const found = find(above, pid);
    if (found !== undefined) return found;
    pid = above.parent;
  }
  return undefined;
}

const levelsMax = 64;

interface Process {
  readonly parent: number;
  readonly words: readonly string[];
  /** Names of the variables that it began with, where the system tells them. */
  readonly variables: readonly string[];
}

/** What each CLI puts into the environment of the commands of its model. */
const marks = new Map([
  ["CLAUDECODE", "Claude Code"],
  ["GEMINI_CLI", "Gemini CLI"],
  ["CODEX_SANDBOX", "Codex"],
  ["CODEX_THREAD_ID", "Codex"],
  ["OPENCODE", "OpenCode"],
  ["CURSOR_AGENT", "Cursor"],
]);

function markIn(variables: readonly string[]): string | undefined {
  const mark = variables.find((name) => marks.has(name));
  return mark === undefined ? undefined : marks.get(mark);
}

const programs = new Map([
  ["claude", "Claude Code"],
  ["gemini", "Gemini CLI"],
  ["codex", "Codex"],
  ["opencode", "OpenCode"],
  ["cursor-agent", "Cursor"],
  ["agy", "Antigravity"],
]);
const packages = [
  ["@anthropic-ai/claude-code", "Claude Code"],
  ["@google/gemini-cli", "Gemini CLI"],
  ["@openai/codex", "Codex"],
] as const;

/** The program, or the script that a runtime runs. */
function nameIn([program = "", ...words]: readonly string[]): string | undefined {
  const script = /(?:^|\/)(?:node|bun|deno)[^/]*$/.test(program)
    ? words.find((word) => !word.startsWith("-"))
    : undefined;
  for (const path of [program, script ?? ""]) {
    const known = programs.get(
      path.slice(path.lastIndexOf("/") + 1).replace(/\.(?:exe|[cm]?js)$/, ""),
    );
    const part = packages.find(([name]) => path.includes(`/node_modules/${name}/`));
    if (known !== undefined || part !== undefined) return known ?? part?.[1];
  }
  return undefined;
}

function lookInProc(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    const words = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
    return { parent, words, variables: variablesOf(pid) };
  } catch {
    return undefined;
  }
}

/** Another user's process, such as the one that logged the person in, tells nothing of it. */
function variablesOf(pid: number): string[] {
  return pairsOf(pid).map((pair) => pair.slice(0, pair.indexOf("=")));
}

/** A variable that a process began with; undefined where the system does not tell. */
export function variableOf(pid: number, name: string): string | undefined {
  const pair = pairsOf(pid).find((it) => it.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

function pairsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}

const psTimeoutMs = 2_000;

function lookInPs(): (pid: number) => Process | undefined {
  const table = new Map<number, Process>();
  try {
    const words = ["-Awwo", "pid=,ppid=,args="];
    const text = execFileSync("/bin/ps", words, { encoding: "utf8", timeout: psTimeoutMs });
    for (const line of text.split("\n")) {
      const [, pid, parent, args = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      const process = { parent: Number(parent), words: args.split(" "), variables: [] };
      if (pid !== undefined) table.set(Number(pid), process);
    }
  } catch {
    // Without it the environment alone tells.
  }
  return (pid) => table.get(pid);
}
