import { defined } from "../../base/omit-undefined.ts";
import type { Decision, Move } from "../../protocol/protocol.ts";
import { decide } from "./decide.ts";
import { type Deliverable, referenceOf } from "./deliverables.ts";
import { eventTexts } from "./event-texts.ts";
import { marker } from "./files-wanted.ts";
import { dueEvent, isAllowed } from "./machine.ts";
import type { CollaborationState, EventName, ParticipantView } from "./state.ts";
import { exampleReview } from "./templates.ts";
import { transitions } from "./transitions.ts";

/** The event that a participant has to bring about next; undefined when it is not its turn. */
export function expectedEvent({
  state,
  participant,
  files,
}: ParticipantView): EventName | undefined {
  const { phase, owner, settings, waitingFor, seq } = state;
  if (phase === "new") {
    // Anybody may open, but only one of them is asked to. A log that began otherwise is lost.
    const asked = seq === 0 && participant === settings.participants[0];
    return asked ? "initialized" : undefined;
  }
  if (phase === "blocked") {
    const asked = participant === owner && canUnblock(state) && files.has(marker);
    return asked ? "unblocked" : undefined;
  }
  return waitingFor.includes(participant) ? dueEvent(state) : undefined;
}

/** Whether the rules, the original's readers aside, let the owner unblock. */
export function canUnblock(state: CollaborationState): boolean {
  return isAllowed(state, { event: "unblocked", from: state.owner });
}

/** The move that is expected; whether it is possible already is not said. */
export function expectedMove(view: ParticipantView, event: EventName): Move {
  return moveFor(view, event, eventTexts[event]);
}

/** Why the decider would refuse a move as it stands, its summary filled in. */
export function refusalOf(
  { state, participant, files }: ParticipantView,
  move: Move,
): string | undefined {
  const { "reply-to": replyTo, ...options } = move.options;
  const { input } = move;
  // A form as it reads once somebody has written something in every place of it.
  const review = typeof input === "string" ? input.replace(/<[^<>\n]*>/g, "done") : undefined;
  const fields = { ...options, ...defined({ reply_to: replyTo, review }), summary: "done" };
  const decision: Decision = decide(state, {
    participant,
    origin: "script",
    fields,
    at: state.lastAt,
    id: "",
    // Without protocol.json nobody gets so far.
    files: new Map([["protocol.json", { bytes: 0 }], ...files]),
  });
  return decision.ok ? undefined : decision.reason;
}

/** What the participant may append beside the expected event; `blocked` stands last. */
export function optionalMoves(view: ParticipantView, expected: EventName | undefined): Move[] {
  const { phase } = view.state;
  const events = [...new Set(transitions.map(({ event }) => event))];
  const own = events.filter((event) => event !== expected && isOfUse(view.state, event));
  return [
    ...own.map((event) => moveFor(view, event, aboutAgain(event))),
    ...supportingMoves(view),
    // What was never opened could not be unblocked.
    ...(phase === "new" || phase === "blocked"
      ? []
      : [moveFor(view, "blocked", eventTexts.blocked)]),
  ].filter((move) => isPossible(view, move));
}

/** Some events are possible a second time and say nothing then. */
function isOfUse({ readinessPassed, phase }: CollaborationState, event: EventName): boolean {
  if (event === "readiness_passed") return !readinessPassed;
  if (event === "deliverable_drafted") return phase === "drafting";
  return event !== "initialized" && event !== "blocked" && event !== "unblocked";
}

/** What a move is for, and what its summary says. */
interface About {
  readonly purpose: string;
  readonly summary: string;
}

function aboutAgain(event: EventName): About {
  const { again: purpose } = eventTexts[event];
  return purpose === undefined ? eventTexts[event] : { purpose, summary: "what changed" };
}

function moveFor(view: ParticipantView, event: EventName, about: About): Move {
  const { state } = view;
  const { deliverables } = state.settings;
  if (event.startsWith("deliverable_") && deliverables !== null) {
    return deliverableMove(view, event, "primary", deliverables.primary, about);
  }
  const { doc } = eventTexts[event];
  const isReview = event === "review_submitted";
  return {
    purpose: about.purpose,
    options: {
      event,
      ...answering(state, event),
      ...defined({ doc }),
      summary: `<${about.summary}>`,
      ...(isReview ? { review: "-" } : {}),
    },
    ...(isReview ? { input: reviewDraft(state), draft: state.proposalSeq } : {}),
  };
}

function deliverableMove(
  { state, files }: ParticipantView,
  event: EventName,
  role: "primary" | "supporting",
  deliverable: Deliverable,
  { purpose, summary }: About,
): Move {
  const { deliverables } = state.settings;
  const sha256 = event === "deliverable_frozen" ? files.get(deliverable.path)?.sha256 : undefined;
  const doc = deliverables === null ? undefined : referenceOf(deliverables, deliverable);
  return {
    purpose,
    options: {
      event,
      ...answering(state, event),
      ...defined({ doc }),
      role,
      ...defined({ sha256 }),
      summary: `<${summary}>`,
    },
  };
}

/** The form of a review, with what its writer would have to look up filled in. */
function reviewDraft({ settings, proposalSeq }: CollaborationState): string {
  return exampleReview(settings).replace("<seq>", String(proposalSeq));
}

/** The seq that an event answers. Whatever stops or restarts the whole answers the newest. */
function answering(state: CollaborationState, event: EventName): { "reply-to"?: string } {
  const { seq, proposalSeq } = state;
  if (seq === 0) return {};
  const isAboutAll = event === "blocked" || event === "unblocked" || proposalSeq === 0;
  return { "reply-to": String(isAboutAll ? seq : proposalSeq) };
}

/** They may move at any time; more than a few would drown what is expected. */
function supportingMoves(view: ParticipantView): Move[] {
  const { settings, supportingFrozen, phase } = view.state;
  const { deliverables } = settings;
  if (phase === "new" || deliverables === null) return [];
  const about = {
    purpose: "announce a new version of a supporting deliverable",
    summary: "what changed",
  };
  return deliverables.supporting
    .filter((it) => supportingFrozen.every(({ path }) => path !== referenceOf(deliverables, it)))
    .slice(0, supportingMax)
    .map((it) => deliverableMove(view, "deliverable_revised", "supporting", it, about));
}

const supportingMax = 3;

/** Whether the rules allow a move now, documents aside. */
export function isPossible({ state, participant }: ParticipantView, { options }: Move): boolean {
  const { event = "", doc, role, sha256 } = options;
  return isAllowed(state, { event, from: participant, doc, role, sha256 });
}
