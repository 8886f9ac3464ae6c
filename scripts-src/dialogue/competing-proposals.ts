import type { Proposal } from "./message.ts";
import { normalized } from "./prose.ts";

/** The parts of a message that tell what it proposes, as far as a script can tell without understanding it. */
interface ProposingMessage {
  readonly type: string;
  readonly question_or_proposal: Proposal;
}

/** Whether a message proposes something else than the other side's last proposal; "" for none. */
export function competesWith(one: ProposingMessage, proposal: string): boolean {
  return proposal !== "" && proposes(one) && differ(textOf(one), proposal);
}

function textOf({ question_or_proposal }: ProposingMessage): string {
  return question_or_proposal.content;
}

/** Neither holds the other. Only their authors know when two wordings mean the same: the second AGREEs then. */
function differ(one: string, other: string): boolean {
  const [first, second] = [normalized(one), normalized(other)];
  return !first.includes(second) && !second.includes(first);
}

/** Whether a message is an answer to the task itself: not a question, a judgement or a clarification. */
export function proposes({ type, question_or_proposal }: ProposingMessage): boolean {
  return type === "RESPONSE" && (question_or_proposal.type ?? "proposal") === "proposal";
}
