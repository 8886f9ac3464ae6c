import { cliFacts, hookedClis } from "./hook-entries.ts";
import { processesAbove, variablesOf } from "./is-running.ts";

/**
 * The AI CLI that this process runs below; undefined when there is none, as for a person at a terminal. First
 * looks for a CLI's variable in our own environment. An agent can remove it from its command (`env -u`), so
 * else the names of the processes above decide, and on Linux their environments: it cannot change those. On
 * Windows only our own environment is read.
 */
export function cliAbove(): string | undefined {
  const inside = markIn(Object.keys(process.env));
  if (inside !== undefined) return inside;
  for (const { words, pid } of processesAbove()) {
    const name = nameIn(words()) ?? markIn(variablesOf(pid));
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The pid of the nearest process above that is known as an AI CLI by its own name. */
export function cliPidAbove(): number | undefined {
  return [...processesAbove()].find(({ words }) => nameIn(words()) !== undefined)?.pid;
}

/** What each CLI puts into the environment of the commands of its model. */
const marks = new Map([
  ...hookedClis.map((cli) => [cliFacts[cli].mark, cliFacts[cli].title] as const),
  ["CODEX_SANDBOX", "Codex"],
  ["CURSOR_AGENT", "Cursor"],
]);

function markIn(variables: readonly string[]): string | undefined {
  return marks.get(variables.find((name) => marks.has(name)) ?? "");
}

const programs = new Map([
  ...hookedClis.map((cli) => [cli, cliFacts[cli].title] as const),
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
  const isRuntime = /(?:^|\/)(?:node|bun|deno)[^/]*$/.test(program);
  const script = isRuntime ? words.find((word) => !word.startsWith("-")) : undefined;
  for (const path of [program, script ?? ""]) {
    const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.(?:exe|[cm]?js)$/, "");
    const part = packages.find(([it]) => path.includes(`/node_modules/${it}/`));
    const known = programs.get(name) ?? part?.[1];
    if (known !== undefined) return known;
  }
  return undefined;
}
