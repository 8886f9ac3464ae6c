import { ConsultaError } from "../../base/errors.ts";
import { inline } from "../../base/json.ts";
import type { Files, Guidance, Move } from "../../protocol/protocol.ts";
import { foldersUpOf, referenceOf } from "./deliverables.ts";
import { isInside } from "./draft.ts";
import { eventTexts } from "./event-texts.ts";
import {
  canUnblock,
  expectedEvent,
  expectedMove,
  isPossible,
  optionalMoves,
  refusalOf,
} from "./moves.ts";
import { obligationLines, obligationsBefore } from "./obligations.ts";
import { neverBegins, standingLines } from "./session-status.ts";
import { participantFault } from "./settings.ts";
import {
  type CollaborationState,
  type EventName,
  named,
  type ParticipantView,
  type Phase,
} from "./state.ts";

/**
 * What a participant must do now. A move is listed only when the rules allow it, and what the
 * decider would refuse in the first one is an obligation: doing what is said here is never refused.
 *
 * @throws ConsultaError REFUSED for someone who takes no part, and for settings at fault.
 */
export function nextAction(state: CollaborationState, participant: string, files: Files): Guidance {
  const fault = viewFault(state, participant);
  if (fault !== undefined) throw new ConsultaError("REFUSED", fault);
  const view = { state, participant, files };
  const expected = expectedEvent(view);
  const turn = expected === undefined ? turnWithout(view) : "yours";
  const move = expected && expectedMove(view, expected);
  const obligations = expected && move ? obligationsOf(view, expected, move) : [];
  const first = move && isPossible(view, move) ? [unlessOwed(move, obligations)] : [];
  return {
    turn,
    standing: standingLines(view, expected),
    received: [],
    receivedEarlier: 0,
    obligations,
    advice: adviceFor(view, turn, expected),
    moves: turn === "ended" ? [] : [...first, ...optionalMoves(view, expected)],
    documents: turn === "ended" ? [] : documentsOf(state, participant),
  };
}

/** The hash of a file that has to be changed first would be wrong by then. */
function unlessOwed(move: Move, obligations: readonly string[]): Move {
  const { sha256 } = move.options;
  if (sha256 === undefined || obligations.length === 0) return move;
  const purpose = `${move.purpose}; run next-action again for the hash when everything to do is done`;
  return {
    ...move,
    purpose,
    options: { ...move.options, sha256: "<the hash that is printed then>" },
  };
}

function viewFault({ settings }: CollaborationState, participant: string): string | undefined {
  if (settings.fault !== "") return settings.fault;
  return participantFault(settings, participant);
}

/** Others may still go on where this participant cannot. While it is blocked, waiting ends at once. */
function turnWithout({ state }: ParticipantView): "theirs" | "ended" {
  switch (state.phase) {
    case "completed":
    case "blocked":
      return "ended";
    case "new":
      return neverBegins(state) ? "ended" : "theirs";
    default:
      return "theirs";
  }
}

/** The work in better words than the decider's; in its own where there are none. */
function obligationsOf(view: ParticipantView, expected: EventName, move: Move): string[] {
  const owed = obligationLines(view, obligationsBefore(view, expected));
  // Filling in documents would not help who may not append at all.
  if (owed.length > 0 && isPossible(view, move)) return owed;
  const refusal = refusalOf(view, move);
  return refusal === undefined ? [] : [refusal];
}

const ownersDocuments: Partial<Record<Phase | "new", readonly string[]>> = {
  drafting: ["proposal.md"],
  revising: ["proposal.md", "decisions.md", "readiness.md"],
  decision_review: ["decisions.md", "readiness.md"],
  readiness_check: ["decisions.md", "readiness.md", "conclusion.md"],
};

/** Only the owner writes documents; reviews are written by append-event. */
export function documentsOf(state: CollaborationState, participant: string): string[] {
  const { deliverables } = state.settings;
  const documents = ownersDocuments[state.phase];
  if (participant !== state.owner || documents === undefined) return [];
  const foldersUp = deliverables === null ? undefined : foldersUpOf(deliverables);
  if (deliverables === null || foldersUp === undefined) return [...documents];
  const frozen = new Set(state.supportingFrozen.map(({ path }) => path));
  const open = [
    ...(state.frozen === null ? [deliverables.primary] : []),
    ...deliverables.supporting.filter((it) => !frozen.has(referenceOf(deliverables, it))),
  ];
  // The agent opens these paths to write.
  const paths = open.map(({ path }) => path).filter(isInside);
  return [...documents, ...paths.map((path) => `${"../".repeat(foldersUp)}${path}`)];
}

/** What to do and what to look out for, in words. */
function adviceFor(
  view: ParticipantView,
  turn: Guidance["turn"],
  expected: EventName | undefined,
): string[] {
  return [
    ...(expected === undefined ? [] : eventTexts[expected].advice),
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
function documentAdvice(view: ParticipantView, expected: EventName): string[] {
  const { state, participant, files } = view;
  const { owner } = state;
  const advice: string[] = [];
  const proposal = files.get("proposal.md")?.text ?? "";
  const isWriting = expected === "proposal_submitted" || expected === "proposal_revised";
  const isTold = obligationsBefore(view, expected).length > 0;
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
