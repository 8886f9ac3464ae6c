/** The headings that a deliverable of each type must have (originals.md 2.6); `custom` has none. */
const deliverableSections = {
  adr: ["Status", "Context", "Decision", "Alternatives Considered", "Consequences", "Follow-ups"],
  "design-spec": [
    "Problem",
    "Goals",
    "Non-goals",
    "Proposed Design",
    "Interfaces / Contracts",
    "Failure Modes",
    "Validation Plan",
    "Open Questions",
  ],
  "implementation-plan": [
    "Scope",
    "Phases",
    "Tasks",
    "Dependencies",
    "Rollout / Migration",
    "Tests",
    "Risks",
    "Exit Criteria",
  ],
  "decision-memo": [
    "Question",
    "Recommendation",
    "Options",
    "Tradeoffs",
    "Decision",
    "Next Action",
  ],
  "review-report": [
    "Scope",
    "Findings",
    "Risks",
    "Required Changes",
    "Open Questions",
    "Recommendation",
  ],
  "test-plan": ["Scope", "Test Matrix", "Fixtures", "Automation", "Manual Tests", "Exit Criteria"],
  custom: [],
} as const;

type DeliverableType = keyof typeof deliverableSections;

export const deliverableTypeNames: readonly string[] = Object.keys(deliverableSections).sort();

/** The sections of a type; undefined when the type is none. */
export function sectionsOf(type: string): readonly string[] | undefined {
  return isDeliverableType(type) ? deliverableSections[type] : undefined;
}

export function isDeliverableType(type: string): type is DeliverableType {
  return Object.hasOwn(deliverableSections, type);
}
