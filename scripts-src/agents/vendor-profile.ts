/** All that Consulta knows about one vendor's CLI. A new CLI is a new entry of `vendorProfiles`. */
export interface VendorProfile {
  readonly name: string;
  /** The program, as it is found on PATH. */
  readonly command: string;
  readonly install: string;
  /** Headless, JSON answer, and no permission beyond reading the project. */
  readonly arguments: readonly string[];
  /** What goes before the name of a conversation that goes on. */
  readonly resumeFlag: string;
  /** Fields of the JSON answer. `failed` is true, or an object with a message, when the CLI failed. */
  readonly fields: { readonly answer: string; readonly resume: string; readonly failed: string };
  /** What its exit codes mean and what to do about them. */
  readonly exitMeanings: Readonly<Record<number, string>>;
}

/**
 * Flags and exit codes as the CLIs show them (Claude Code 2.1.330, Gemini CLI 0.61.0). The task goes
 * to standard input, because a command line is visible to others and limited in length. Without
 * permission to run or write anything, an agent gives its message in its answer.
 */
export const vendorProfiles: readonly VendorProfile[] = [
  {
    name: "claude",
    command: "claude",
    install: "npm install -g @anthropic-ai/claude-code",
    arguments: [
      ...["-p", "--output-format", "json", "--permission-mode", "default"],
      // A project's own settings could allow more, and run hooks: only these tools, only the user's settings.
      ...["--tools", "Read,Grep,Glob", "--allowedTools", "Read,Grep,Glob"],
      ...["--setting-sources", "user", "--strict-mcp-config"],
    ],
    resumeFlag: "--resume",
    fields: { answer: "result", resume: "session_id", failed: "is_error" },
    exitMeanings: {},
  },
  {
    name: "gemini",
    command: "gemini",
    install: "npm install -g @google/gemini-cli",
    arguments: [
      ...["--output-format", "json", "--approval-mode", "default"],
      ...["-p", "Take the turn that is described above."],
    ],
    resumeFlag: "--resume",
    fields: { answer: "response", resume: "session_id", failed: "error" },
    exitMeanings: {
      41: "it is not signed in: set GEMINI_API_KEY, or run gemini once and sign in",
      42: "it refused its input: update it with npm install -g @google/gemini-cli",
      53: "it used up its turns: raise model.maxSessionTurns in .gemini/settings.json",
      55: "it does not trust this folder: run gemini here once and trust it, or set GEMINI_CLI_TRUST_WORKSPACE=true",
    },
  },
];
