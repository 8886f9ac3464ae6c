import { conclusionSections } from "./conclusion-document.ts";
import type { Settings } from "./settings.ts";

/** The documents of schema 1 as `init` writes them; what is TBD must be replaced. */
export function seedTemplates(settings: Settings): Record<string, string> {
  return {
    "README.md": readme(settings),
    "proposal.md": proposal(settings),
    "decisions.md": decisions,
    "readiness.md": readiness(settings),
    "conclusion.md": conclusionTemplate(1, finalAnswer),
  };
}

/** The lines of a list, or that there is nothing to list. */
export function listed(items: readonly string[], form: (item: string) => string): string {
  return items.length === 0 ? "- None." : items.map((item) => `- ${form(item)}`).join("\n");
}

/** What a participant has to know, whichever scripts it uses. */
export const rules = `Rules:
- Run \`next-action\` to learn what is expected of you, do it, run \`append-event\`, then
  \`wait-for-turn\`; repeat until the phase is completed or blocked.
- Only those named in \`waitingFor\` may take the next step. The proposal owner edits nothing while
  the others review.
- Never edit \`events.jsonl\` or \`protocol.json\` by hand; a mistake is corrected by another event.
- Run \`validate\` before \`readiness_passed\` and before \`completed\`.
- \`completed\` names \`conclusion.md\`, and every completion gate is checked in \`readiness.md\` by then.`;

/** How readiness.md begins in both schemas. */
export const openQuestions = `# Readiness

The proposal owner keeps this file. Every open question is classified here before a decision.

## Open Question Classification

- [unresolved] <TBD: one line for each open question>

Give every question a line of its own that begins with a dash and one of these marks:
- \`[resolved]\` and the answer.
- \`[deferred_nonblocking]\`, what waits, and \`Reason: ...\` in the same line.
- \`[blocking]\` and what has to happen first. Nobody can accept the decision while one is left.

## Blocking Issues

- None.`;

function readme({ objective, participants, gates }: Settings): string {
  return `# Agent Collaboration Workspace

Objective:
${objective}

Participants:
${listed(participants, (name) => `\`${name}\``)}

Completion Gates:
${listed(gates, (gate) => gate)}

Protocol Files:
- \`protocol.json\`: the settings and where the collaboration stands.
- \`events.jsonl\`: what happened, one event a line; scripts append to it.
- \`proposal.md\`: the proposal as it stands now.
- \`review.md\`: one review for each \`review_submitted\` event, under a heading with its seq.
- \`decisions.md\`: what was accepted, nothing else.
- \`readiness.md\`: every open question with its class, the gates, and whether work can begin.
- \`conclusion.md\`: the final answer to the objective.

${rules}
`;
}

function proposal({ objective }: Settings): string {
  return `# Proposal

## Purpose

${objective}

## Current Proposal

<TBD: what is proposed, complete enough that a reader of this file alone can judge it>

## Message/API Contracts

<TBD: interfaces, formats and names that others will rely on; "None." if there are none>

## Operational Concerns

<TBD: failure, load, migration, security, cost>

## Open Questions

- <TBD: what the reviewers should answer; each goes to readiness.md later>

## Proposed Decisions

- <TBD: one line for each decision that you ask the others to accept>
`;
}

const decisions = `# Decisions

Write down what was accepted, one decision an entry. Open questions belong in readiness.md.

## Accepted Decisions

- <TBD: what was accepted, a line each>
`;

function readiness({ gates }: Settings): string {
  return `${openQuestions}

## Deferred Follow-ups

- None.

## Completion Gates

Put an x between the brackets once a gate is met, and leave its words as they are.

${listed(gates, (gate) => `[ ] ${gate}`)}

## Final Design Document Checklist

- [ ] Accepted Decisions
- [ ] Assumptions
- [ ] Deferred Follow-ups
- [ ] Implementation Blockers
- [ ] Ready to implement
`;
}

/** conclusion.md of a schema: its opening words, and what stands in sections that have more than a hint. */
export function conclusionTemplate(
  schema: Settings["schema"],
  opening: string,
  texts: Readonly<Record<string, string>> = {},
): string {
  const [outcome, ...rest] = conclusionSections(schema);
  const text = (section: string) => texts[section] ?? `<TBD: ${conclusionHints[section]}>`;
  return `# Conclusion

${opening}

## ${outcome}

- [blocked] <TBD: why>

Keep one line of the form dash, mark, reason. The mark is one of:
- \`[proceed]\`: implement now.
- \`[do_not_proceed]\`: do not implement.
- \`[defer]\`: only after the follow-ups named below.
- \`[blocked]\`: no outcome yet; it cannot be completed like this.

${rest.map((section) => `## ${section}\n\n${text(section)}\n`).join("\n")}`;
}

const finalAnswer = `The final answer to the objective, written once readiness has passed. Fill in every section; none of
the marks that stand there now may be left.`;

/** What belongs under each heading of conclusion.md, in both schemas. */
const conclusionHints: Readonly<Record<string, string>> = {
  Rationale: "why this outcome, with the arguments that settled it",
  "Accepted Decisions": "the decisions of decisions.md that carry the outcome",
  "Implementation Approach": "how it is done, step by step, or why it is not done",
  "Accepted Decisions Summary": "the decisions by their ids, in a line each",
  Assumptions: "what was taken for true without a check",
  "Deferred Follow-ups": 'what is left for later, with the reason; "None." if nothing is',
  "Implementation Blockers": 'what stops the work; "None." if nothing does',
  "Next Action": "who does what first",
};
