import { limits } from "../../base/limits.ts";
import type { Files, ForeignChange } from "../../protocol/protocol.ts";
import { agentsIn } from "./agents-file.ts";
import { agentOf, type BoardState, deadlineOf } from "./state.ts";

/**
 * What the files show that the log does not know: agents that registered with the original scripts
 * or by hand, marks that came or went, and a deadline that nobody set, because two agents that
 * registered at once each took the other for the first.
 */
export function notice(state: BoardState, files: Files): ForeignChange[] {
  if (state.seq === 0) return [{ participant: "consulta", fields: { event: "board_opened" } }];
  const found = agentsIn(files.get("agents.md")?.text ?? "").agents;
  const fresh = found.filter(({ name }) => agentOf(state, name) === undefined);
  const noticed: ForeignChange[] = [];
  for (const { name, ready } of state.agents) {
    const marked = isReadyMarked(files, name);
    if (marked !== ready) noticed.push(seen(name, marked ? "readied" : "withdrawn"));
  }
  for (const { name, registeredAt } of fresh.slice(0, roomFor(state))) {
    noticed.push({
      participant: name,
      fields: { event: "registered", registered_at: registeredAt },
    });
  }
  if (deadlineOf(state) === "" && state.agents.length > 0) {
    noticed.push({ participant: "consulta", fields: { event: "deadline_set" } });
  }
  return noticed;
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

function seen(participant: string, event: string): ForeignChange {
  return { participant, fields: { event } };
}

/** Whether an agent has marked itself ready. */
export function isReadyMarked(files: Files, name: string): boolean {
  return files.get(`findings/${name}`)?.names?.includes(".ready") === true;
}
