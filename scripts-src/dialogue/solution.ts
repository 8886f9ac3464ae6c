import { type Claim, isSeen, seenBy, standingClaims } from "./evidence-state.ts";
import type { Message } from "./message.ts";
import { bold } from "./report-formatting.ts";
import type { DialogueState, Outcome } from "./state.ts";
import { verdictOf } from "./verdict.ts";

/** What stands in every solution that we wrote. */
export function solutionMark({ id }: DialogueState): string {
  return `Session ${id}, message `;
}

/** The solution as it stands after an event; "" where that changes none. */
export function solutionText(state: DialogueState, message: Message, seq: number): string {
  const { reopened, outcome, topic } = state;
  if (reopened !== undefined) {
    return (
      `# Merged solution: ${topic}\n\nNone now: ${reopened.by} objected to the closing text, and the ` +
      `session is open again.\n\n${solutionMark(state)}${reopened.seq}.\n`
    );
  }
  if (outcome?.kind !== "consensus" || (outcome.agreed?.seq ?? outcome.seq) !== seq) return "";
  const text = outcome.agreed?.text ?? message.question_or_proposal.content;
  const agreed = state.agreements.map((point) => `- ${point}`).join("\n");
  return [
    `# Merged solution: ${topic}`,
    `Verdict: ${verdictOf(state).words}`,
    ...(outcome.agreed === undefined ? [] : [bold(outcome.agreed.position)]),
    text,
    ...restsOn(state),
    ...reservationsOf(state),
    `## Agreed on the way\n\n${agreed || "- nothing was listed"}`,
    `${solutionMark(state)}${seq}, ${whoWrote(outcome)}.\n`,
  ].join("\n\n");
}

/** The solution after the person decided: their words, and what the participants had said. */
export function decidedText(state: DialogueState): string {
  const { topic, outcome, person } = state;
  const { decided } = person;
  if (decided === undefined) return "";
  const agreed = outcome?.kind === "consensus" ? outcome.agreed : undefined;
  const positions = outcome?.kind === "escalated" ? outcome.positions : [];
  return [
    `# Merged solution: ${topic}`,
    `Verdict: ${verdictWords(state)}`,
    `## Decided by the user\n\n${decided.text}`,
    ...(agreed === undefined
      ? []
      : [`## What both recommended\n\n${bold(agreed.position)}\n\n${agreed.text}`]),
    ...positions.map((it) => `## Position of ${it.participant}\n\n${it.position || "none"}`),
    ...restsOn(state),
    ...reservationsOf(state),
    `${solutionMark(state)}${decided.seq}, decided by the user.\n`,
  ].join("\n\n");
}

/** What became of the decision later does not change this file. */
function verdictWords(state: DialogueState): string {
  const { judged: _, ...person } = state.person;
  const { words, remarks } = verdictOf({ ...state, person });
  return [words, ...remarks].join("; ");
}

function whoWrote({ agreed, by, open, seq }: Extract<Outcome, { kind: "consensus" }>): string {
  if (agreed !== undefined) return `text of message ${seq} by ${by}, confirmed by ${agreed.by}`;
  return `written by ${by}${open.length > 0 ? "" : " after both agreed"}`;
}

function restsOn({ trust }: DialogueState): string[] {
  const lines = standingClaims(trust).map(claimLine);
  return lines.length === 0 ? [] : [`## What it rests on\n\n${lines.join("\n")}`];
}

function claimLine(claim: Claim): string {
  const who = seenBy(claim);
  const state = isSeen(claim)
    ? "seen by both"
    : who.length > 0
      ? `assumed, seen by ${who.join(" and ")} only`
      : "assumed";
  const why = claim.outcome?.reason ? ` (${claim.outcome.reason})` : "";
  const { id, text, spec, disputed } = claim;
  const doubt = disputed === undefined ? "" : `, disputed by ${disputed.by}`;
  const check = spec === "" ? "" : ` [${spec}]`;
  return `- ${id}${doubt} ${text}${check}: ${state}${why}`.replace(/\s*\n\s*/g, " ");
}

function reservationsOf({ trust }: DialogueState): string[] {
  const lines = trust.reservations.map(({ by, text, seq }) =>
    `- ${by} (message ${seq}): ${text}`.replace(/\s*\n\s*/g, " "),
  );
  return lines.length === 0 ? [] : [`## Reservations\n\n${lines.join("\n")}`];
}
