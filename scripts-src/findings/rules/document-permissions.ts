import { quote } from "../../base/json.ts";
import { linesOf } from "../../base/markdown.ts";
import { isTime } from "../../base/time.ts";
import type { LogEvent } from "../../log/event.ts";
import type { DocumentRight } from "../../protocol/protocol.ts";
import { agentsFileStart, isAgentLine } from "./agents-file.ts";
import { deadlineLine } from "./meta-file.ts";
import { agentOf, type BoardState } from "./state.ts";

/**
 * What an event may do to a file of the board: an agent writes in its own folder alone, what the board
 * was made with stays, and registrations and the deadline are lines at the end of it.
 */
export function documentRight(
  state: BoardState,
  event: LogEvent,
  path: string,
): DocumentRight | undefined {
  const { seq, from, file } = event;
  if (seq === 1) return Object.hasOwn(firstRights, path) ? firstRights[path] : undefined;
  switch (event.event) {
    case "registered":
      return path === "agents.md" ? { may: "add", fault: agentsFault } : undefined;
    case "deadline_set":
      return path === "meta.md" && state.deadline === ""
        ? { may: "add", fault: (added) => deadlineFault(event, added) }
        : undefined;
    case "numbered":
    case "posted":
      return isIn(state, from, path, file) ? { may: "replace" } : undefined;
    case "readied":
    case "withdrawn":
      return isIn(state, from, path, ".ready") ? { may: "replace" } : undefined;
    default:
      return undefined;
  }
}

/** Some CLIs would take any other text of this name for instructions. */
const firstRights: Readonly<Record<string, DocumentRight>> = {
  "meta.md": { may: "replace" },
  "agents.md": {
    may: "add",
    fault: (text) => (text === agentsFileStart ? undefined : `begins with ${quote(text)}`),
  },
};

function isIn(state: BoardState, agent: string, path: string, file: unknown): boolean {
  return agentOf(state, agent) !== undefined && path === `findings/${agent}/${file}`;
}

/** Who registered with the original scripts is entered by the next script that looks, perhaps of another agent. */
function agentsFault(added: string): string | undefined {
  const odd = linesOf(added).find((line) => line.trim() !== "" && !isAgentLine(line));
  return odd === undefined ? undefined : `adds ${quote(odd)}, which registers nobody`;
}

function deadlineFault({ deadline }: LogEvent, added: string): string | undefined {
  const expected = typeof deadline === "string" && isTime(deadline) ? deadlineLine(deadline) : "";
  return added.trim() === expected ? undefined : `adds ${quote(added.trim())} as the deadline`;
}
