import { sectionsOf } from "./deliverable-sections.ts";
import { type Deliverables, primaryReference, referenceOf } from "./deliverables.ts";
import { conclusionTemplate, listed, openQuestions, rules } from "./schema-1-templates.ts";
import type { Settings } from "./settings.ts";

/** The documents of schema 2 as `init` writes them, the deliverable itself aside. */
export function deliverableTemplates(
  settings: Settings,
  deliverables: Deliverables,
): Record<string, string> {
  return {
    "README.md": readme(settings, deliverables),
    "proposal.md": proposal(settings),
    "decisions.md": decisions(settings, deliverables),
    "readiness.md": readiness(settings, deliverables),
    "conclusion.md": conclusionTemplate(2, finalReceipt, {
      "Deliverable Receipt": receipt(settings, deliverables),
      "Readiness Result": readinessResult,
    }),
  };
}

/** The primary deliverable with empty sections: it cannot be frozen until all are filled in. */
export function primaryTemplate({ primary }: Deliverables): string {
  const { type, checklist } = primary;
  const sections = type === "custom" ? checklist : (sectionsOf(type) ?? []);
  return `# ${titles[type] ?? "Deliverable"}

Deliverable type: \`${type}\`
Status: Draft

<!-- Fill in every section. The status becomes In Review, and Frozen before deliverable_frozen. -->

${sections.map((section) => `## ${section}\n`).join("\n")}`;
}

const titles: Readonly<Record<string, string>> = {
  adr: "Architecture Decision Record",
  "design-spec": "Design Spec",
  "implementation-plan": "Implementation Plan",
  "decision-memo": "Decision Memo",
  "review-report": "Review Report",
  "test-plan": "Test Plan",
  custom: "Custom Deliverable",
};

function readme(settings: Settings, { mode, dir, primary, repoRoot }: Deliverables): string {
  const { objective, participants } = settings;
  const where = mode === "external" ? ` below the repository \`${repoRoot}\`` : "";
  return `# ACP Collaboration Workspace

Objective:
${objective}

Participants:
${listed(participants, (name) => `\`${name}\``)}

Objective Gates:
${listed(gatesFrom(settings, "objective"), (gate) => gate)}

Primary Deliverable:
- Type: \`${primary.type}\`
- Path: \`${primaryReference(settings)}\`

Protocol Files:
- \`protocol.json\`: the settings (schema 2), what is delivered, and where the collaboration stands.
- \`events.jsonl\`: what happened, one event a line; scripts append to it.
- \`proposal.md\`: what is proposed and what changed since the last time.
- \`review.md\`: one review for each \`review_submitted\` event, under a heading with its seq.
- \`decisions.md\`: the accepted decisions, numbered, each with where it is reflected.
- \`readiness.md\`: every open question with its class, the gates, and the snapshot of the freeze.
- \`conclusion.md\`: the final receipt; it names the frozen deliverable.
- \`${dir}/\`${where}: the deliverables themselves.

${rules}
- Events about the deliverable name it exactly as above: \`--doc ${primaryReference(settings)}\`.
`;
}

function proposal(settings: Settings): string {
  return `# Proposal

## Purpose

${settings.objective}

## Current Proposal

<TBD: what is proposed, in short; the deliverable holds the whole>

## Deliverable Draft

- Primary: \`${primaryReference(settings)}\`

## Review Focus

- Proposal coherence.
- Primary deliverable completeness.
- Accepted decision traceability.
- Implementation readiness.
`;
}

function decisions(settings: Settings, { primary }: Deliverables): string {
  const reference = primaryReference(settings);
  const section = primary.type === "custom" ? primary.checklist[0] : sectionsOf(primary.type)?.[0];
  return `# Decisions

Write down what was accepted, numbered without gaps. Every entry has a heading D, its number, a dot
and a title, and the lines Decision, Rationale and Reflected in; the last names the deliverable.

## Accepted Decisions

### D1. Initial deliverable declaration

- Decision: The primary deliverable of this collaboration is \`${reference}\`.
- Rationale: What is decided here must stand in a document that outlives the discussion.
- Reflected in: \`${reference}#${anchorOf(section ?? "")}\`
`;
}

function readiness(settings: Settings, deliverables: Deliverables): string {
  const { supporting, attachments } = deliverables;
  const references = supporting.map((entry) => referenceOf(deliverables, entry));
  const open = (gate: string) => `[ ] ${gate}`;
  return `${openQuestions}

## Objective Gates

Put an x between the brackets once a gate is met, and leave its words as they are.

${listed(gatesFrom(settings, "objective"), open)}

## Generated Deliverable Gates

${listed(gatesFrom(settings, "generated"), open)}

## Deliverable Snapshot

The hash of the frozen file, as \`deliverable_frozen\` recorded it.

- Primary: \`${primaryReference(settings)}\`
- SHA-256:

## Supporting Deliverables

${listed(references, (reference) => `\`${reference}\``)}

## Attachments

${listed(attachments, (file) => `\`${file}\``)}

## Deferred Follow-ups

- None.

## Implementation Blockers

- None.

## Ready to Implement

- [ ] Ready to implement
`;
}

const finalReceipt = `The final receipt of the collaboration; what was worked out stands in the deliverable. Fill in every
section; none of the marks that stand there now may be left.`;

function receipt(settings: Settings, deliverables: Deliverables): string {
  const { primary, supporting, attachments } = deliverables;
  const named = supporting.map((entry) => `\`${referenceOf(deliverables, entry)}\``);
  return `- Primary: \`${primaryReference(settings)}\`
- Type: \`${primary.type}\`
- SHA-256: <TBD: the hash that was frozen>
- Supporting: ${named.join(", ") || "none"}
- Attachments: ${attachments.map((file) => `\`${file}\``).join(", ") || "none"}`;
}

const readinessResult = `- Objective gates: <TBD: whether they are met>
- Generated deliverable gates: <TBD: whether they are met>
- Readiness file: \`readiness.md\``;

/** The texts of the gates that the user gave (`objective`), or that schema 2 adds (`generated`). */
function gatesFrom({ raw }: Settings, source: "objective" | "generated"): string[] {
  const gates = Array.isArray(raw["completionGates"]) ? raw["completionGates"] : [];
  return gates.flatMap((gate) => {
    if (typeof gate !== "object" || gate === null || Array.isArray(gate)) return [];
    const { source: from, text } = gate;
    return from === source && typeof text === "string" ? [text] : [];
  });
}

/** The anchor that Markdown viewers make of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}
