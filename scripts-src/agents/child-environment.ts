import type { Environment, Turn } from "./driver.ts";

/**
 * What a CLI tells the tools that it runs about itself. These name the CLI that started `consult`,
 * not the participant that is started here: passed on, a Claude refuses to start inside a Claude,
 * and a Gemini under a Claude would take itself for claude.
 */
const outerMarks =
  /^(?:CLAUDECODE|CLAUDE_CODE_(?:SESSION_ID|ENTRYPOINT|SSE_PORT|MESSAGING_.*)|CLAUDE_(?:PID|ENV_FILE|PROJECT_DIR)|AI_AGENT|GEMINI_CLI|GEMINI_(?:SESSION_ID|PROJECT_DIR|CWD)|CODEX_(?:THREAD_ID|SESSION_ID|TOOL_CALL_ID)|OPENCODE|OPENCODE_PID)$/;

/** The environment of a participant's process: the user's own, and which turn this is. */
export function childEnvironment(outer: Environment, turn: Turn): Environment {
  const kept = Object.entries(outer).filter(([name]) => !outerMarks.test(name));
  return {
    ...Object.fromEntries(kept),
    CONSULTA_SESSION: turn.place.id,
    CONSULTA_FOLDER: turn.place.folder,
    CONSULTA_PARTICIPANT: turn.participant,
    CONSULTA_SCRIPTS: turn.scripts,
    CONSULTA_WORKSPACE: turn.project,
  };
}
