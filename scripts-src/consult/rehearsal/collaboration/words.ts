import { surveyProject, surveyText } from "../survey.ts";
import type { Desk } from "./desk.ts";

/** Stands in every document: nobody shall take a rehearsal for a judgement. */
export const mark = "[rehearsal: scripted colleague, no AI]";

/** The same in short, for every summary. */
export const shortMark = "[rehearsal script]";

export const rehearsalRemark =
  "This was a rehearsal: all participants are scripts that follow the protocol. What was counted or " +
  "measured is real and from this machine; the judgement is not. For a decision, run consult with real agents.";

/** Begins the line of a proposal that anybody can check by counting again. */
export const surveyMark = "Seen in the project:";

/** What is in the project now, beside what the collaboration itself writes. */
export function seenInProject({ project, folder, options }: Desk): string {
  return surveyText(surveyProject(project, options.terms, folder));
}

/** What the proposal comes down to, in one sentence. */
export function answer({ options }: Desk): string {
  return `Take "${options.first}" first, in a form that is easy to take back, and keep "${options.second}" as the way out.`;
}

type Words = (desk: Desk) => string[];

const whatIsDone: Words = ({ options }) => [
  `- Step 1: do the smallest useful part of "${options.first}" behind one interface.`,
  "- Step 2: watch it in real use for two weeks.",
  `- Step 3: keep it, or change to "${options.second}" when the numbers ask for it.`,
];
const whatItIsAbout: Words = ({ objective }) => [
  `- ${mark} The objective: ${objective}.`,
  "- It has to be decided now, with what can be seen today.",
];
const whatItDecides: Words = (desk) => [`- ${answer(desk)}`];
const whatCanFail: Words = () => [
  "- The first step turns out wrong: it is taken back.",
  "- It stops halfway: the old way still works, and the step is done again.",
];
const howItIsChecked: Words = () => [
  "- Count and measure before the first step and after two weeks of use, and compare.",
  "- Every gate of the objective is looked at by somebody who did not do the work.",
];
const whatIsNotDone: Words = ({ options }) => [
  `- "${options.second}" is not built now; it stays possible.`,
];
const contracts: Words = () => [
  "- One interface hides which of both ways is in use; callers do not change with it.",
];
const whatIsOpen: Words = () => [
  "- What readiness.md defers, with the reason there; nothing else.",
];
const whatItNeeds: Words = () => ["- Nothing that is not in the project already."];

/** What a script says under the headings of proposals and deliverables. */
const wordsUnder: Readonly<Record<string, Words>> = {
  "Current Proposal": (desk) => [
    `${mark} On ${desk.objective}: ${answer(desk)}`,
    "",
    ...whatIsDone(desk),
    `- ${surveyMark} ${seenInProject(desk)}.`,
  ],
  "Message/API Contracts": contracts,
  "Operational Concerns": whatCanFail,
  "Proposed Decisions": whatItDecides,
  Problem: whatItIsAbout,
  Context: whatItIsAbout,
  Question: whatItIsAbout,
  Scope: whatItIsAbout,
  Goals: howItIsChecked,
  "Non-goals": whatIsNotDone,
  "Proposed Design": whatIsDone,
  "Interfaces / Contracts": contracts,
  "Failure Modes": whatCanFail,
  "Validation Plan": howItIsChecked,
  "Open Questions": whatIsOpen,
  "Follow-ups": whatIsOpen,
  "Next Action": whatIsOpen,
  Status: () => ["- Accepted as soon as everybody has accepted decisions.md."],
  Decision: whatItDecides,
  Recommendation: whatItDecides,
  "Alternatives Considered": whatIsNotDone,
  Options: (desk) => [...whatItDecides(desk), ...whatIsNotDone(desk)],
  Tradeoffs: whatCanFail,
  Consequences: whatCanFail,
  Risks: whatCanFail,
  Phases: whatIsDone,
  Tasks: whatIsDone,
  "Rollout / Migration": whatIsDone,
  "Required Changes": whatIsDone,
  Dependencies: whatItNeeds,
  Fixtures: whatItNeeds,
  Findings: (desk) => [`- ${seenInProject(desk)}.`],
  "Test Matrix": howItIsChecked,
  Automation: howItIsChecked,
  "Manual Tests": howItIsChecked,
  "Exit Criteria": howItIsChecked,
  Tests: howItIsChecked,
};

export function printUnder(heading: string, desk: Desk): string[] {
  const words = wordsUnder[heading];
  return words === undefined
    ? [`- ${mark} ${heading}: as the decisions say; a script has nothing to add.`]
    : words(desk);
}
