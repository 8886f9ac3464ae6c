import type { LogEvent } from "../event.ts";
import type { Conclusion } from "../protocol.ts";
import { messagesOf, type Said, solutionIn } from "./report.ts";
import type { DialogueState, Outcome } from "./state.ts";

/** The decision, or what the user was left to decide; and the last synthesis. */
export function conclusions(state: DialogueState, events: readonly LogEvent[]): Conclusion[] {
  const { outcome } = state;
  // What was closed says nothing of the question.
  if (outcome === undefined || outcome.kind === "closed") return [];
  const said = messagesOf(state, events);
  const end =
    outcome.kind === "consensus"
      ? decision(solutionIn(said, outcome) ?? outcome.decision, outcome.open)
      : undecided(outcome);
  return [end, ...synthesis(said)];
}

/** What was open when it was closed stays so; who has read its text since changes, and is not kept. */
function decision(text: string, open: readonly string[]): Conclusion {
  const outcome =
    open.length === 0 ? "consensus" : "consensus by the original rules, with points open";
  return { what: "decision", outcome, text };
}

/** So that the point of disagreement and both positions find room beside each other. */
const partCharacters = 500;

function undecided({
  reasons,
  positions,
  disagreement,
}: Extract<Outcome, { kind: "escalated" }>): Conclusion {
  const codes = reasons.map(({ code }) => code.replaceAll("_", " "));
  const lines = [
    `Left open: ${short(disagreement)}`,
    ...positions.map((it) => `Position of ${it.participant}: ${short(it.position) || "none"}`),
  ];
  const outcome = `not decided, left to the user (${codes.join(", ")})`;
  return { what: "undecided", outcome, text: lines.join("\n") };
}

function short(text: string): string {
  return text.length > partCharacters ? `${text.slice(0, partCharacters)}...` : text;
}

function synthesis(said: readonly Said[]): Conclusion[] {
  const last = said.findLast(({ message }) => message.synthesis !== undefined)?.message;
  if (last?.synthesis === undefined) return [];
  return [{ what: "synthesis", outcome: `synthesis of ${last.from}`, text: last.synthesis }];
}
