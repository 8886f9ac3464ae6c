import type { LogEvent } from "../event.ts";
import { isRecord } from "../json.ts";
import type { Delivery, Protocol, Standing, Submission, View } from "../protocol.ts";
import { fileStamp } from "../time.ts";
import { audit } from "./audit.ts";
import { decide } from "./decide.ts";
import { parseDialogueEvent, unseal } from "./event.ts";
import { evolve, initialState } from "./evolve.ts";
import type { Message } from "./message.ts";
import { nextAction } from "./next-action.ts";
import { report } from "./report.ts";
import { type DialogueState, hasEnded, otherThan, sideOf } from "./state.ts";

/** Two agents exchange self-sufficient messages until consensus or escalation (seeds 000, 003). */
export const dialogue: Protocol<DialogueState> = {
  kind: "dialogue",
  stateVersion: 1,
  opens: (event) => event.event === "opened",
  initialState,
  decide,
  evolve,
  audit,
  nextAction,
  standing,
  filesNamed,
  deliveries,
  views,
  report,
};

function standing(state: DialogueState): Standing {
  const confidences = state.participants.map(
    (name) => sideOf(state, name).confidences.at(-1) ?? "-",
  );
  return {
    id: state.id,
    kind: "dialogue",
    topic: state.topic,
    participants: state.participants,
    initiator: state.participants[0] ?? "",
    startedAt: state.startedAt,
    lastAt: state.lastAt,
    seq: state.seq,
    phase: state.phase,
    ended: hasEnded(state),
    waitingFor: state.turn,
    round: state.round,
    summary:
      `${state.mode}, round ${state.round} of ${state.rules.max_rounds}, budget ${state.budget}, ` +
      `confidence ${confidences.join(" | ")}, agreed ${state.agreements.length}, ` +
      `disputed ${state.disagreements.length}`,
  };
}

/** The artifacts that a draft claims to have created or changed. */
function filesNamed({ message }: Pick<Submission, "message">): string[] {
  const progress = isRecord(message) ? message["progress"] : undefined;
  if (!Array.isArray(progress)) return [];
  return progress.flatMap((entry) => {
    const path = isRecord(entry) && entry["kind"] === "artifact" ? entry["path"] : undefined;
    return typeof path === "string" ? [path] : [];
  });
}

/**
 * A message goes to its recipient; two sealed positions go out together; an escalation by rule is
 * told to both in the ESCALATE message that a colleague with the original files waits for.
 */
function deliveries(before: DialogueState, after: DialogueState, event: LogEvent) {
  const known = parseDialogueEvent(event);
  const sent: { delivery: Delivery; text: string }[] = [];
  const add = (message: object, seq: number, from: string, to: string, file: string) => {
    sent.push({ delivery: { seq, from, to, file }, text: jsonText({ ...message, seq }) });
  };
  if (known.event === "message_sent")
    add(known.message, event.seq, event.from, known.message.to, known.file);
  if (known.event === "position_sealed" && after.phase !== "sealing") {
    const other = sideOf(before, otherThan(before, event.from));
    const envelopes = [
      { seq: other.lastDraft.seq, sealed: other.sealed },
      { seq: event.seq, sealed: known.sealed },
    ];
    for (const { seq, sealed } of envelopes) {
      const opened = unseal(sealed);
      if (opened === undefined) continue;
      add(opened.message, seq, opened.message.from, opened.message.to, opened.file);
    }
  }
  const spoken = known.event === "message_sent" && known.message.type === "ESCALATE";
  if (after.phase === "escalated" && before.phase !== "escalated" && !spoken) {
    for (const to of after.participants) {
      const from = otherThan(after, to);
      const { file, message } = escalationMessage(after, from, to);
      add(message, event.seq, from, to, file);
    }
  }
  return sent;
}

function escalationMessage(state: DialogueState, from: string, to: string) {
  const outcome = state.outcome?.kind === "escalated" ? state.outcome : undefined;
  const timestamp = `${state.lastAt.slice(0, 19)}Z`;
  const lines = [
    `Original goal: ${outcome?.goal ?? state.goal}`,
    ...(outcome?.positions ?? []).map(
      (it) => `Position of ${it.participant}: ${it.position || "none"}`,
    ),
    `Point of disagreement: ${outcome?.disagreement ?? ""}`,
    `Why: ${(outcome?.reasons ?? []).map(({ code, text }) => `${code} (${text})`).join("; ")}`,
  ];
  const message = {
    id: `${state.id}-${fileStamp(timestamp)}`,
    session_id: state.id,
    timestamp,
    from,
    to,
    type: "ESCALATE",
    round: Math.max(state.lastRound, 1),
    expects_reply: false,
    question_or_proposal: { type: "proposal", content: lines.join("\n") },
    agreements_so_far: state.agreements,
    disagreements_pending: state.disagreements.map(({ point }) => point),
    meta: { round_budget_remaining: Math.max(state.budget, 0) },
  };
  return { message, file: `${state.id}-${fileStamp(timestamp)}-${from}-escalate.json` };
}

/** The session file of seed 000; its rules when it opens; the solution when both agreed on one. */
function views(state: DialogueState, event: LogEvent): View[] {
  const states = { consensus: "CONSENSUS", escalated: "ESCALATED" } as const;
  const ended =
    state.phase === "consensus" || state.phase === "escalated" ? state.phase : undefined;
  const session = {
    session_id: state.id,
    topic: state.topic,
    initiated_by: state.participants[0],
    started_at: state.startedAt,
    state: ended === undefined ? "IN_PROGRESS" : states[ended],
    current_round: state.round,
  };
  const known = parseDialogueEvent(event);
  const view = (folder: string[], name: string, text: string) => ({ folder, name, text });
  const changing = [view(["sessions"], `${state.id}.json`, jsonText(session))];
  if (known.event === "opened") {
    const { mode, rules, participants, topic } = known;
    const protocol = { kind: "dialogue", session_id: state.id, topic, participants, mode, rules };
    changing.push(view(["sessions", state.id], "protocol.json", jsonText(protocol)));
  }
  if (known.event === "message_sent" && known.message.type === "CONSENSUS") {
    changing.push(
      view(["artifacts", state.id], "merged-solution.md", solutionText(state, known.message)),
    );
  }
  return changing;
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function solutionText(state: DialogueState, message: Message): string {
  const agreed = state.agreements.map((point) => `- ${point}`).join("\n");
  return (
    `# Merged solution: ${state.topic}\n\n${message.question_or_proposal.content}\n\n` +
    `## Agreed on the way\n\n${agreed || "- nothing was listed"}\n\n` +
    `Session ${state.id}, message ${state.seq}, agreed by ${state.participants.join(" and ")}.\n`
  );
}
