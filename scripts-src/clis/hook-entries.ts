import { defined } from "../base/defined.ts";
import { isRecord } from "../base/json.ts";
import { skillNames } from "./skill-names.ts";

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

/** The variable by which each CLI tells its hooks where the project is. */
export const projectVariables: Readonly<Record<HookedCli, string>> = {
  claude: "$CLAUDE_PROJECT_DIR",
  gemini: "$GEMINI_PROJECT_DIR",
};

/** The line that a CLI runs; `folder` holds the scripts and may begin with a variable. */
export function hookCommand(folder: string, cli: HookedCli): string {
  return `node "${folder}/hook.cjs" ${cli}`;
}

/** What settings hold for one event: hooks that run together. */
export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly Readonly<Record<string, string | number | true>>[];
}

/** The value of "hooks" in a CLI's settings, or in a file of hooks: a list for each event. */
export function hooksOf(cli: HookedCli, command: string): Record<string, HookGroup[]> {
  const name = cli === "gemini" ? { name: "consulta" } : {};
  return Object.fromEntries(
    hookEntries[cli].map(({ event, matcher, ...rest }) => [
      event,
      [
        {
          ...defined({ matcher }),
          hooks: [{ type: "command", ...name, command, ...rest }],
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

/** Whether a hook of some settings is one that any version of ours has put there. */
export function isOwnHook(hook: unknown): boolean {
  return scriptOfHook(hook) !== undefined;
}

/** The script that a hook of ours runs, as its command names it; undefined for other hooks. */
export function scriptOfHook(hook: unknown): string | undefined {
  if (!isRecord(hook) || typeof hook["command"] !== "string") return undefined;
  const command = hook["command"];
  return [ownCommand, bareCommand, ...packCommands]
    .map((it) => it.exec(command)?.[1])
    .find(Boolean);
}

const ownScript = String.raw`(?:skills/(?:${skillNames.join("|")})|\.consulta)/scripts/hook\.cjs`;
const forCli = "(?: (?:claude|gemini))?";
const ownCommand = new RegExp(String.raw`^node "((?:[^"\n]*/)?${ownScript})"${forCli}$`);
/** As a person may write it; more than the one command is more than ours. */
const bareCommand = new RegExp(String.raw`^node ((?:[^\s"';&|<>()]*/)?${ownScript})${forCli}$`);
/** Many projects have a `dist/hook.cjs`: to the letter as install writes it for the pack itself. */
const packCommands = hookedClis.map((cli) => {
  const script = `\\${projectVariables[cli]}/(?:[^"\\n]*/)?dist/hook\\.cjs`;
  return new RegExp(`^node "(${script})" ${cli}$`);
});
