import { inline } from "../base/json.ts";
import type { MessageDraft } from "./message.ts";
import { normalized } from "./prose.ts";
import type { DialogueState, OwedHypothesis } from "./state.ts";

/** The disputed facts that a side has to check. */
export function factsOwed({ hypotheses }: DialogueState, by: string): OwedHypothesis[] {
  return hypotheses.filter((it) => it.by === by && !it.open);
}

/** Whether one of these checks is of this fact. */
export function settlesFact(
  { claim }: Pick<OwedHypothesis, "claim">,
  hypotheses: NonNullable<MessageDraft["hypotheses"]>,
): boolean {
  return hypotheses.some(
    (it) => it.outcome !== "open" && normalized(it.claim ?? "") === normalized(claim),
  );
}

/** Giving a disputed fact up is an answer as good as checking it. */
export function concedes(
  { resolved = [], progress = [] }: Pick<MessageDraft, "resolved" | "progress">,
  claim: string,
): boolean {
  const accepted = progress.filter(({ kind }) => kind === "accepted");
  return [...resolved, ...accepted].some(
    ({ point }) => normalized(point ?? "") === normalized(claim),
  );
}

/** How much of a point an example of ours repeats. */
const pointCharacters = 240;

/** Only the whole point settles it: one that is too long to be shown is not shown in part. */
export function acceptance(point = ""): string {
  const whole = point.length > pointCharacters ? "<the whole point, word for word>" : inline(point);
  return `progress: [{kind: accepted, point: ${whole}}]`;
}
