import { refused } from "../../base/errors.ts";
import { inline } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import type { Files, Guidance, Move } from "../../protocol/protocol.ts";
import { decide } from "./decide.ts";
import { referenceOf } from "./deliverables.ts";
import { eventTexts } from "./event-texts.ts";
import { documentsOf, marker } from "./files.ts";
import { dueEvent, isAllowed } from "./machine.ts";
import { obligationLines, obligationsBefore } from "./obligations.ts";
import { neverBegins, standingLines } from "./session-status.ts";
import { participantFault } from "./settings.ts";
import { type CollaborationState, type EventName, named, type ParticipantView } from "./state.ts";
import { exampleReview } from "./templates.ts";
import { transitions } from "./transitions.ts";

/**
 * What a participant must do now. An event is offered only when the rules allow it, and what the
 * decider would refuse in the first one is an obligation: doing what is said here is never refused.
 *
 * @throws ConsultaError REFUSED for someone who takes no part, and for settings at fault.
 */
export function nextAction(state: CollaborationState, participant: string, files: Files): Guidance {
  const { settings, phase } = state;
  const fault = settings.fault || participantFault(settings, participant);
  if (fault !== undefined) throw refused(fault);
  const view = { state, participant, files };
  const expected = expectedEvent(view);
  // Others may still go on where this participant cannot. While it is blocked, waiting ends at once.
  const isOver = phase === "completed" || phase === "blocked" || neverBegins(state);
  const turn = expected !== undefined ? "yours" : isOver ? "ended" : "theirs";
  const move = expected && moveFor(view, expected, eventTexts[expected]);
  const obligations = expected && move ? obligationsOf(view, expected, move) : [];
  const first = move && isPossible(view, move) ? [unlessOwed(move, obligations)] : [];
  return {
    turn,
    standing: standingLines(state, expected),
    received: [],
    receivedEarlier: 0,
    obligations,
    advice: adviceFor(view, turn, expected),
    moves: turn === "ended" ? [] : [...first, ...optionalMoves(view, expected)],
    documents: turn === "ended" ? [] : documentsOf(state, participant),
  };
}

/** The event that a participant has to bring about next; undefined when it is not its turn. */
function expectedEvent({ state, participant, files }: ParticipantView): EventName | undefined {
  const { phase, owner, settings, waitingFor, seq } = state;
  if (phase === "new") {
    // Anybody may open, but only one of them is asked to. A log that began otherwise is lost.
    return seq === 0 && participant === settings.participants[0] ? "initialized" : undefined;
  }
  if (phase === "blocked") {
    const isAsked = participant === owner && canUnblock(state) && files.has(marker);
    return isAsked ? "unblocked" : undefined;
  }
  return waitingFor.includes(participant) ? dueEvent(state) : undefined;
}

/** Whether the rules, the original's readers aside, let the owner unblock. */
function canUnblock(state: CollaborationState): boolean {
  return isAllowed(state, { event: "unblocked", from: state.owner });
}

/** The hash of a file that has to be changed first would be wrong by then. */
function unlessOwed(move: Move, obligations: readonly string[]): Move {
  if (move.options["sha256"] === undefined || obligations.length === 0) return move;
  const purpose = `${move.purpose}; run next-action again for the hash when everything to do is done`;
  const options = { ...move.options, sha256: "<the hash that is printed then>" };
  return { ...move, purpose, options };
}

/** The work in better words than the decider's; in its own where there are none. */
function obligationsOf(view: ParticipantView, expected: EventName, move: Move): string[] {
  const owed = obligationLines(view, obligationsBefore(view, expected));
  // Filling in documents would not help who may not append at all.
  if (owed.length > 0 && isPossible(view, move)) return owed;
  const refusal = refusalOf(view, move);
  return refusal === undefined ? [] : [refusal];
}

/** Why the decider would refuse a move as it stands, its summary filled in. */
function refusalOf({ state, participant, files }: ParticipantView, move: Move): string | undefined {
  const { "reply-to": replyTo, ...options } = move.options;
  const { input } = move;
  // A form as it reads once somebody has written something in every place of it.
  const review = typeof input === "string" ? input.replace(/<[^<>\n]*>/g, "done") : undefined;
  const decision = decide(state, {
    participant,
    origin: "script",
    fields: { ...options, ...defined({ reply_to: replyTo, review }), summary: "done" },
    at: state.lastAt,
    id: "",
    // Without protocol.json nobody gets so far.
    files: new Map([["protocol.json", { bytes: 0 }], ...files]),
  });
  return decision.ok ? undefined : decision.reason;
}

/** What the participant may append beside the expected event; `blocked` is last. */
function optionalMoves(view: ParticipantView, expected: EventName | undefined): Move[] {
  const { readinessPassed, phase } = view.state;
  // Some events are possible a second time and say nothing then.
  const useless: Partial<Record<EventName, boolean>> = {
    readiness_passed: readinessPassed,
    deliverable_drafted: phase !== "drafting",
    ...{ initialized: true, blocked: true, unblocked: true },
  };
  const events = [...new Set(transitions.map(({ event }) => event))];
  const own = events.filter((event) => event !== expected && useless[event] !== true);
  // What was never opened could not be unblocked.
  const canStop = phase !== "new" && phase !== "blocked";
  return [
    ...own.map((event) => {
      const { again } = eventTexts[event];
      const about = again === undefined ? eventTexts[event] : { purpose: again, summary: changed };
      return moveFor(view, event, about);
    }),
    ...(canStop ? [moveFor(view, "blocked", eventTexts.blocked)] : []),
  ].filter((move) => isPossible(view, move));
}

const changed = "what changed";

/** What a move is for, and what its summary says. */
interface About {
  readonly purpose: string;
  readonly summary: string;
}

function moveFor(view: ParticipantView, event: EventName, about: About): Move {
  const { state } = view;
  const { settings, proposalSeq } = state;
  const { deliverables } = settings;
  if (event.startsWith("deliverable_") && deliverables !== null) {
    const { primary } = deliverables;
    const sha256 =
      event === "deliverable_frozen" ? view.files.get(primary.path)?.sha256 : undefined;
    const doc = referenceOf(deliverables, primary);
    return moveWith(state, event, { doc, role: "primary", sha256 }, about);
  }
  const move = moveWith(state, event, { doc: eventTexts[event].doc }, about);
  if (event !== "review_submitted") return move;
  return {
    ...move,
    options: { ...move.options, review: "-" },
    // The form, with what its writer would have to look up filled in.
    input: exampleReview(settings).replace("<seq>", String(proposalSeq)),
    draft: proposalSeq,
  };
}

function moveWith(
  { seq, proposalSeq }: CollaborationState,
  event: EventName,
  options: Readonly<Record<string, string | undefined>>,
  { purpose, summary }: About,
): Move {
  // Whatever stops or restarts the whole answers the newest.
  const isAboutAll = event === "blocked" || event === "unblocked" || proposalSeq === 0;
  const replyTo = seq === 0 ? undefined : String(isAboutAll ? seq : proposalSeq);
  const given = { event, "reply-to": replyTo, ...options, summary: `<${summary}>` };
  const known = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { purpose, options: Object.fromEntries(known) };
}

/** Whether the rules allow a move now, documents aside. */
function isPossible({ state, participant }: ParticipantView, { options }: Move): boolean {
  const { event = "", doc, role, sha256 } = options;
  return isAllowed(state, { event, from: participant, doc, role, sha256 });
}

/** What to do and what to look out for, in words. */
function adviceFor(
  view: ParticipantView,
  turn: Guidance["turn"],
  expected: EventName | undefined,
): string[] {
  const { state, participant } = view;
  const { settings, owner } = state;
  const { deliverables } = settings;
  const path = inline(deliverables?.primary.path ?? "");
  return [
    ...(expected === undefined ? [] : eventTexts[expected].advice),
    ...(expected === "review_submitted" && deliverables !== null
      ? [`Review the primary deliverable as well: ${path}, section by section.`]
      : []),
    ...(turn === "theirs" ? waitingAdvice(state, participant) : []),
    ...(expected === "decision_accepted" && participant !== owner
      ? [
          `Only ${named([owner])} writes decisions.md and readiness.md. If they cannot be accepted as ` +
            "they stand, append blocked and say what has to change.",
        ]
      : []),
    ...(turn === "ended" ? endAdvice(state, participant) : staleAdvice(state, participant)),
    ...faultAdvice(state),
  ];
}

function waitingAdvice({ phase, owner }: CollaborationState, participant: string): string[] {
  if (participant !== owner) return ["Edit nothing in the folder while you wait."];
  const own = "proposal.md, decisions.md, readiness.md or protocol.json";
  return phase === "reviewing" ? [`While the others review, do not edit ${own}.`] : [];
}

/** A folder that originals share has a way out of `blocked` only at their cost. */
function endAdvice(state: CollaborationState, participant: string): string[] {
  const { owner, phase } = state;
  if (neverBegins(state)) {
    return [
      "Nothing that is appended here counts: initialized must be seq 1. Leave this folder as it is, " +
        "tell the user, and begin in a new folder with init.",
    ];
  }
  if (phase !== "blocked" || !canUnblock(state)) return [];
  return participant === owner
    ? [
        "Consulta did not make this folder: the original scripts could not append after unblocked. When " +
          "nobody uses them here, append unblocked with --allow-extension.",
      ]
    : [
        `Only ${named([owner])} can append unblocked. Stop here and tell the user what blocks; when it ` +
          "goes on, run next-action again.",
      ];
}

function staleAdvice(state: CollaborationState, participant: string): string[] {
  const { staleAcceptances, owner, phase } = state;
  if (staleAcceptances.length === 0) return [];
  const who = `The deliverable was revised after ${named(staleAcceptances)} accepted.`;
  const canAsk = participant === owner && phase === "decision_review";
  return [canAsk ? `${who} Append decision_proposed to ask again.` : who];
}

/** The newest that are remembered; all of them are in validate's output. */
function faultAdvice({ faults, faultsCount }: CollaborationState): string[] {
  const lines = faults
    .slice(-faultsShown)
    .map(({ seq, reason }) => `seq ${seq}: ${inline(reason, 400)}; ignored`);
  const more = faultsCount - lines.length;
  return more > 0 ? [...lines, `${more} more events were ignored; run validate`] : lines;
}

const faultsShown = 5;
