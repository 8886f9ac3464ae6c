import { probesFor } from "../probe.ts";
import type { Desk } from "./desk.ts";

/** A question that a script can ask, and what it can find out about it. */
interface Question {
  readonly text: string;
  /** The line of readiness.md that settles it. */
  settle(desk: Desk): string;
}

const change = "What numbers from real use would change this decision later?";
const watch = "Who watches these numbers?";

/** What a proposal asks, and what a reviewer asks on top. */
export const askedBy = {
  owner: (desk: Desk): string[] => [factQuestion(desk).text, change],
  reviewer: (seat: number): string[] => (seat === 0 ? [watch] : []),
};

/** One question is a fact that can be measured here and now. */
function factQuestion({ objective, project, options }: Desk): Question {
  const [probe] = probesFor(objective);
  return {
    text: `Is it true that ${probe.claim}?`,
    settle() {
      const { outcome, evidence } = probe.run(project, options.terms);
      return `- [resolved] Is it true that ${probe.claim}? ${outcome}, measured: ${evidence}.`;
    },
  };
}

/** The line that settles a question; undefined when it is beyond a script. */
export function settled(desk: Desk, text: string): string | undefined {
  return questionsOf(desk)
    .find((question) => question.text === text)
    ?.settle(desk);
}

function questionsOf(desk: Desk): Question[] {
  return [
    factQuestion(desk),
    {
      text: change,
      settle: () =>
        `- [deferred_nonblocking] ${change} Reason: nobody can name them before it is in use; the first step can be taken back.`,
    },
    {
      text: watch,
      settle: () => `- [resolved] ${watch} Whoever takes the first step, as proposal.md says.`,
    },
  ];
}
