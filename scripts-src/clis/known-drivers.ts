import { type ConsultaError, refused } from "../base/errors.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";
import type { Faults } from "../base/schema.ts";
import type { Environment } from "../files/home-folder.ts";
import {
  completeDriver,
  type DriverProfile,
  type FailureKind,
  type KnownFailure,
  readWrittenDrivers,
} from "./driver-profile.ts";
import { ownSettingsFile, readOwnSettings } from "./user-settings.ts";

/** What gives Codex tools; one is left, which asks the user, and answers only in a mode for plans. */
const codexTools = [
  ...["shell_tool", "unified_exec", "view_image", "multi_agent", "goals", "apps", "plugins"],
  ...["hooks", "image_generation", "browser_use", "computer_use"],
];

const openCodeWords = ["run", "--format", "json", "--print-logs", "--log-level", "ERROR"];

/**
 * The CLIs that are known from the start, in the form in which a user writes more of them. The task
 * goes to standard input, because a command line is visible to others and limited in length. Without
 * permission to run or write anything, an agent gives its message in its answer.
 */
const knownDrivers: JsonObject = {
  claude: {
    command: "claude",
    arguments: [
      ...["-p", "--output-format", "json", "--permission-mode", "default"],
      // A project's own settings could allow more, and run hooks: only these tools, only the user's settings.
      ...["--tools", "Read,Grep,Glob", "--allowedTools", "Read,Grep,Glob"],
      ...["--setting-sources", "user", "--strict-mcp-config"],
    ],
    audit: {
      arguments: [
        ...["-p", "--output-format", "json", "--tools", "", "--permission-mode", "default"],
        ...["--safe-mode", "--strict-mcp-config", "--no-session-persistence"],
      ],
    },
    resume: ["--resume", "{conversation}"],
    output: "json",
    answer: { from: "result" },
    conversation: { from: "session_id" },
    error: [{ from: "result", when: { is_error: true } }],
    rejected: [{ from: "permission_denials" }],
    tested: "Claude Code 2.1.330",
    install: "npm install -g @anthropic-ai/claude-code",
    sign_in: "run claude once and type /login, or set ANTHROPIC_API_KEY",
    variables: [
      ...["ANTHROPIC_*", "CLAUDE_*", "DISABLE_*", "API_TIMEOUT_MS", "MAX_THINKING_TOKENS"],
      "CLAUDE_CODE_USE_BEDROCK:AWS_*",
      ...["CLAUDE_CODE_USE_VERTEX:GOOGLE_*", "CLAUDE_CODE_USE_VERTEX:CLOUD_ML_REGION"],
      "CLAUDE_CODE_USE_VERTEX:VERTEX_*",
    ],
    signs: [
      { environment: "ANTHROPIC_API_KEY" },
      { environment: "ANTHROPIC_AUTH_TOKEN" },
      { environment: "CLAUDE_CODE_OAUTH_TOKEN" },
      { environment: "CLAUDE_CODE_USE_BEDROCK" },
      { environment: "CLAUDE_CODE_USE_VERTEX" },
      { file: "$CLAUDE_CONFIG_DIR/.credentials.json" },
      { file: "~/.claude/.credentials.json" },
    ],
    keyring: true,
    sign_in_check: { arguments: ["auth", "status"], signed_out: '"loggedIn": *false' },
  },
  gemini: {
    command: "gemini",
    arguments: ["--acp", "--approval-mode", "default"],
    audit: {
      arguments: [
        ...["--acp", "--approval-mode", "default", "--policy", "no-tools.toml"],
        ...["--extensions", "none", "--allowed-mcp-server-names", "none"],
      ],
      files: { "no-tools.toml": '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n' },
    },
    // A project's own settings could allow more, and run hooks: they count only in folders that are trusted. Not with
    // --skip-trust, which says that this one is.
    environment: {
      GEMINI_CLI_TRUST_WORKSPACE: "false",
      GEMINI_CLI_TRUSTED_FOLDERS_PATH: "~/.consulta/no-trusted-folders.json",
    },
    output: "acp",
    failures: [
      {
        text: "IneligibleTierError|UNSUPPORTED_CLIENT",
        means: "signed_out",
        advice:
          "Google has ended personal logins for Gemini CLI: set GEMINI_API_KEY, or use Antigravity: gemini=agy",
      },
      { exit: 41, means: "signed_out" },
      {
        text: "max_turn_requests",
        advice: "it used up its turns: raise model.maxSessionTurns in .gemini/settings.json",
      },
      {
        exit: 55,
        means: "untrusted",
        advice: "its profile wants --acp among the arguments, or run gemini here once and trust it",
      },
    ],
    tested: "Gemini CLI 0.61.0",
    install: "npm install -g @google/gemini-cli",
    sign_in: "set GEMINI_API_KEY, or run gemini once and sign in",
    variables: ["GEMINI_*", "GOOGLE_*", "CODE_ASSIST_ENDPOINT", "NO_BROWSER"],
    signs: [
      { environment: "GEMINI_API_KEY" },
      { environment: "GOOGLE_API_KEY" },
      { environment: "GOOGLE_GENAI_USE_VERTEXAI" },
      { environment: "GOOGLE_GENAI_USE_GCA" },
      {
        file: "~/.gemini/oauth_creds.json",
        note: "a Google login: it no longer works for personal accounts; if gemini rejects it, set GEMINI_API_KEY or use agy",
      },
    ],
    keyring: true,
  },
  agy: {
    command: "agy",
    // Whether it may write is for the user's own settings; without --add-dir it has no project to write in.
    arguments: [
      ...["-p=", "--input-format", "stream-json", "--output-format", "stream-json"],
      ...["--print-timeout", "60m", "--sandbox"],
    ],
    resume: ["--conversation", "{conversation}"],
    input: '{"event":"user","message":{"role":"user","content":{prompt_json}}}\n',
    output: "json_lines",
    answer: { from: "result.response", when: { event: "result", "result.status": "SUCCESS" } },
    conversation: { from: "result.conversation_id", when: { event: "result" } },
    error: [
      { from: "result.error", when: { event: "result", "result.status": "ERROR" } },
      { from: "result.status", when: { event: "result", "result.status": "CANCELED" } },
    ],
    rejected: [{ from: "result.denied_actions", when: { event: "result" } }],
    failures: [
      { exit: 2, means: "version" },
      {
        text: "not (?:signed|logged) in|please sign in|oauth (?:token|login|error)",
        means: "signed_out",
      },
    ],
    tested: "documented, not run (agy 1.2)",
    install: "https://antigravity.google/cli",
    sign_in: "run agy once and sign in",
    variables: ["ANTIGRAVITY_*", "AGY_*", "GOOGLE_CLOUD_*"],
    signs: [{ file: "~/.gemini/antigravity-cli/antigravity-oauth-token" }],
    keyring: true,
  },
  codex: {
    command: "codex",
    arguments: [
      ...["exec", "--json", "--color", "never"],
      ...["--sandbox", "read-only", "--skip-git-repo-check"],
    ],
    audit: {
      arguments: [
        ...["exec", "--json", "--color", "never"],
        ...["--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral"],
        ...codexTools.flatMap((name) => ["--disable", name]),
        ...["-c", "web_search=disabled", "-c", "mcp_servers={}"],
      ],
    },
    resume: ["resume", "{conversation}"],
    output: "json_lines",
    answer: {
      from: "item.text",
      when: { type: "item.completed", "item.type": "agent_message" },
    },
    conversation: { from: "thread_id", when: { type: "thread.started" } },
    error: [{ from: "error", when: { type: "turn.failed" } }],
    failures: [{ text: "missing environment variable", means: "signed_out" }],
    tested: "Codex CLI 0.171.0",
    install: "npm install -g @openai/codex",
    sign_in: "run codex login, or set CODEX_API_KEY",
    variables: ["CODEX_*", "OPENAI_*"],
    signs: [
      { environment: "CODEX_API_KEY" },
      { environment: "CODEX_ACCESS_TOKEN" },
      { file: "$CODEX_HOME/auth.json" },
      { file: "~/.codex/auth.json" },
    ],
    keyring: true,
  },
  opencode: {
    command: "opencode",
    // Its errors show only in its log: without them a quota that is used up looks like a slow model.
    arguments: openCodeWords,
    audit: { arguments: openCodeWords, environment: { OPENCODE_PERMISSION: '{"*":"deny"}' } },
    resume: ["--session", "{conversation}"],
    environment: {
      OPENCODE_PERMISSION:
        '{"*":"deny","read":"allow","glob":"allow","grep":"allow","list":"allow"}',
      // A project's own settings could allow more.
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    },
    project_programs: [".opencode/plugin", ".opencode/plugins", "opencode.json", "opencode.jsonc"],
    output: "json_lines",
    answer: { from: "part.text", when: { type: "text" }, take: "all" },
    conversation: { from: "sessionID" },
    error: [{ from: "error.data", when: { type: "error" } }],
    rejected: [{ from: "part.tool", when: { type: "tool_use", "part.state.status": "error" } }],
    failures: [{ exit: 1, text: "opencode run \\[message", means: "version" }],
    tested: "OpenCode 1.18.33",
    install: "npm install -g opencode-ai",
    sign_in: "run opencode auth login",
    variables: ["OPENCODE_*"],
    signs: [
      { environment: "OPENCODE_API_KEY" },
      { environment: "ANTHROPIC_API_KEY" },
      { environment: "OPENAI_API_KEY" },
      { environment: "GEMINI_API_KEY" },
      { environment: "OPENROUTER_API_KEY" },
      { file: "$XDG_DATA_HOME/opencode/auth.json" },
      { file: "~/.local/share/opencode/auth.json" },
    ],
    // A provider in its settings may bring its own key.
    keyring: true,
  },
};

/** How CLIs of any kind say it, in English; looked at after what a profile says itself. */
export const commonFailures: readonly KnownFailure[] = [
  usual(
    "version",
    /unknown (?:option|argument|flag)|unexpected argument|unrecognized (?:option|argument)|no such option|flag provided but not defined/i,
  ),
  usual(
    "quota",
    // A file or a function may be named like one: something has to be said of it.
    /(?:status|code|http|error)\W{0,4}429\b|insufficient.?quota|(?:quota|limit) (?:was |is |has been |were )?(?:exceeded|reached|exhausted|hit)|(?:exceeded|exhausted|reached|hit|out of)\b.{0,40}(?:quota|(?:usage|rate|request|token)s?.?limit)|hit your .{0,20}limit|too many requests|resource.?exhausted|credit balance is too low/i,
  ),
  usual(
    "signed_out",
    /invalid api key|please run \/login|not logged in|not signed in|(?:status|code|http|error)\W{0,4}401\b|unauthorized|incorrect api key|no api key|api key (?:is )?(?:missing|not found|not valid)|authentication.?(?:failed|required|error)/i,
  ),
];

function usual(means: FailureKind, text: RegExp): KnownFailure {
  return { means, text, exit: undefined, advice: undefined };
}

/**
 * The profiles of all CLIs: the known ones, each field replaced that `file`, the user's own
 * `config.yaml`, holds, and the user's.
 * @throws ConsultaError REFUSED, in one line that begins with `what`, when `file` is wrong.
 */
export function driverProfiles(file: JsonValue, what: string): readonly DriverProfile[] {
  const faults: Faults = { found: [], strict: true };
  const known = readWrittenDrivers({ drivers: knownDrivers }, faults);
  // The user's entries over those that are known, field by field; new ones at the end.
  const merged = new Map(known);
  for (const [name, written] of readWrittenDrivers(file ?? {}, faults))
    merged.set(name, { ...merged.get(name), ...written });
  if (faults.found.length > 0) throw wrong(what, faults);
  const profiles = [...merged].map(([name, written]) => completeDriver(name, written, faults));
  if (faults.found.length > 0) throw wrong(what, faults);
  return profiles;
}

function wrong(what: string, { found }: Faults): ConsultaError {
  return refused(`${what}: ${found.join("; ")}; correct the file`);
}

/**
 * The driver profiles of all CLIs that `consult` can give a turn to, installed or not: the known ones, changed
 * and extended by `drivers` in the user's ~/.consulta/config.yaml.
 * @throws ConsultaError REFUSED when the user's file is wrong or not safe.
 */
export async function readDrivers(environment: Environment): Promise<readonly DriverProfile[]> {
  const { drivers } = await readOwnSettings(environment);
  return driverProfiles(defined({ drivers }), ownSettingsFile);
}

/** The names of all these CLIs. */
export async function cliNames(environment: Environment): Promise<ReadonlySet<string>> {
  return new Set((await readDrivers(environment)).map(({ name }) => name));
}
