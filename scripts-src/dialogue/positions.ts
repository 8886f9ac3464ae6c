import type { Proposal } from "./message.ts";
import { normalized } from "./prose.ts";

/** What a message proposes, as far as that can be told without understanding it. */
interface Stated {
  readonly type: string;
  readonly question_or_proposal: Proposal;
}

/** Whether a proposal differs from the other side's last one, of which it says nothing. */
export function competesWith(one: Stated, proposal: string): boolean {
  const { content } = one.question_or_proposal;
  return (
    proposal !== "" && proposes(one) && saysMore(content, proposal) && saysMore(proposal, content)
  );
}

/**
 * Whether two answers to one task propose different things (seed 003): neither says all that the other
 * says. Whether two wordings mean the same only their authors know: the second AGREEs then.
 */
export function areCompeting(one: Stated, other: Stated): boolean {
  const [first, second] = [one, other].map((it) => it.question_or_proposal.content);
  return proposes(one) && proposes(other) && saysMore(first, second) && saysMore(second, first);
}

function saysMore(one = "", other = ""): boolean {
  return !normalized(other).includes(normalized(one));
}

/** Whether a message is an answer to the task itself: not a question, a judgement or a clarification. */
export function proposes({ type, question_or_proposal }: Stated): boolean {
  return type === "RESPONSE" && (question_or_proposal.type ?? "proposal") === "proposal";
}
