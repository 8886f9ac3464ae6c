import { quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { linesOf } from "../../base/markdown.ts";
import { isTime } from "../../base/time.ts";
import type { LogEvent } from "../../log/event.ts";
import type { DocumentRight, Files, ForeignChange } from "../../protocol/protocol.ts";
import { agentsFileStart, agentsIn, deadlineLine, isAgentLine } from "./meta-and-agents.ts";
import { agentOf, type BoardState, deadlineOf } from "./state.ts";

/**
 * What the files show that the log does not know: agents that registered with the original scripts
 * or by hand, marks that came or went, and a deadline that nobody set, because two agents that
 * registered at once each took the other for the first.
 */
export function notice(state: BoardState, files: Files): ForeignChange[] {
  if (state.seq === 0) return [{ participant: "consulta", fields: { event: "board_opened" } }];
  const changed = state.agents
    .filter(({ name, ready }) => isReadyMarked(files, name) !== ready)
    .map(({ name, ready }) => seen(name, { event: ready ? "withdrawn" : "readied" }));
  const fresh = agentsIn(files.get("agents.md")?.text ?? "")
    .agents.filter(({ name }) => agentOf(state, name) === undefined)
    .slice(0, roomFor(state))
    .map(({ name, registeredAt }) =>
      seen(name, { event: "registered", registered_at: registeredAt }),
    );
  const lacksDeadline = deadlineOf(state) === "" && state.agents.length > 0;
  const deadline = lacksDeadline ? [seen("consulta", { event: "deadline_set" })] : [];
  return [...changed, ...fresh, ...deadline];
}

function seen(participant: string, fields: ForeignChange["fields"]): ForeignChange {
  return { participant, fields };
}

/**
 * How many of the agents that nobody knows are entered at once: first those that were expected, and the
 * others once it is known whether these are ready. One beyond the limit is rejected, so that a list
 * of very many names stops no other agent.
 */
function roomFor({ agents, settings }: BoardState): number {
  const room = Math.max(0, limits.boardAgents - agents.length);
  const expected = settings.expectedAgents - agents.length;
  return expected > 0 ? Math.min(expected, room) : room;
}

/** Whether an agent has marked itself ready. */
export function isReadyMarked(files: Files, name: string): boolean {
  return files.get(`findings/${name}`)?.names?.includes(".ready") === true;
}

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
  const isOwn = (name: unknown) =>
    agentOf(state, from) !== undefined && path === `findings/${from}/${name}`;
  switch (event.event) {
    case "registered":
      return path === "agents.md" ? { may: "add", fault: agentsFault } : undefined;
    case "deadline_set":
      return path === "meta.md" && state.deadline === ""
        ? { may: "add", fault: (added) => deadlineFault(event, added) }
        : undefined;
    case "numbered":
    case "posted":
      return isOwn(file) ? { may: "replace" } : undefined;
    case "readied":
    case "withdrawn":
      return isOwn(".ready") ? { may: "replace" } : undefined;
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

/** Who registered with the original scripts is entered by the next script that looks, perhaps of another agent. */
function agentsFault(added: string): string | undefined {
  const odd = linesOf(added).find((line) => line.trim() !== "" && !isAgentLine(line));
  return odd === undefined ? undefined : `adds ${quote(odd)}, which registers nobody`;
}

function deadlineFault({ deadline }: LogEvent, added: string): string | undefined {
  const expected = typeof deadline === "string" && isTime(deadline) ? deadlineLine(deadline) : "";
  return added.trim() === expected ? undefined : `adds ${quote(added.trim())} as the deadline`;
}
