import { sectionsIn } from "../../base/markdown.ts";
import type { Deliverable } from "./deliverables.ts";

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

/** The sections of a type; undefined for an unknown one. */
export function sectionsOf(type: string): readonly string[] | undefined {
  return isDeliverableType(type) ? deliverableSections[type] : undefined;
}

export function isDeliverableType(type: string): type is DeliverableType {
  return Object.hasOwn(deliverableSections, type);
}

/** A required section that is missing or empty. */
export interface SectionGap {
  readonly section: string;
  readonly gap: "missing" | "empty";
}

/** The gaps in the sections of its type, or of the checklist of a custom one, in their order. */
export function sectionGaps({ type, checklist }: Deliverable, text: string): SectionGap[] {
  const wanted = type === "custom" ? checklist : (sectionsOf(type) ?? []);
  const filled = filledSections(text);
  return wanted.flatMap((section): SectionGap[] => {
    const isFilled = filled.get(section);
    if (isFilled === undefined) return [{ section, gap: "missing" }];
    return isFilled ? [] : [{ section, gap: "empty" }];
  });
}

/** Whether each `## ` section of a document holds anything; of several with one name the first counts. */
function filledSections(text: string): Map<string, boolean> {
  const filled = new Map<string, boolean>();
  for (const { heading, lines } of sectionsIn(text).slice(1)) {
    const isFilled = lines.some((line) => line.trim() !== "");
    if (!filled.has(heading)) filled.set(heading, isFilled);
  }
  return filled;
}
