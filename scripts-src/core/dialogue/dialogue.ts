import type { LogEvent } from "../event.ts";
import { isRecord } from "../json.ts";
import type { Delivery, FileWanted, Protocol, Purpose, Standing, View } from "../protocol.ts";
import { fileStamp, notBefore, stampIn } from "../time.ts";
import { singleLine } from "../visible-text.ts";
import { audit } from "./audit.ts";
import { conclusions } from "./conclusions.ts";
import { closingFaults } from "./consensus.ts";
import { closing, contextOf, decide } from "./decide.ts";
import { note, pending } from "./delivery.ts";
import { parseDialogueEvent, unseal } from "./event.ts";
import { evolve, initialState } from "./evolve.ts";
import type { Message } from "./message.ts";
import { isNewTo, nextAction, unanswered } from "./next-action.ts";
import { roundToTell } from "./refusals.ts";
import { report } from "./report.ts";
import { type DialogueState, hasEnded, type Phase, sideOf, unconfirmedBy } from "./state.ts";

/** Two agents exchange self-sufficient messages until consensus or escalation (seeds 000, 003). */
export const dialogue: Protocol<DialogueState> = {
  kind: "dialogue",
  stateVersion: 3,
  sharedLog: false,
  initialState,
  decide,
  closing,
  evolve,
  audit,
  nextAction,
  standing,
  isNewTo,
  conclusions,
  filesWanted,
  inspect: (_state, _events, _files, logFaults) => ({ errors: [...logFaults], warnings: [] }),
  mail: { unanswered, letter, pending, note },
  views,
  report,
};

function standing(state: DialogueState): Standing {
  const confidences = state.participants.map(
    (name) => sideOf(state, name).confidences.at(-1) ?? "-",
  );
  const unconfirmed = unconfirmedBy(state);
  return {
    id: state.id,
    kind: "dialogue",
    topic: singleLine(state.topic),
    participants: state.participants,
    initiator: state.participants[0] ?? "",
    startedAt: state.startedAt,
    lastAt: state.actedAt,
    spoke: Object.fromEntries(state.participants.map((name) => [name, sideOf(state, name).lastAt])),
    signs: Object.fromEntries(state.participants.map((name) => [name, lastSign(state, name)])),
    seq: state.seq,
    phase: state.phase,
    ended: hasEnded(state),
    waitingFor: state.turn,
    hasTurns: true,
    waitSeconds: undefined,
    summary:
      `${state.mode}, round ${roundToTell(state)} of ${state.rules.max_rounds}, budget ${state.budget}, ` +
      `confidence ${confidences.join(", ")}, agreed ${state.agreements.length}, ` +
      [`disputed ${state.disagreements.length}`, ...closingFaults(state)].join(", "),
    ...(unconfirmed === undefined ? {} : { unconfirmedBy: unconfirmed }),
  };
}

function lastSign(state: DialogueState, participant: string): string {
  const { lastAt, readAt } = sideOf(state, participant);
  return notBefore(lastAt, readAt);
}

/** `.consulta/sessions/<id>`, where a dialogue lives, lies three folders below the project. */
const foldersToProject = 3;

/** The artifacts that a draft claims to have created or changed. */
function filesWanted(_state: DialogueState, purpose: Purpose): FileWanted[] {
  const message = purpose.for === "decision" ? purpose.fields["message"] : undefined;
  const progress = isRecord(message) ? message["progress"] : undefined;
  if (!Array.isArray(progress)) return [];
  return progress.flatMap((entry) => {
    const path = isRecord(entry) && entry["kind"] === "artifact" ? entry["path"] : undefined;
    return typeof path === "string" ? [{ path, as: "sha256" as const, up: foldersToProject }] : [];
  });
}

/**
 * The file that a delivery puts into an inbox: the message of its event, the position that was
 * sealed in it, or the ESCALATE message in which a rule tells both sides of the end.
 */
function letter(state: DialogueState, delivery: Delivery, event: LogEvent): string {
  const known = parseDialogueEvent(event);
  const sent = known.event === "position_sealed" ? unseal(known.sealed) : known;
  const message =
    sent?.event === "message_sent" && sent.file === delivery.file
      ? sent.message
      : escalationMessage(state, delivery);
  return jsonText({ ...message, seq: delivery.seq });
}

function escalationMessage(state: DialogueState, { from, to, file }: Delivery) {
  const timestamp = stampIn(file) ?? state.lastAt;
  return {
    id: `${state.id}-${fileStamp(timestamp)}`,
    session_id: state.id,
    timestamp,
    from,
    to,
    type: "ESCALATE",
    round: Math.max(state.lastRound, 1),
    expects_reply: false,
    context: contextOf(state),
    confidence: Math.min(...state.participants.map((name) => lastConfidence(state, name))),
    question_or_proposal: { type: "proposal", content: endLines(state).join("\n") },
    agreements_so_far: state.agreements,
    disagreements_pending: state.disagreements.map(({ point }) => point),
    meta: { round_budget_remaining: Math.max(state.budget, 0) },
  };
}

/** A rule is sure of nothing but what both sides are. */
function lastConfidence(state: DialogueState, name: string): number {
  return sideOf(state, name).confidences.at(-1) ?? 0;
}

/** What an ESCALATE message says that no participant wrote. */
function endLines({ outcome, goal }: DialogueState): string[] {
  if (outcome?.kind === "closed")
    return [`Closed by ${outcome.by}, nothing was decided: ${outcome.reason}`];
  const escalated = outcome?.kind === "escalated" ? outcome : undefined;
  return [
    `Original goal: ${escalated?.goal ?? goal}`,
    ...(escalated?.positions ?? []).map(
      (it) => `Position of ${it.participant}: ${it.position || "none"}`,
    ),
    `Point of disagreement: ${escalated?.disagreement ?? ""}`,
    `Why: ${(escalated?.reasons ?? []).map(({ code, text }) => `${code} (${text})`).join("; ")}`,
  ];
}

/** The session file of seed 000; its rules when it opens; the solution when both agreed on one. */
function views(state: DialogueState, event: LogEvent | undefined): View[] {
  const states: Partial<Record<Phase, string>> = {
    consensus: "CONSENSUS",
    escalated: "ESCALATED",
    // The original knows no other end without a result.
    closed: "ESCALATED",
  };
  const session = {
    session_id: state.id,
    topic: state.topic,
    initiated_by: state.participants[0],
    started_at: state.startedAt,
    state: states[state.phase] ?? "IN_PROGRESS",
    current_round: state.round,
  };
  const view = (within: View["within"], folder: string[], name: string, text: string) => ({
    within,
    folder,
    name,
    text,
  });
  const entry = view("workspace", ["sessions"], `${state.id}.json`, jsonText(session));
  // Who began by hand wrote this file itself: its words for the topic stay.
  const changing: View[] = [state.begunByHand ? { ...entry, keeps: ["topic"] } : entry];
  if (event === undefined) return changing;
  const known = parseDialogueEvent(event);
  if (known.event === "opened") {
    const { mode, rules, participants, topic } = known;
    const protocol = { kind: "dialogue", session_id: state.id, topic, participants, mode, rules };
    changing.push(view("session", [], "protocol.json", jsonText(protocol)));
  }
  const solution =
    known.event === "message_sent" ? solutionText(state, known.message, event.seq) : "";
  if (solution !== "") {
    const made = view("artifacts", [state.id], "merged-solution.md", solution);
    // A colleague with the original files keeps a solution of its own under this name.
    const ours = { mark: solutionMark(state), otherwise: "merged-solution-consulta.md" };
    changing.push({ ...made, ours });
  }
  return changing;
}

/** What stands in every solution that we wrote. */
function solutionMark({ id }: DialogueState): string {
  return `Session ${id}, message `;
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** The solution as it stands after an event; "" where that changes none. */
function solutionText(state: DialogueState, message: Message, seq: number): string {
  const { reopened, outcome } = state;
  if (reopened !== undefined) {
    return (
      `# Merged solution: ${state.topic}\n\nNone now: ${reopened.by} objected to the closing text, and the ` +
      `session is open again.\n\n${solutionMark(state)}${reopened.seq}.\n`
    );
  }
  if (outcome?.kind !== "consensus" || outcome.seq !== seq) return "";
  const agreed = state.agreements.map((point) => `- ${point}`).join("\n");
  return (
    `# Merged solution: ${state.topic}\n\n${message.question_or_proposal.content}\n\n` +
    `## Agreed on the way\n\n${agreed || "- nothing was listed"}\n\n` +
    `${solutionMark(state)}${seq}, written by ${message.from}${outcome.open.length > 0 ? "" : " after both agreed"}.\n`
  );
}
