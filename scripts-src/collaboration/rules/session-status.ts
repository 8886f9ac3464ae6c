import { plainWord } from "../../base/escape-untrusted-text.ts";
import { inline } from "../../base/json.ts";
import { plural } from "../../base/plural.ts";
import { singleLine, visibleText } from "../../base/visible-text.ts";
import type { SessionStatus } from "../../protocol/protocol.ts";
import { eventTexts } from "./event-texts.ts";
import { type CollaborationState, type EventName, named, type ParticipantView } from "./state.ts";

/** What lists and pages show of a collaboration; its folder names it, so it has no id. */
export function standing(state: CollaborationState): SessionStatus {
  const { settings, owner, phase } = state;
  const { participants } = settings;
  return {
    id: undefined,
    kind: "collaboration",
    topic: singleLine(settings.objective),
    participants,
    initiator: owner || (participants[0] ?? ""),
    startedAt: state.startedAt || settings.createdAt,
    lastAt: state.lastAt || settings.createdAt,
    seq: state.seq,
    phase: phaseShown(state),
    ended: phase === "completed" || phase === "blocked" || neverBegins(state),
    waitingFor: awaited(state),
    ...needOf(state),
    hasTurns: true,
    summary: summaryOf(state),
    // The defaults of the originals (originals.md 2.1).
    waitSeconds: settings.schema === 1 ? 1_800 : 0,
  };
}

/** What blocks a collaboration waits for the person. */
function needOf({
  phase,
  blocked,
  lastAt,
}: CollaborationState): Pick<SessionStatus, "needsPerson"> {
  if (phase !== "blocked" || blocked === null) return {};
  const { reason: text, seq } = blocked;
  return { needsPerson: { wants: "way out", text, since: lastAt, seq } };
}

/** The owner before its proposal, the others before their reviews of it. */
export function isNewTo(
  { phase, seq, owner, waitingFor }: CollaborationState,
  participant: string,
) {
  if (phase === "new") return seq === 0;
  if (phase === "drafting") return true;
  return phase === "reviewing" && participant !== owner && waitingFor.includes(participant);
}

/** An empty log stands where `init` would leave it, as the original's readers have it. */
export function phaseShown(state: CollaborationState): string {
  if (neverBegins(state)) return "none";
  return state.phase === "new" ? "drafting" : state.phase;
}

/** Whether the first event was another than `initialized`: that cannot come any more. */
export function neverBegins({ phase, seq }: CollaborationState): boolean {
  return phase === "new" && seq > 0;
}

export function ownerShown(state: CollaborationState): string {
  if (neverBegins(state)) return "none";
  return state.phase === "new" ? (state.settings.participants[0] ?? "") : state.owner;
}

export function awaited({ phase, seq, waitingFor, settings }: CollaborationState): string[] {
  return phase === "new" && seq === 0 ? settings.participants.slice(0, 1) : waitingFor;
}

function summaryOf(state: CollaborationState): string {
  const { schema, participants } = state.settings;
  const reviewers = participants.length - 1;
  return [
    `schema ${schema}`,
    plural(participants.length, "participant"),
    `${reviewsIn(state, reviewers)} of ${plural(reviewers, "review")} in`,
    `${state.accepted.length} of ${participants.length} accepted`,
    ...(schema === 2 ? [`deliverable ${deliverableStage(state)}`] : []),
    ...(state.faultsCount > 0 ? [`${plural(state.faultsCount, "event")} ignored`] : []),
    `seq ${state.seq}`,
  ].join(", ");
}

/** A blocked collaboration stands where it was blocked. */
function reviewsIn(state: CollaborationState, reviewers: number): number {
  const { phase, waitingFor } = state.blocked ?? state;
  if (phase === "new" || phase === "drafting") return 0;
  return phase === "reviewing" ? reviewers - waitingFor.length : reviewers;
}

function deliverableStage({ frozen, drafted }: CollaborationState): string {
  if (frozen !== null) return "frozen";
  return drafted ? "drafted" : "not drafted";
}

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

/** An event that was written by hand may have any name in it. */
function lastNames(state: CollaborationState, event: string, from: string): string {
  const by = state.settings.participants.includes(from) ? from : plainWord(from);
  return visibleText(`${plainWord(event)} from ${by}`);
}

function nextActionOf(state: CollaborationState, expected: EventName | undefined) {
  const { phase } = state;
  if (expected !== undefined) return `${eventTexts[expected].work}, then append ${expected}`;
  if (neverBegins(state)) {
    return "stop, this log cannot begin, its first event is not initialized: a new folder with init is needed";
  }
  if (phase === "completed") return "nothing, the collaboration is completed: run report";
  if (phase === "blocked") {
    return "stop, the collaboration is blocked: tell the user what blocks, run report";
  }
  return `wait for ${named(awaited(state))}`;
}
