import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";

/** The CLIs that run hooks of ours. */
export const hookedClis = ["claude", "gemini"] as const;
export type HookedCli = (typeof hookedClis)[number];

/** What a hook's command runs before any Node, beside the scripts. */
export const bellScript = "bell.sh";

interface HookEntry {
  readonly event: string;
  /** In the CLI's own unit: Claude Code counts seconds, Gemini CLI milliseconds. */
  readonly timeout: number;
  /** Runs beside the conversation; ending with 2 wakes the model, and the prompt stays free. */
  readonly asyncRewake?: true;
  /** Runs beside the conversation, which never waits for it; what it says comes with the next request. */
  readonly async?: true;
  /** Of which causes of the event it wants to hear; of all unless said. */
  readonly matcher?: string;
}

/** Which events call `hook`, for how long: the one source of settings, plugin and extension. */
export const hookEntries: Readonly<Record<HookedCli, readonly HookEntry[]>> = {
  claude: [
    { event: "SessionStart", timeout: 10 },
    { event: "UserPromptSubmit", timeout: 10 },
    { event: "PostToolUse", timeout: 10, async: true },
    { event: "Stop", timeout: 1_860, asyncRewake: true },
    { event: "PostCompact", timeout: 10 },
    { event: "SessionEnd", timeout: 5 },
  ],
  gemini: [
    { event: "SessionStart", timeout: 10_000 },
    { event: "BeforeAgent", timeout: 10_000 },
    { event: "AfterTool", timeout: 10_000 },
    { event: "AfterAgent", timeout: 1_860_000 },
    // Of itself the CLI looks before each request whether to compress, and says so each time.
    { event: "PreCompress", timeout: 10_000, matcher: "manual" },
    { event: "SessionEnd", timeout: 5_000 },
  ],
};

/** What a path below the project begins with in a hook: Gemini CLI runs hooks there, and quotes its variable itself. */
export const projectPrefix: Readonly<Record<HookedCli, string>> = {
  claude: "$CLAUDE_PROJECT_DIR/",
  gemini: "",
};

/**
 * What the command of a hook is around the folder of the scripts. It runs `bell.sh` in the CLI's shell, and Node only
 * where that finds something to do. It ends with 0 and in silence where scripts or Node are missing: a CLI reports
 * anything else at each event, and Gemini CLI takes most exit codes for a veto.
 */
const around: Readonly<Record<HookedCli, readonly [before: string, after: string]>> = {
  // Not just `node`: 2 is what wakes the model, and a shell that stays would outlive its hook's end.
  claude: [
    'scripts="',
    '"; cli=claude; [ -r "$scripts/bell.sh" ] && . "$scripts/bell.sh" && exec node "$scripts/run.cjs" hook claude; exit 0',
  ],
  // On Windows it runs in PowerShell, which has no such variable and passes over it.
  gemini: ['$consulta; node "', '/run.cjs" hook gemini'],
};

/** What commands were before there was a bell: `install` replaces them. */
const before: Readonly<Record<HookedCli, readonly [before: string, after: string]>> = {
  claude: [
    'hook="',
    '/hook.cjs"; [ -f "$hook" ] && command -v node >/dev/null && exec node "$hook" claude; exit 0',
  ],
  gemini: ['$consulta; node "', '/hook.cjs" gemini'],
};

/** What stands in the environment of a hook, where bash alone finds it: `node` is this function there. */
function hookEnvironment(event: string): string {
  const run = '. "$scripts/bell.sh" && command node "$@"';
  const node = `scripts=\${1%/run.cjs}; [ -r "$scripts/bell.sh" ] && ${run};`;
  return `eval exec 2>/dev/null; trap "exit 0" EXIT; cli=gemini; event=${event}; node() { ${node} }`;
}

/** The command that a CLI runs at an event; `folder` holds the scripts and may begin with a variable. */
function hookCommand(folder: string, cli: HookedCli, event: string): string {
  const command = around[cli].join(folder);
  return cli === "claude" ? `event=${event}; ${command}` : command;
}

/** An event that no CLI has: to it a hook that works prints the answer. */
export const hookTrial = { event: "ConsultaTrial", answer: "works\n" };

type HookField = string | number | true | Readonly<Record<string, string>>;

/** What settings hold for one event: hooks that run together. */
export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly Readonly<Record<string, HookField>>[];
}

/**
 * The value of "hooks" in a CLI's settings, or in a file of hooks: a list for each event. `folder` holds the scripts
 * and may begin with a variable.
 */
export function hooksOf(cli: HookedCli, folder: string): Record<string, HookGroup[]> {
  return Object.fromEntries(
    hookEntries[cli].map(({ event, matcher, ...rest }) => {
      const command = hookCommand(folder, cli, event);
      const own =
        cli === "gemini" ? { name: "consulta", env: { consulta: hookEnvironment(event) } } : {};
      return [
        event,
        [{ ...defined({ matcher }), hooks: [{ type: "command", command, ...own, ...rest }] }],
      ];
    }),
  );
}

/** The hooks of the plugin, whose folder is that of the skills, and of the extension. */
export function packagedHooks() {
  const scripts = "consulta/scripts";
  return {
    plugin: hooksOf("claude", `\${CLAUDE_PLUGIN_ROOT}/${scripts}`),
    extension: hooksOf("gemini", `\${extensionPath}/skills/${scripts}`),
  };
}

/** Whether a hook of some settings is one that `install` put there. */
export function isOwnHook(hook: unknown): boolean {
  return scriptsOfHook(hook) !== undefined;
}

/** The folder of the scripts that a hook of ours runs, as its command names it; undefined for other hooks. */
export function scriptsOfHook(hook: unknown): string | undefined {
  const command = isRecord(hook) ? hook["command"] : undefined;
  if (typeof command !== "string") return undefined;
  const plain = command.replace(/^event=[A-Za-z]+; /, "");
  return hookedClis
    .flatMap((cli) => [around[cli], before[cli]])
    .map((words) => folderBetween(words, plain))
    .find(Boolean);
}

/** Whether a hook of ours is just what `install` puts there for this event now. */
export function isHookOfToday(cli: HookedCli, event: string, hook: unknown): boolean {
  const [group] = hooksOf(cli, scriptsOfHook(hook) ?? "")[event] ?? [];
  return isDeepStrictEqual(group?.hooks[0], hook);
}

function folderBetween([before, after]: readonly [string, string], command: string) {
  const folder = command.slice(before.length, -after.length);
  const isWhole = command === `${before}${folder}${after}`;
  return isWhole && plainFolder.test(folder) ? folder : undefined;
}

/** Nothing in it that a shell acts on within quotes. */
const plainFolder = /^(?:\$CLAUDE_PROJECT_DIR\/)?[^"$`\\\n]+$/;
