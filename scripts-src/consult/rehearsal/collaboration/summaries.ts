import { type Desk, textIn } from "./desk.ts";
import { changesMade } from "./edit-proposal.ts";
import { countOf } from "./edit-readiness.ts";
import { recount, saidInReviews } from "./reviews.ts";
import { answer, shortMark } from "./words.ts";

/** What the event says in one line: that a script said it, and what was done for it. */
export function summaryOf(event: string, desk: Desk): string {
  return `${shortMark} ${words(event, desk)}`;
}

function words(event: string, desk: Desk): string {
  const readiness = textIn(desk, "readiness.md");
  switch (event) {
    case "proposal_submitted":
    case "completed":
      return answer(desk);
    case "review_submitted":
      return recount(desk);
    case "proposal_revised": {
      const made = changesMade(desk);
      const asked = saidInReviews(textIn(desk, "review.md"), "Required Changes").length;
      return `made ${made.length} of ${asked} required changes${made.length > 0 ? `: ${made.join(", ")}` : ""}`;
    }
    case "question_classified":
      return `${countOf(readiness, "resolved")} resolved, ${countOf(readiness, "deferred_nonblocking")} deferred, none left open`;
    case "decision_accepted":
      return "nothing that I required is missing, and no question is left open";
    case "readiness_passed":
      return "every question is classified and nothing blocks";
    case "deliverable_drafted":
      return "a first draft with every section filled in";
    case "deliverable_frozen":
      return "final: the accepted decisions are worked in";
    default:
      return "done as next-action says";
  }
}
