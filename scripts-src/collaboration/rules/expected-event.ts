import { marker } from "./files-wanted.ts";
import type { ParticipantView } from "./participant-view.ts";
import type { CollaborationState, EventName } from "./state.ts";
import { step } from "./transitions.ts";

/** The event that a participant has to bring about next; undefined when it is not its turn. */
export function expectedEvent({
  state,
  participant,
  files,
}: ParticipantView): EventName | undefined {
  const { phase, owner, settings, waitingFor } = state;
  if (phase === "new") {
    // Anybody may open, but only one of them is asked to. A log that began otherwise is lost.
    const asked = state.seq === 0 && participant === settings.participants[0];
    return asked ? "initialized" : undefined;
  }
  if (phase === "blocked") {
    const asked = participant === owner && canUnblock(state) && files.has(marker);
    return asked ? "unblocked" : undefined;
  }
  return waitingFor.includes(participant) ? eventDue(state) : undefined;
}

/** Whether the rules, the original's readers aside, let the owner unblock. */
export function canUnblock(state: CollaborationState): boolean {
  const attempt = { event: "unblocked", from: state.owner, summary: "" };
  return typeof step(state, attempt) !== "string";
}

function eventDue(state: CollaborationState): EventName | undefined {
  const { phase, settings, drafted, classified, frozen, readinessPassed } = state;
  switch (phase) {
    case "drafting":
      return settings.schema === 2 && !drafted ? "deliverable_drafted" : "proposal_submitted";
    case "reviewing":
      return "review_submitted";
    case "revising":
      return "proposal_revised";
    case "decision_review":
      return classified ? "decision_accepted" : "question_classified";
    case "readiness_check":
      if (settings.schema === 2 && frozen === null) return "deliverable_frozen";
      return readinessPassed ? "completed" : "readiness_passed";
    default:
      return undefined;
  }
}
