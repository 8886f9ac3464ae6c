import { ConsultaError } from "../../base/errors.ts";
import type { Files, Guidance, Move } from "../../protocol/protocol.ts";
import { adviceFor } from "./advice.ts";
import { foldersUpOf, referenceOf } from "./deliverables.ts";
import { isInside } from "./draft.ts";
import { obligationsBefore } from "./obligations.ts";
import {
  expectedEvent,
  expectedMove,
  isPossible,
  optionalMoves,
  refusalOf,
} from "./possible-moves.ts";
import { participantFault } from "./settings.ts";
import { neverBegins, standingLines } from "./standing.ts";
import type { CollaborationState, EventName, ParticipantView, Phase } from "./state.ts";

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
  const owed = obligationsBefore(view, expected);
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
