import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";

/** The CLIs whose settings name hooks. */
export const settingsClis = ["claude", "gemini", "codex"] as const;
export type SettingsCli = (typeof settingsClis)[number];

/** The CLIs that run hooks of ours: OpenCode by a plugin, `wake/opencode-plugin.ts`. */
export const hookedClis = [...settingsClis, "opencode"] as const;
export type HookedCli = (typeof hookedClis)[number];

/** What a hook's command runs before any Node, beside the scripts. */
export const bellScript = "bell.sh";

/** What an event of a CLI is to us. A text at a silent start never reaches the model; `compacted` cost it what it knew. */
export type Moment =
  | "start"
  | "silent start"
  | "prompt"
  | "tool"
  | "stop"
  | "compacted"
  | "summary"
  | "end";

interface HookEntry {
  readonly event: string;
  readonly is: Moment;
  /** In the CLI's own unit: Gemini CLI counts milliseconds, the others seconds. */
  readonly timeout: number;
  /** Runs beside the conversation; ending with 2 wakes the model, and the prompt stays free. */
  readonly asyncRewake?: true;
  /** Runs beside the conversation, which never waits for it; what it says comes with the next request. */
  readonly async?: true;
  /** Of which causes of the event it wants to hear; of all unless said. */
  readonly matcher?: string;
}

type HookField = string | number | true | Readonly<Record<string, string>>;

/** What we know of a CLI whose model runs our scripts and whose events call `hook`. */
interface HookedCliFacts {
  /** Its name for people. */
  readonly title: string;
  /** The variable that tells a command of its model that it runs in this CLI. */
  readonly mark: string;
  /** The variable that names the conversation to such a command. */
  readonly conversation?: string;
  /** The variable that names the project to a hook; the CLI runs hooks in it where there is none. */
  readonly project?: string;
  /**
   * Its conversations share a process, and its commands run in a sandbox, where they neither see that process nor may
   * write into the home: what tells them apart is the name of the conversation.
   */
  readonly isByConversation?: true;
  /** Which events call `hook`, for how long: the one source of settings, plugin and extension. */
  readonly events: readonly HookEntry[];
}

/** How settings have it call `hook`. */
interface HookSettings {
  /** What a path below the project begins with in a hook. */
  readonly projectPrefix: string;
  /** What stands before and after the folder of the scripts in the command of a hook. */
  readonly around: readonly [before: string, after: string];
  /** Comments do not keep it from reading a file of settings: the others pass over the whole of it. */
  readonly readsComments?: true;
  /** What else a hook needs to run at an event. */
  readonly fieldsFor: (event: string, command: string) => Readonly<Record<string, HookField>>;
}

/**
 * Where the scripts of Codex's hooks are: it runs them where it was started, and takes settings from there up to the
 * folder with `.git`, or from there alone. Of several copies the uppermost counts: what lies deeper may be another's.
 */
const codexFolder = [
  "case $folder in /*) scripts=$folder ;; *) scripts= at=$PWD",
  'while [ -n "$at" ]',
  'do [ -r "$at/$folder/bell.sh" ] && scripts=$at/$folder',
  '[ -e "$at/.git" ] && break',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell reads it.
  "at=${at%/*}",
  'done; [ -n "$at" ] || scripts=$PWD/$folder ;; esac',
].join("; ");

/**
 * The one table of the CLIs with hooks. Each command runs `bell.sh` in the CLI's shell, and Node only where that finds
 * something to do. It ends with 0 and in silence where scripts or Node are missing: a CLI reports anything else at each
 * event, and Gemini CLI takes most exit codes for a veto.
 */
export const cliFacts: Readonly<
  Record<SettingsCli, HookedCliFacts & HookSettings> & Record<HookedCli, HookedCliFacts>
> = {
  claude: {
    title: "Claude Code",
    mark: "CLAUDECODE",
    conversation: "CLAUDE_CODE_SESSION_ID",
    project: "CLAUDE_PROJECT_DIR",
    events: [
      { event: "SessionStart", is: "start", timeout: 10 },
      { event: "UserPromptSubmit", is: "prompt", timeout: 10 },
      { event: "PostToolUse", is: "tool", timeout: 10, async: true },
      { event: "Stop", is: "stop", timeout: 1_860, asyncRewake: true },
      { event: "PostCompact", is: "summary", timeout: 10 },
      { event: "SessionEnd", is: "end", timeout: 5 },
    ],
    projectPrefix: "$CLAUDE_PROJECT_DIR/",
    // Not just `node`: 2 is what wakes the model, and a shell that stays would outlive its hook's end.
    around: [
      'scripts="',
      '"; cli=claude; [ -r "$scripts/bell.sh" ] && . "$scripts/bell.sh" && exec node "$scripts/run.cjs" hook claude; exit 0',
    ],
    fieldsFor: (event, command) => ({ command: `event=${event}; ${command}` }),
  },
  gemini: {
    title: "Gemini CLI",
    mark: "GEMINI_CLI",
    conversation: "GEMINI_SESSION_ID",
    project: "GEMINI_PROJECT_DIR",
    events: [
      // A text here would keep it from expanding a command that begins a headless conversation.
      { event: "SessionStart", is: "silent start", timeout: 10_000 },
      { event: "BeforeAgent", is: "prompt", timeout: 10_000 },
      { event: "AfterTool", is: "tool", timeout: 10_000 },
      { event: "AfterAgent", is: "stop", timeout: 1_860_000 },
      // Of itself the CLI looks before each request whether to compress, and says so each time.
      { event: "PreCompress", is: "compacted", timeout: 10_000, matcher: "manual" },
      { event: "SessionEnd", is: "end", timeout: 5_000 },
    ],
    // It runs hooks there, and quotes its variable itself.
    projectPrefix: "",
    readsComments: true,
    // On Windows it runs in PowerShell, which has no such variable and passes over it.
    around: ['$consulta; node "', '/run.cjs" hook gemini'],
    fieldsFor: (event, command) => ({
      ...{ command, name: "consulta", env: { consulta: geminiEnvironment(event) } },
    }),
  },
  codex: {
    title: "Codex",
    mark: "CODEX_THREAD_ID",
    conversation: "CODEX_THREAD_ID",
    isByConversation: true,
    // It runs a hook whose text its user has trusted, and no other: none of this may ever change.
    events: [
      { event: "SessionStart", is: "start", timeout: 10 },
      { event: "UserPromptSubmit", is: "prompt", timeout: 10 },
      { event: "PostToolUse", is: "tool", timeout: 10 },
      { event: "Stop", is: "stop", timeout: 1_860 },
      // It gives no more than that.
      { event: "SessionEnd", is: "end", timeout: 3 },
    ],
    projectPrefix: "",
    around: [
      `exec /bin/sh -c 'cli=codex; folder="`,
      `"; ${codexFolder}; [ -r "$scripts/bell.sh" ] && . "$scripts/bell.sh" && exec node "$scripts/run.cjs" hook codex; exit 0'`,
    ],
    fieldsFor: (event, command) => ({ command: command.replace("'", `'event=${event}; `) }),
  },
  opencode: {
    title: "OpenCode",
    mark: "OPENCODE",
    events: [
      { event: "chat.message", is: "prompt", timeout: 10_000 },
      { event: "tool.execute.after", is: "tool", timeout: 10_000 },
      { event: "session.compacted", is: "compacted", timeout: 10_000 },
      // It ends when the person prompts, or OpenCode ends.
      { event: "session.idle", is: "stop", timeout: 0 },
    ],
  },
};

/** What stands in the environment of a hook, where bash alone finds it: `node` is this function there. */
function geminiEnvironment(event: string): string {
  const run = '. "$scripts/bell.sh" && command node "$@"';
  const node = `scripts=\${1%/run.cjs}; [ -r "$scripts/bell.sh" ] && ${run};`;
  return `eval exec 2>/dev/null; trap "exit 0" EXIT; cli=gemini; event=${event}; node() { ${node} }`;
}

/** The CLIs whose model runs this script, by the variables that they set: several where one runs inside another. */
export function hostClis(): HookedCli[] {
  return hookedClis.filter((cli) => process.env[cliFacts[cli].mark] !== undefined);
}

/** An event that no CLI has: to it a hook that works prints the answer. */
export const hookTrial = { event: "ConsultaTrial", answer: "works\n" };

/** What an event is, which may have a cause; undefined for one that has no hook of ours. */
export function momentOf(cli: HookedCli, event: unknown, cause?: unknown): Moment | undefined {
  const { is, matcher } = cliFacts[cli].events.find((it) => it.event === event) ?? {};
  return matcher === undefined || matcher === cause ? is : undefined;
}

/** What settings hold for one event: hooks that run together. */
export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly Readonly<Record<string, HookField>>[];
}

/**
 * The value of "hooks" in a CLI's settings, or in a file of hooks: a list for each event. `folder` holds the scripts
 * and may begin with a variable.
 */
export function hooksOf(cli: SettingsCli, folder: string): Record<string, HookGroup[]> {
  const { events, around, fieldsFor } = cliFacts[cli];
  return Object.fromEntries(
    events.map(({ event, is: _, matcher, ...rest }) => {
      const hook = { type: "command", ...fieldsFor(event, around.join(folder)), ...rest };
      return [event, [{ ...defined({ matcher }), hooks: [hook] }]];
    }),
  );
}

/** The hooks of the plugins, whose folder is that of the skills, and of the extension. */
export function packagedHooks() {
  const scripts = "consulta/scripts";
  return {
    plugin: hooksOf("claude", `\${CLAUDE_PLUGIN_ROOT}/${scripts}`),
    codex: hooksOf("codex", `$PLUGIN_ROOT/${scripts}`),
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
  const plain = command.replace(/\bevent=[A-Za-z]+; /, "");
  return settingsClis
    .map((cli) => folderBetween(cliFacts[cli].around, plain))
    .find((folder) => folder !== undefined);
}

/** Whether a hook of ours is just what `install` puts there for this event now. */
export function isHookOfToday(cli: SettingsCli, event: string, hook: unknown): boolean {
  const [group] = hooksOf(cli, scriptsOfHook(hook) ?? "")[event] ?? [];
  return isDeepStrictEqual(group?.hooks[0], hook);
}

function folderBetween([before, after]: HookSettings["around"], command: string) {
  const folder = command.slice(before.length, -after.length);
  const isWhole = command === `${before}${folder}${after}`;
  return isWhole && plainFolder.test(folder) ? folder : undefined;
}

/** Nothing in it that a shell acts on within quotes. */
const plainFolder = /^(?:\$(?:CLAUDE_PROJECT_DIR|PLUGIN_ROOT)\/)?[^"'$`\\\n]+$/;
