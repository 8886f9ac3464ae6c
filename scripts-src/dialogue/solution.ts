import { standingOf } from "./audit.ts";
import { validClaims } from "./claims.ts";
import type { DialogueEvent } from "./event.ts";
import { bold } from "./report-lines.ts";
import type { Claim, Consensus, DialogueState } from "./state.ts";
import { verdictOf } from "./verdict.ts";

/** What stands in every solution that we wrote. */
export function solutionMark({ id }: DialogueState): string {
  return `Session ${id}, message `;
}

/** The solution as it reads after an event; "" where that changes none. */
export function solutionText(state: DialogueState, event: DialogueEvent, seq: number): string {
  const { reopened, outcome, topic, agreements } = state;
  const title = `# Merged solution: ${topic}`;
  if (event.event === "decided") {
    const parts = decidedParts(state);
    return parts.length === 0 ? "" : [title, ...parts].join("\n\n");
  }
  if (event.event !== "message_sent") return "";
  if (reopened !== undefined) {
    const { by, seq } = reopened;
    const why = `None now: ${by} objected to the closing text, and the session is open again.`;
    return `${title}\n\n${why}\n\n${solutionMark(state)}${seq}.\n`;
  }
  if (outcome?.kind !== "consensus" || (outcome.agreed?.seq ?? outcome.seq) !== seq) return "";
  const { agreed } = outcome;
  const points = agreements.map((point) => `- ${point}`).join("\n");
  return [
    title,
    verdictPart(verdictOf(state).words),
    ...(agreed === undefined ? [] : [bold(agreed.position)]),
    agreed?.text ?? event.message.question_or_proposal.content,
    ...restsOn(state),
    `## Agreed on the way\n\n${points || "- nothing was listed"}`,
    `${solutionMark(state)}${seq}, ${whoWrote(outcome)}.\n`,
  ].join("\n\n");
}

/** After the person decided: their words, and what the participants had said. */
function decidedParts(state: DialogueState): string[] {
  const { outcome, person } = state;
  const { decided } = person;
  if (decided === undefined) return [];
  const agreed = outcome?.kind === "consensus" ? outcome.agreed : undefined;
  const positions = outcome?.kind === "escalated" ? outcome.positions : [];
  // What became of the decision later does not change this file.
  const { words, remarks } = verdictOf({ ...state, person: { decided } });
  return [
    verdictPart([words, ...remarks].join("; ")),
    `## Decided by the user\n\n${decided.text}`,
    ...((agreed && [`## What both recommended\n\n${bold(agreed.position)}\n\n${agreed.text}`]) ||
      []),
    ...positions.map((it) => `## Position of ${it.participant}\n\n${it.position || "none"}`),
    ...restsOn(state),
    `${solutionMark(state)}${decided.seq}, decided by the user.\n`,
  ];
}

/** A file that was written once stays as it is: who was audited later, the report says. */
function verdictPart(words: string): string {
  return `Verdict: ${words.replace(", not audited", "")}`;
}

function whoWrote({ agreed, by, open, seq }: Consensus): string {
  if (agreed !== undefined) return `text of message ${seq} by ${by}, confirmed by ${agreed.by}`;
  return `written by ${by}${open.length > 0 ? "" : " after both agreed"}`;
}

/** The claims, and the reservations. */
function restsOn(state: DialogueState): string[] {
  const part = (heading: string, lines: string[]) =>
    lines.length === 0
      ? []
      : [`## ${heading}\n\n${lines.map((it) => it.replace(/\s*\n\s*/g, " ")).join("\n")}`];
  const reservations = state.reservations.map(
    ({ by, text, seq }) => `- ${by} (message ${seq}): ${text}`,
  );
  return [
    ...part(
      "What it rests on",
      validClaims(state).map((it) => claimLine(state, it)),
    ),
    ...part("Reservations", reservations),
  ];
}

function claimLine(state: DialogueState, claim: Claim): string {
  const { id, text, spec, disputed, outcome } = claim;
  const why = outcome?.reason ? ` (${outcome.reason})` : "";
  const doubt = disputed === undefined ? "" : `, disputed by ${disputed.by}`;
  const check = spec === "" ? "" : ` [${spec}]`;
  return `- ${id}${doubt} ${text}${check}: ${standingOf(state, claim).text}${why}`;
}
