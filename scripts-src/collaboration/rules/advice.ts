import { inline } from "../../base/json.ts";
import type { Guidance } from "../../protocol/protocol.ts";
import { actions } from "./actions.ts";
import { blanksOwed } from "./obligations.ts";
import { canUnblock } from "./possible-moves.ts";
import { neverBegins } from "./standing.ts";
import { type CollaborationState, type EventName, named, type ParticipantView } from "./state.ts";

type Turn = Guidance["turn"];

/** What to do and what to look out for, in words. */
export function adviceFor(
  view: ParticipantView,
  turn: Turn,
  expected: EventName | undefined,
): string[] {
  return [
    ...(expected === undefined ? [] : actions[expected].advice),
    ...(expected === "review_submitted" ? deliverableAdvice(view.state) : []),
    ...(turn === "theirs" ? waitingAdvice(view.state, view.participant) : []),
    ...(expected === undefined ? [] : documentAdvice(view, expected)),
    ...(turn === "ended" ? endAdvice(view) : staleAdvice(view)),
    ...faultAdvice(view.state),
  ];
}

function deliverableAdvice({ settings }: CollaborationState): string[] {
  const { deliverables } = settings;
  if (deliverables === null) return [];
  const { path } = deliverables.primary;
  return [`Review the primary deliverable as well: ${inline(path)}, section by section.`];
}

function waitingAdvice({ phase, owner }: CollaborationState, participant: string): string[] {
  if (participant !== owner) return ["Edit nothing in the folder while you wait."];
  if (phase !== "reviewing") return [];
  return [
    "While the others review, do not edit proposal.md, decisions.md, readiness.md or protocol.json.",
  ];
}

/** A folder that originals share has a way out of `blocked` only at their cost. */
function endAdvice({ state, participant }: ParticipantView): string[] {
  if (neverBegins(state)) {
    return [
      "Nothing that is appended here counts: initialized must be seq 1. Leave this folder as it is, " +
        "tell the user, and begin in a new folder with init.",
    ];
  }
  if (state.phase !== "blocked" || !canUnblock(state)) return [];
  const { owner } = state;
  if (participant !== owner) {
    return [
      `Only ${named([owner])} can append unblocked. Stop here and tell the user what blocks; when it ` +
        "goes on, run next-action again.",
    ];
  }
  return [
    "Consulta did not make this folder: the original scripts could not append after unblocked. When " +
      "nobody uses them here, append unblocked with --allow-extension.",
  ];
}

/** Documents that this participant must not edit, and templates that are still untouched. */
function documentAdvice(
  { state, participant, files }: ParticipantView,
  expected: EventName,
): string[] {
  const { owner } = state;
  const advice: string[] = [];
  const proposal = files.get("proposal.md")?.text ?? "";
  const isWriting = expected === "proposal_submitted" || expected === "proposal_revised";
  const isTold = blanksOwed(state.settings, files, "proposal.md").length > 0;
  if (isWriting && !isTold && /(?<![\p{L}\p{N}_])TBD(?![\p{L}\p{N}_])/u.test(proposal)) {
    advice.push("proposal.md still says TBD: fill it in or cut it.");
  }
  if (expected === "decision_accepted" && participant !== owner) {
    advice.push(
      `Only ${named([owner])} writes decisions.md and readiness.md. If they cannot be accepted as ` +
        "they stand, append blocked and say what has to change.",
    );
  }
  return advice;
}

function staleAdvice({ state, participant }: ParticipantView): string[] {
  const { staleAcceptances, owner, phase } = state;
  if (staleAcceptances.length === 0) return [];
  const who = `The deliverable was revised after ${named(staleAcceptances)} accepted.`;
  if (participant !== owner || phase !== "decision_review") return [who];
  return [`${who} Append decision_proposed to ask again.`];
}

/** The newest that are remembered; all of them stand in validate's output. */
function faultAdvice({ faults, faultsCount }: CollaborationState): string[] {
  const lines = faults
    .slice(-faultsShown)
    .map(({ seq, reason }) => `seq ${seq}: ${inline(reason, 400)}; ignored`);
  const more = faultsCount - lines.length;
  return more > 0 ? [...lines, `${more} more events were ignored; run validate`] : lines;
}

const faultsShown = 5;
