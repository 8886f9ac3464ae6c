import { limits } from "../limits.ts";
import type { Files, Noticed } from "../protocol.ts";
import { agentsIn } from "./agents-file.ts";
import { agentOf, type BoardState, deadlineOf } from "./state.ts";

/**
 * What the files show that the log does not know: agents that registered with the original scripts
 * or by hand, marks that came or went, and a deadline that nobody set, because two agents that
 * registered at once each took the other for the first.
 */
export function notice(state: BoardState, files: Files): Noticed[] {
  if (state.seq === 0) return [{ participant: "consulta", fields: { event: "board_opened" } }];
  const found = agentsIn(files.get("agents.md")?.text ?? "").agents;
  // Whoever comes beyond the limit is refused: a list that somebody blew up stops nobody.
  const room = Math.max(0, limits.boardAgents - state.agents.length);
  const fresh = found.filter(({ name }) => agentOf(state, name) === undefined).slice(0, room);
  const noticed: Noticed[] = fresh.map(({ name, registeredAt }) => ({
    participant: name,
    fields: { event: "registered", registered_at: registeredAt },
  }));
  for (const { name, ready } of state.agents) {
    const marked = isMarked(files, name);
    if (marked !== ready) noticed.push(seen(name, marked ? "readied" : "withdrawn"));
  }
  if (deadlineOf(state) === "" && state.agents.length > 0) {
    noticed.push({ participant: "consulta", fields: { event: "deadline_set" } });
  }
  return noticed;
}

function seen(participant: string, event: string): Noticed {
  return { participant, fields: { event } };
}

/** Whether an agent has marked itself ready. */
export function isMarked(files: Files, name: string): boolean {
  return files.get(`findings/${name}`)?.names?.includes(".ready") === true;
}
