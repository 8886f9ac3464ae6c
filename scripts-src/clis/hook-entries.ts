import { isRecord } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";

/** The CLIs that run hooks of ours. */
export const hookedClis = ["claude", "gemini"] as const;
export type HookedCli = (typeof hookedClis)[number];

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
 * The command that a CLI runs, around the script's path. It ends with 0 and in silence where the script or
 * Node is missing: a CLI reports anything else at each event, and Gemini CLI takes most exit codes for a veto.
 */
const around: Readonly<Record<HookedCli, readonly [before: string, after: string]>> = {
  // Not just `node`: 2 is what wakes the model, and a shell that stays would outlive its hook's end.
  claude: [
    'hook="',
    '"; [ -f "$hook" ] && command -v node >/dev/null && exec node "$hook" claude; exit 0',
  ],
  // On Windows it runs in PowerShell, which has no such variable and passes over it.
  gemini: ['$consulta; node "', '" gemini'],
};

/** What stands in the environment of a hook, where bash alone finds it. */
export const hookEnvironments: Readonly<Record<HookedCli, Readonly<Record<string, string>>>> = {
  claude: {},
  gemini: { consulta: 'eval exec 2>/dev/null; trap "exit 0" EXIT' },
};

/** The command that a CLI runs; `folder` holds the scripts and may begin with a variable. */
export function hookCommand(folder: string, cli: HookedCli): string {
  return around[cli].join(`${folder}/hook.cjs`);
}

/** An event that no CLI has: to it a hook that works prints the answer. */
export const hookTrial = { event: "ConsultaTrial", answer: "works\n" };

type HookField = string | number | true | Readonly<Record<string, string>>;

/** What settings hold for one event: hooks that run together. */
export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly Readonly<Record<string, HookField>>[];
}

/** The value of "hooks" in a CLI's settings, or in a file of hooks: a list for each event. */
export function hooksOf(cli: HookedCli, command: string): Record<string, HookGroup[]> {
  const own = cli === "gemini" ? { name: "consulta", env: hookEnvironments[cli] } : {};
  return Object.fromEntries(
    hookEntries[cli].map(({ event, matcher, ...rest }) => [
      event,
      [
        {
          ...defined({ matcher }),
          hooks: [{ type: "command", command, ...own, ...rest }],
        },
      ],
    ]),
  );
}

/** The hooks of the plugin, whose folder is that of the skills, and of the extension. */
export function packagedHooks() {
  const scripts = "consulta/scripts";
  return {
    plugin: hooksOf("claude", hookCommand(`\${CLAUDE_PLUGIN_ROOT}/${scripts}`, "claude")),
    extension: hooksOf("gemini", hookCommand(`\${extensionPath}/skills/${scripts}`, "gemini")),
  };
}

/** Whether a hook of some settings is one that `install` put there. */
export function isOwnHook(hook: unknown): boolean {
  return scriptOfHook(hook) !== undefined;
}

/** The script that a hook of ours runs, as its command names it; undefined for other hooks. */
export function scriptOfHook(hook: unknown): string | undefined {
  const command = isRecord(hook) ? hook["command"] : undefined;
  if (typeof command !== "string") return undefined;
  return hookedClis.map((cli) => scriptBetween(around[cli], command)).find(Boolean);
}

function scriptBetween([before, after]: readonly [string, string], command: string) {
  const script = command.slice(before.length, -after.length);
  const isWhole = command === `${before}${script}${after}`;
  return isWhole && plainScript.test(script) ? script : undefined;
}

/** Nothing in it that a shell acts on within quotes. */
const plainScript = /^(?:\$CLAUDE_PROJECT_DIR\/)?[^"$`\\\n]*\/hook\.cjs$/;
