import type { Judgement } from "./assess.ts";
import { evidenceId, newestFor } from "./evidence.ts";
import { wantedFor } from "./form-fields.ts";
import { dueLines, wordings } from "./obligation-words.ts";
import { defers, obligationsOf, settles } from "./obligations.ts";
import type { Rule } from "./rules-for-all.ts";
import { isSettledByLook } from "./rules-of-facts.ts";
import { type DialogueState, type Obligation, obligationCodes } from "./state.ts";

/** What its sender has to do first, or in it: each kind is one lack. */
export const rulesOfObligations: Rule[] = obligationCodes.map(
  (wanted) =>
    function obligationsMet(attempt) {
      const { state, draft, sender } = attempt;
      const { blocks, field } = wordings[wanted];
      if (blocks === "nothing" || (blocks === "agreement" && draft.type !== "AGREE")) return false;
      const open = obligationsOf(state, sender).filter(
        (it) => it.code === wanted && !isMet(attempt, it),
      );
      const refuted = wanted === "check" ? refutedByOwn(state, sender, open) : undefined;
      if (refuted !== undefined) return refuted;
      const [reason] = dueLines(open, true);
      if (reason === undefined) return false;
      const { fields: add, looks } = wantedFor(state, open);
      // What is met by another type is met by no field.
      return field === "type" ? reason : { reason, add, looks };
    },
);

/** A claim that its own look refuted: no field of an AGREE helps. */
function refutedByOwn(
  state: DialogueState,
  by: string,
  open: readonly Obligation[],
): string | undefined {
  for (const { id } of open) {
    const claim = state.trust.claims.find((it) => it.id === id);
    const own = claim && newestFor(state, by, claim);
    if (own?.met === false)
      return `your ${evidenceId(own)} shows that ${id} does not hold; send EVALUATE with outcome fails`;
  }
  return undefined;
}

function isMet(attempt: Judgement, it: Obligation): boolean {
  const { state, draft, sender, assessment } = attempt;
  const { type, synthesis, self_check, reply_to } = draft;
  switch (it.code) {
    case "answer":
      return defers(draft) || settles(draft, sender, it);
    case "task":
      return state.mode === "parallelo" || defers(draft) || type === "TASK_RESULT";
    case "self_check":
      return type === "ESCALATE" || self_check !== undefined;
    case "synthesis":
    case "facts":
      if (defers(draft) || synthesis !== undefined || type === "TASK_RESULT") return true;
      return assessment.accepts || isSettledByLook(attempt);
    case "offer":
      // What does not compete with it leaves it open; what was written before it was read is no answer.
      if (synthesis !== undefined || assessment.objects || !assessment.competes) return true;
      return reply_to !== undefined && reply_to < Number(it.id);
    default:
      return settles(draft, sender, it);
  }
}
