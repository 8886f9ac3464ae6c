import { inline } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";
import type { Delivery, Guidance } from "../protocol/protocol.ts";
import { closingFaults } from "./consensus.ts";
import { formsFor } from "./forms.ts";
import { guideFor, moveOf, standingLines } from "./guide.ts";
import { type DialogueState, hasEnded, sideOf } from "./state.ts";

/**
 * What a participant must do now. Everything it says follows from the state that the decider will
 * judge the answer by, so that an agent that lost its memory continues correctly from here.
 */
export function nextAction(state: DialogueState, participant: string): Guidance {
  const base = {
    standing: standingLines(state, participant),
    received: unanswered(state, participant),
    receivedEarlier: sideOf(state, participant).unansweredEarlier,
    obligations: [],
    moves: [],
    documents: [],
  };
  if (hasEnded(state)) {
    const forms = mayObject(state, participant) ? formsFor(state, participant) : [];
    const moves = forms.map((form) => moveOf(state, participant, form));
    const { decided } = state.person;
    const advice = endAdvice(state, participant);
    return { ...base, turn: "ended", advice, moves, ...defined({ decided }) };
  }
  return { ...base, ...guideFor(state, participant) };
}

/** Whether the closing text is the other side's, and this one has not agreed to it. */
function mayObject({ outcome }: DialogueState, participant: string): boolean {
  if (outcome?.kind !== "consensus") return false;
  return outcome.by !== participant && outcome.confirmed !== "agreed";
}

/**
 * Whether this participant has sent nothing yet in an open session. A sealed position counts as sent, also
 * before it is opened.
 */
export function isNewTo(state: DialogueState, participant: string): boolean {
  return !hasEnded(state) && sideOf(state, participant).lastDraft.seq === 0;
}

/** What was said to a participant and not answered yet, oldest first. */
export function unanswered(state: DialogueState, participant: string): Delivery[] {
  return sideOf(state, participant).unanswered.map(({ seq, from, file }) => ({
    seq,
    from,
    file,
    to: participant,
  }));
}

function endAdvice(state: DialogueState, participant: string): string[] {
  const { outcome } = state;
  if (outcome === undefined) return [];
  if (outcome.kind === "consensus") {
    const { by, agreed, decision } = outcome;
    return [
      // The report that comes next has the text; only a text nobody confirmed is to be compared here.
      agreed === undefined
        ? `CONSENSUS. Decision of ${by}: ${inline(decision, 2_000)}`
        : `CONSENSUS. Decision: ${inline(agreed.position)}`,
      ...closingFaults(state),
      ...outcome.open,
      ...(mayObject(state, participant) ? ["Compare that text with what you agreed."] : []),
    ];
  }
  if (outcome.kind === "closed")
    return [`CLOSED by ${outcome.by}, nothing was decided: ${inline(outcome.reason, 1_000)}`];
  return [
    `ESCALATED to the user: ${outcome.reasons.map(({ code, text }) => `${code} (${inline(text)})`).join("; ")}`,
    `goal: ${inline(outcome.goal)}`,
    ...outcome.positions.map(
      ({ participant, position }) =>
        `position of ${participant}: ${inline(position || "none", 1_000)}`,
    ),
    `point of disagreement: ${inline(outcome.disagreement, 1_000)}`,
  ];
}
