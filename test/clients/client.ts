import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { clientPackages, OtherClient } from "./install-clients.ts";

export type ClientName = keyof typeof clientPackages;
/** Those that are on every stage, and those of some suites. */
export type AnyClient = ClientName | OtherClient;
export const clientNames: readonly ClientName[] = ["claude", "gemini"];

export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly elapsedMs: number;
}

/** Where a client finds its models, its programs and a home that nobody has used. */
export interface Surroundings {
  readonly bin: string;
  readonly home: string;
  readonly project: string;
  /** Whether both have been told to trust the project: they do not ask. */
  readonly isTrusted: boolean;
  readonly addresses: Partial<Record<AnyClient, string>>;
  /** The Node that hooks and commands find on PATH. */
  readonly node: string;
}

const runTimeoutMs = 120_000;
/** No service answers there: a client that has no model of its own must not reach a real one. */
const nowhere = "http://127.0.0.1:9";

/** All that a client or `consult` gets: a home of its own, dummy keys, loopback addresses. */
export function clientEnvironment(at: Surroundings): Record<string, string> {
  const temporary = join(at.home, "tmp");
  mkdirSync(temporary, { recursive: true });
  writeSettings(at);
  return {
    PATH: [at.bin, dirname(at.node), "/usr/bin", "/bin"].join(delimiter),
    HOME: at.home,
    TMPDIR: temporary,
    CLAUDE_CODE_TMPDIR: temporary,
    LANG: "C.UTF-8",
    ANTHROPIC_API_KEY: "dummy",
    ANTHROPIC_BASE_URL: at.addresses.claude ?? nowhere,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    GEMINI_API_KEY: "dummy",
    GOOGLE_GEMINI_BASE_URL: at.addresses.gemini ?? nowhere,
    OPENAI_API_KEY: "dummy",
    ...openCodeVariables(at.addresses.opencode ?? nowhere),
    OPENAI_BASE_URL: `${at.addresses.qwen ?? nowhere}/v1`,
    OPENAI_MODEL: "scripted",
    ...copilotVariables(at.addresses.copilot ?? nowhere),
    ...(at.isTrusted && { GEMINI_CLI_TRUST_WORKSPACE: "true" }),
  };
}

/** What lets both come to their prompt, or to the question of trust; what a client has changed since then stays. */
function writeSettings({ home, project, isTrusted, addresses }: Surroundings): void {
  writeCodexConfig(join(home, ".codex", "config.toml"), addresses.codex ?? nowhere, {
    isTrusted,
    project,
  });
  writeNew(join(home, ".gemini", "settings.json"), {
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
  });
  writeNew(join(home, ".qwen", "settings.json"), {
    security: { auth: { selectedType: "openai" } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
    // Of itself it also asks its model what to remember, and what the user may type next.
    memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
    ui: { enableFollowupSuggestions: false },
  });
  writeNew(join(home, ".claude.json"), {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: ["dummy"] },
    ...(isTrusted && { projects: { [project]: { hasTrustDialogAccepted: true } } }),
  });
}

/**
 * Codex has no variable for its address: a model that comes later is written into its config, whose other lines are its
 * own by then. The home lies below the folder for temporary files, which its sandbox would let it write.
 */
function writeCodexConfig(
  path: string,
  address: string,
  { isTrusted, project }: Pick<Surroundings, "isTrusted" | "project">,
): void {
  const known = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  const lines = [
    'model = "gpt-5.2-codex"',
    'model_provider = "scripted"',
    "check_for_update_on_startup = false",
    "[sandbox_workspace_write]",
    "exclude_slash_tmp = true",
    "exclude_tmpdir_env_var = true",
    "[model_providers.scripted]",
    'name = "scripted"',
    `base_url = "${address}"`,
    'wire_api = "responses"',
    ...(isTrusted ? [`[projects."${project}"]`, 'trust_level = "trusted"'] : []),
  ];
  const text = known?.replace(/^base_url = .*$/m, `base_url = "${address}"`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text ?? `${lines.join("\n")}\n`);
}

function openCodeVariables(address: string): Record<string, string> {
  const model = "anthropic/claude-sonnet-4-5";
  const options = { baseURL: `${address}/v1`, apiKey: "dummy" };
  const config = { model, small_model: model, provider: { anthropic: { options } } };
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...config, autoupdate: false, share: "disabled" }),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  };
}

function copilotVariables(address: string): Record<string, string> {
  return {
    COPILOT_PROVIDER_BASE_URL: `${address}/v1`,
    COPILOT_PROVIDER_TYPE: "openai",
    COPILOT_PROVIDER_API_KEY: "dummy",
    COPILOT_MODEL: "scripted",
    COPILOT_OFFLINE: "true",
  };
}

/** As after its first start, at which OpenCode fetches this package into each folder of settings, before any plugin runs. */
export function spareFetching(...folders: readonly string[]): void {
  const dependencies = { "@opencode-ai/plugin": "*" };
  for (const folder of folders) {
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    writeNew(join(folder, "package-lock.json"), { packages: { "": { dependencies } } });
  }
}

function writeNew(path: string, content: unknown): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(content));
}

/** Runs a program in a group of its own, until the signal at most; when this returns, nothing of the group runs any more. */
export function runProgram(
  program: string,
  words: readonly string[],
  folder: string,
  environment: Record<string, string>,
  given: { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal } = {},
): Promise<Ran> {
  const startMs = performance.now();
  const child = spawn(program, [...words], {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr, timedOut] = ["", "", false];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child.pid);
  }, given.timeoutMs ?? runTimeoutMs);
  const stop = () => killGroup(child.pid);
  given.signal?.addEventListener("abort", stop);
  return new Promise((settle, fail) => {
    child.on("error", fail);
    // What the client left behind would keep the pipes open: end it as soon as the client ends.
    child.on("exit", () => killGroup(child.pid));
    child.on("close", (exitCode) => {
      clearTimeout(timer);
      given.signal?.removeEventListener("abort", stop);
      settle({ exitCode, stdout, stderr, timedOut, elapsedMs: performance.now() - startMs });
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended.
  }
}
