import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { clientPackages } from "./install-clients.ts";

export type ClientName = keyof typeof clientPackages;
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
  readonly addresses: Partial<Record<ClientName, string>>;
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
    ...(at.isTrusted && { GEMINI_CLI_TRUST_WORKSPACE: "true" }),
  };
}

/** What lets both come to their prompt, or to the question of trust; what a client has changed since then stays. */
function writeSettings({ home, project, isTrusted }: Surroundings): void {
  writeNew(join(home, ".gemini", "settings.json"), {
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
  });
  writeNew(join(home, ".claude.json"), {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: ["dummy"] },
    ...(isTrusted && { projects: { [project]: { hasTrustDialogAccepted: true } } }),
  });
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
