import { instantOf } from "../../base/parse-offset-time.ts";
import type { LogEvent } from "../../log/event.ts";
import { higherNumber, isAgentName, isFindingFile, numberOf } from "./board-names.ts";
import { contentOf } from "./finding-content.ts";
import { withFinding } from "./known-findings.ts";
import { agentOf, type BoardAgent, type BoardState, isAllReady } from "./state.ts";

/** Folds one event; what means nothing at its place changes nothing, and `audit` tells it. */
export function evolve(state: BoardState, event: LogEvent): BoardState {
  const { seq, at } = event;
  const startedAt = state.seq === 0 ? at : state.startedAt;
  return { ...fold(state, event), seq, startedAt, lastAt: at };
}

function fold(state: BoardState, event: LogEvent): BoardState {
  const { from: name, at, file } = event;
  switch (event.event) {
    case "registered": {
      if (agentOf(state, name) !== undefined || !isAgentName(name)) return state;
      const since = event["registered_at"];
      const agent = {
        name,
        since: typeof since === "string" && instantOf(since) !== undefined ? since : at,
        ours: event["noticed"] !== true,
        ready: false,
        late: isAllReady(state),
        lastNumber: 0,
      };
      return { ...state, agents: [...state.agents, agent] };
    }
    case "deadline_set":
      return { ...state, deadline: String(event["deadline"] ?? "") };
    case "numbered":
      return withNumber(state, name, file);
    case "posted": {
      const content = contentOf(event);
      if (content === undefined || !isFindingFile(file)) return state;
      const known = { seq: event.seq, sha256: content.sha256 };
      const findings = withFinding(state.findings, `${name}/${file}`, known);
      return { ...withNumber(state, name, file), findings };
    }
    case "readied":
      return withAgent(state, name, { ready: true });
    case "withdrawn":
      return withAgent(state, name, { ready: false });
    default:
      return state;
  }
}

function withNumber(state: BoardState, name: string, file: unknown): BoardState {
  const number = typeof file === "string" ? numberOf(file) : undefined;
  const before = agentOf(state, name)?.lastNumber ?? 0;
  return withAgent(state, name, { lastNumber: higherNumber(before, number) });
}

function withAgent(state: BoardState, name: string, change: Partial<BoardAgent>): BoardState {
  const agents = state.agents.map((it) => (it.name === name ? { ...it, ...change } : it));
  return { ...state, agents };
}
