import type { LogEvent } from "../log/event.ts";
import type { Conclusion } from "../protocol/protocol.ts";
import { messagesOf, solutionIn, type ToldMessage } from "./report-story.ts";
import { isSamePosition } from "./stance.ts";
import type { DialogueState, Outcome } from "./state.ts";
import { verdictOf } from "./verdict.ts";

/** The decision, or what the user was left to decide; and the last synthesis. */
export function conclusions(state: DialogueState, events: readonly LogEvent[]): Conclusion[] {
  const { outcome } = state;
  // What was closed says nothing of the question.
  if (outcome === undefined || outcome.kind === "closed") return [];
  const said = messagesOf(state, events);
  return [ending(state, outcome, said), ...synthesis(outcome, said)];
}

function ending(
  state: DialogueState,
  outcome: Exclude<Outcome, { kind: "closed" }>,
  said: readonly ToldMessage[],
): Conclusion {
  const { words, remarks } = verdictOf(state);
  const { decided } = state.person;
  const verdict = [words, ...remarks].join("; ");
  if (decided !== undefined) return { what: "decision", outcome: verdict, text: decided.text };
  if (outcome.kind === "escalated") return undecided(outcome, verdict);
  // What was open when it was closed stays so; who has read its text since changes, and is not kept.
  const open = outcome.open.length === 0 ? "" : "; closed by the original rules, with points open";
  const { agreed } = outcome;
  const text = agreed?.text ?? solutionIn(said, outcome) ?? outcome.decision;
  const isStated = agreed === undefined || text.startsWith(agreed.position);
  const what = state.trust.owner.length > 0 ? "undecided" : "decision";
  const whole = isStated ? text : `${agreed.position}\n\n${text}`;
  return { what, outcome: `${verdict}${open}`, text: whole };
}

/** So that the point of disagreement and both positions find room beside each other. */
const partCharacters = 500;

function undecided(
  { reasons, positions, disagreement }: Extract<Outcome, { kind: "escalated" }>,
  verdict: string,
): Conclusion {
  const codes = reasons.map(({ code }) => code.replaceAll("_", " "));
  const lines = [
    `Left open: ${short(disagreement)}`,
    ...positions.map((it) => `Position of ${it.participant}: ${short(it.position) || "none"}`),
  ];
  const outcome = `${verdict}, left to the user (${codes.join(", ")})`;
  return { what: "undecided", outcome, text: lines.join("\n") };
}

function short(text: string): string {
  return text.length > partCharacters ? `${text.slice(0, partCharacters)}...` : text;
}

function synthesis(outcome: Outcome, said: readonly ToldMessage[]): Conclusion[] {
  const last = said.findLast(({ message }) => message.synthesis !== undefined)?.message;
  if (last?.synthesis === undefined) return [];
  const agreed = outcome.kind === "consensus" ? outcome.agreed?.position : undefined;
  // Both accepted it: the decision says it.
  if (isSamePosition(last.synthesis, agreed ?? "")) return [];
  return [{ what: "synthesis", outcome: `synthesis of ${last.from}`, text: last.synthesis }];
}
