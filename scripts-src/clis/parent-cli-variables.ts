/**
 * What a CLI tells the tools that it runs about itself. These name the CLI that started us: passed
 * on, a Claude refuses to start inside a Claude, and a Gemini under a Claude would take itself for
 * claude.
 */
const outerMarks =
  /^(?:CLAUDECODE|CLAUDE_CODE_(?:SESSION_ID|ENTRYPOINT|SSE_PORT|MESSAGING_.*)|CLAUDE_(?:PID|ENV_FILE|PROJECT_DIR)|AI_AGENT|GEMINI_CLI|GEMINI_(?:SESSION_ID|PROJECT_DIR|CWD)|CODEX_(?:THREAD_ID|SESSION_ID|TOOL_CALL_ID)|OPENCODE|OPENCODE_PID)$/;

/** An environment without them: for a CLI that is started here and is another one. */
export function withoutParentCli(environment: Readonly<Record<string, string | undefined>>) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !outerMarks.test(name)));
}
