import { inline } from "../../base/json.ts";
import { plainWord } from "../../base/quote.ts";
import { visibleText } from "../../base/visible-text.ts";
import { actions } from "./actions.ts";
import { named, type ParticipantView } from "./participant-view.ts";
import { awaited, neverBegins, ownerShown, phaseShown } from "./standing.ts";
import type { CollaborationState, EventName } from "./state.ts";

/** The lines of the contract (originals.md 2.2), then what else tells where things stand. */
export function standingLines(
  { state }: ParticipantView,
  expected: EventName | undefined,
): string[] {
  const { last, settings, blocked, accepted } = state;
  const primary = settings.deliverables?.primary;
  const stage = state.frozen === null ? (state.drafted ? "drafted" : "not drafted yet") : "frozen";
  return [
    `phase: ${phaseShown(state)}`,
    `proposal owner: ${visibleText(ownerShown(state))}`,
    `waiting for: ${named(awaited(state)) || "none"}`,
    ...(last === null
      ? []
      : [`last event: seq ${last.seq} ${lastNames(state, last.event, last.from)}`]),
    `next action: ${nextActionOf(state, expected)}`,
    `objective: ${inline(settings.objective, 1_000)}`,
    `completion gates: ${settings.gates
      .slice(0, gatesShown)
      .map((gate) => inline(gate))
      .join(", ")}`,
    ...(last === null || last.event === "initialized"
      ? []
      : [`summary of seq ${last.seq}: ${inline(last.summary)}`]),
    ...(blocked === null
      ? []
      : [`blocked in ${blocked.phase} by ${named([blocked.by])}: ${inline(blocked.reason)}`]),
    ...(primary === undefined
      ? []
      : [`primary deliverable: ${inline(primary.path)} (${inline(primary.type)}), ${stage}`]),
    ...(accepted.length > 0 ? [`accepted by: ${named(accepted)}`] : []),
  ];
}

const gatesShown = 12;

/** Whoever writes the log by hand may write any name into it. */
function lastNames(state: CollaborationState, event: string, from: string): string {
  const by = state.settings.participants.includes(from) ? from : plainWord(from);
  return visibleText(`${plainWord(event)} from ${by}`);
}

function nextActionOf(state: CollaborationState, expected: EventName | undefined) {
  const { phase } = state;
  if (expected !== undefined) return `${actions[expected].work}, then append ${expected}`;
  if (neverBegins(state)) {
    return "stop, this log cannot begin, its first event is not initialized: a new folder with init is needed";
  }
  if (phase === "completed") return "nothing, the collaboration is completed: run report";
  if (phase === "blocked") {
    return "stop, the collaboration is blocked: tell the user what blocks, run report";
  }
  return `wait for ${named(awaited(state))}: run wait-for-turn`;
}
