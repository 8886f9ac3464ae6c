import { singleLine } from "../../base/visible-text.ts";
import type { SessionStatus } from "../../protocol/protocol.ts";
import { knownNames } from "./known-findings.ts";
import {
  agentOf,
  awaitedAgents,
  type BoardState,
  deadlineOf,
  isAllReady,
  neededAgents,
  readyAgents,
} from "./state.ts";

/** What lists and pages show of a board. */
export function standing(state: BoardState): SessionStatus {
  const { agents, settings, startedAt, lastAt, seq } = state;
  const ended = isAllReady(state);
  const deadline = deadlineOf(state);
  const ready = `${readyAgents(state).length} of ${neededAgents(state)} agents ready`;
  const count = knownNames(state.findings).length;
  return {
    id: undefined,
    kind: "findings",
    topic: singleLine(settings.about),
    participants: agents.map(({ name }) => name),
    initiator: agents[0]?.name ?? "",
    startedAt,
    lastAt,
    seq,
    phase: ended ? "all_ready" : "gathering",
    ended,
    waitingFor: awaitedAgents(state).map(({ name }) => name),
    hasTurns: false,
    waitSeconds: undefined,
    summary: `${ready}, ${count} findings${deadline === "" ? "" : `, deadline ${deadline}`}`,
  };
}

/** An agent that has posted is not new, and where all are ready the reports are what counts. */
export function isNewTo(state: BoardState, participant: string): boolean {
  return (agentOf(state, participant)?.lastNumber ?? 0) === 0 && !isAllReady(state);
}
