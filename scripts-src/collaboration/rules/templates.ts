import { foldersUpOf, primaryReference, referenceOf } from "./deliverables.ts";
import { listed, seedTemplates } from "./schema-1-templates.ts";
import type { Settings } from "./settings.ts";
import { deliverableTemplates, primaryTemplate } from "./template-deliverables.ts";

/** A document that `init` writes. */
export interface Document {
  path: string;
  text: string;
  /** How many folders above the collaboration's the path starts. */
  foldersUp: number;
}

/**
 * The documents of a new collaboration, with the headings and the lines that scripts read, and
 * beside them what to write where. Left as they are, they pass no scan.
 */
export function documentsFor(settings: Settings): Document[] {
  const { deliverables } = settings;
  const texts =
    deliverables === null ? seedTemplates(settings) : deliverableTemplates(settings, deliverables);
  const documents = Object.entries({ ...texts, "review.md": review(settings) });
  const own = documents.map(([path, text]) => ({ path, text, foldersUp: 0 }));
  if (deliverables === null) return own;
  const { path } = deliverables.primary;
  return [
    ...own,
    { path, text: primaryTemplate(deliverables), foldersUp: foldersUpOf(deliverables) ?? 0 },
  ];
}

/** The body of a review, to be filled in; the heading with its seq goes above it. */
export function exampleReview(settings: Settings): string {
  return `Context:
- Read \`proposal.md\` after event seq \`<seq>\`.
${scopeOf(settings)}
Position:
- <accept, accept with changes, or reject; and why>

Concerns:
- <what can go wrong, with the evidence; or None.>

Required Changes:
- <what must change before you accept; or None.>

Questions:
- <what the owner must answer; or None.>
`;
}

/** The lines that schema 2 looks for in review.md. */
function scopeOf(settings: Settings): string {
  const { deliverables } = settings;
  if (deliverables === null) return "";
  const supporting = deliverables.supporting.map((entry) => referenceOf(deliverables, entry));
  const named = supporting.map((reference) => `\`${reference}\``).join(", ");
  return `- Reviewed primary deliverable: \`${primaryReference(settings)}\`
- Reviewed supporting deliverables: ${named || "none."}

Review Scope:
${listed(scope, (item) => item)}
`;
}

const scope = [
  "Proposal coherence",
  "Primary deliverable completeness",
  "Accepted decision traceability",
  "Implementation readiness",
];

function review(settings: Settings): string {
  return `# Review

One review for each \`review_submitted\` event, the newest last. \`append-event\` with \`--review FILE\`
adds it here under the right heading. Whoever writes it by hand uses the seq that the event will get,
not the one that it replies to:
\`## <ISO-8601 UTC> - <participant_id> - seq <review_submitted event seq>\`

Template:

## <timestamp> - <participant_id> - seq <event seq>

${exampleReview(settings)}`;
}
