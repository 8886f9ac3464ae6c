import { inline } from "../../base/json.ts";
import { plural } from "../../base/plural.ts";
import { plainWord } from "../../base/quote-text.ts";
import { singleLine, visibleText } from "../../base/visible-text.ts";
import type { SessionStatus } from "../../protocol/protocol.ts";
import { eventTexts } from "./event-texts.ts";
import { type CollaborationState, type EventName, named } from "./state.ts";

/** What lists and pages show of a collaboration; its folder names it, so it has no id. */
export function standing(state: CollaborationState): SessionStatus {
  const { settings, owner, phase, blocked, lastAt } = state;
  const { participants } = settings;
  return {
    id: undefined,
    kind: "collaboration",
    topic: singleLine(settings.objective),
    participants,
    initiator: owner || (participants[0] ?? ""),
    startedAt: state.startedAt || settings.createdAt,
    lastAt: lastAt || settings.createdAt,
    seq: state.seq,
    phase: phaseShown(state),
    ended: phase === "completed" || phase === "blocked" || neverBegins(state),
    waitingFor: awaited(state),
    // What blocks a collaboration waits for the person.
    ...(phase !== "blocked" || blocked === null
      ? {}
      : {
          needsPerson: { wants: "way out", text: blocked.reason, since: lastAt, seq: blocked.seq },
        }),
    hasTurns: true,
    summary: summaryOf(state),
    // The defaults of the originals (originals.md 2.1).
    waitSeconds: settings.schema === 1 ? 1_800 : 0,
  };
}

/** The owner before its proposal, the others before their reviews of it. */
export function isNewTo(state: CollaborationState, participant: string): boolean {
  const { phase, seq, owner, waitingFor } = state;
  if (phase === "new") return seq === 0;
  if (phase === "drafting") return true;
  return phase === "reviewing" && participant !== owner && waitingFor.includes(participant);
}

/** An empty log is where `init` would leave it, as the original's readers have it. */
export function phaseShown(state: CollaborationState): string {
  if (neverBegins(state)) return "none";
  return state.phase === "new" ? "drafting" : state.phase;
}

/** Whether the first event was another than `initialized`: that cannot come any more. */
export function neverBegins({ phase, seq }: CollaborationState): boolean {
  return phase === "new" && seq > 0;
}

export function awaited({ phase, seq, waitingFor, settings }: CollaborationState): string[] {
  return phase === "new" && seq === 0 ? settings.participants.slice(0, 1) : waitingFor;
}

function summaryOf(state: CollaborationState): string {
  const { settings, accepted, faultsCount } = state;
  const { schema, participants } = settings;
  const reviewers = participants.length - 1;
  // A blocked collaboration stands where it was blocked.
  const { phase, waitingFor } = state.blocked ?? state;
  const isEarly = phase === "new" || phase === "drafting";
  const missing = phase === "reviewing" ? waitingFor.length : isEarly ? reviewers : 0;
  return [
    `schema ${schema}`,
    plural(participants.length, "participant"),
    `${reviewers - missing} of ${plural(reviewers, "review")} in`,
    `${accepted.length} of ${participants.length} accepted`,
    ...(schema === 2 ? [`deliverable ${deliverableStage(state)}`] : []),
    ...(faultsCount > 0 ? [`${plural(faultsCount, "event")} ignored`] : []),
    `seq ${state.seq}`,
  ].join(", ");
}

function deliverableStage({ frozen, drafted }: CollaborationState): string {
  if (frozen !== null) return "frozen";
  return drafted ? "drafted" : "not drafted";
}

/** The lines of the contract (originals.md 2.2), then what else tells where things stand. */
export function standingLines(
  state: CollaborationState,
  expected: EventName | undefined,
): string[] {
  const { last, settings, blocked, accepted, phase, owner } = state;
  const { objective, gates, deliverables, participants } = settings;
  const primary = deliverables?.primary;
  const stage = deliverableStage(state).replace("not drafted", "not drafted yet");
  const shown = neverBegins(state) ? "none" : phase === "new" ? (participants[0] ?? "") : owner;
  const listed = gates.slice(0, gatesShown).map((gate) => inline(gate));
  const facts: (string | false)[] = [
    `phase: ${phaseShown(state)}`,
    `proposal owner: ${visibleText(shown)}`,
    `waiting for: ${named(awaited(state)) || "none"}`,
    last !== null && `last event: seq ${last.seq} ${lastNames(state, last.event, last.from)}`,
    `next action: ${nextActionOf(state, expected)}`,
    `objective: ${inline(objective, 1_000)}`,
    `completion gates: ${listed.join(", ")}`,
    last !== null &&
      last.event !== "initialized" &&
      `summary of seq ${last.seq}: ${inline(last.summary)}`,
    blocked !== null &&
      `blocked in ${blocked.phase} by ${named([blocked.by])}: ${inline(blocked.reason)}`,
    primary !== undefined &&
      `primary deliverable: ${inline(primary.path)} (${inline(primary.type)}), ${stage}`,
    accepted.length > 0 && `accepted by: ${named(accepted)}`,
  ];
  return facts.filter((line) => line !== false);
}

const gatesShown = 12;

/** An event that was written by hand may have any name in it. */
function lastNames({ settings }: CollaborationState, event: string, from: string): string {
  const by = settings.participants.includes(from) ? from : plainWord(from);
  return visibleText(`${plainWord(event)} from ${by}`);
}

function nextActionOf(state: CollaborationState, expected: EventName | undefined): string {
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
