import { isRecord } from "../../base/json.ts";
import { conclusionSections } from "./conclusion.ts";
import {
  type Deliverables,
  foldersUpOf,
  primaryReference,
  referenceOf,
  sectionsOf,
} from "./deliverables.ts";
import type { Settings } from "./settings.ts";

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
  const own = Object.entries({
    "README.md": readme(settings),
    "proposal.md": proposal(settings),
    "decisions.md": decisions(settings),
    "readiness.md": readiness(settings),
    "conclusion.md": conclusion(settings),
    "review.md": review(settings),
  }).map(([path, text]) => ({ path, text, foldersUp: 0 }));
  if (deliverables === null) return own;
  const { path } = deliverables.primary;
  const text = primaryTemplate(deliverables);
  return [...own, { path, text, foldersUp: foldersUpOf(deliverables) ?? 0 }];
}

/** A document: its title, then each section below a heading of level two. */
function document(title: string, opening: string, sections: Readonly<Record<string, string>>) {
  const parts = Object.entries(sections).map(([heading, text]) => `## ${heading}\n\n${text}\n`);
  return [`# ${title}\n`, ...(opening === "" ? [] : [`${opening}\n`]), ...parts].join("\n");
}

/** The lines of a list, or that there is nothing to list. */
function listed(items: readonly string[], form = (item: string) => item): string {
  return items.length === 0 ? "- None." : items.map((item) => `- ${form(item)}`).join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}

function supportingReferences(deliverables: Deliverables): string[] {
  return deliverables.supporting.map((it) => code(referenceOf(deliverables, it)));
}

/** The texts of the gates that the user gave (`objective`), or that schema 2 adds (`generated`). */
function gatesFrom({ raw }: Settings, source: "objective" | "generated"): string[] {
  const gates = Array.isArray(raw["completionGates"]) ? raw["completionGates"] : [];
  return gates.flatMap((gate) => {
    const { source: from, text } = isRecord(gate) ? gate : {};
    return from === source && typeof text === "string" ? [text] : [];
  });
}

function readme(settings: Settings): string {
  const { objective, participants, gates, deliverables } = settings;
  const reference = primaryReference(settings);
  const second = deliverables !== null;
  const { dir = "", mode, repoRoot } = deliverables ?? {};
  const where = mode === "external" ? ` below the repository ${code(repoRoot ?? "")}` : "";
  return `# ${second ? "ACP" : "Agent"} Collaboration Workspace

Objective:
${objective}

Participants:
${listed(participants, code)}

${second ? `Objective Gates:\n${listed(gatesFrom(settings, "objective"))}` : `Completion Gates:\n${listed(gates)}`}
${second ? `\nPrimary Deliverable:\n- Type: ${code(deliverables.primary.type)}\n- Path: ${code(reference)}\n` : ""}
Protocol Files:
- \`protocol.json\`: the settings${second ? " (schema 2), what is delivered," : ""} and where the collaboration stands.
- \`events.jsonl\`: what happened, one event a line; scripts append to it.
- \`proposal.md\`: ${second ? "what is proposed and what changed since the last time" : "the proposal as it stands now"}.
- \`review.md\`: one review for each \`review_submitted\` event, under a heading with its seq.
- \`decisions.md\`: ${second ? "the accepted decisions, numbered, each with where it is reflected" : "what was accepted, nothing else"}.
- \`readiness.md\`: every open question with its class, the gates, and ${second ? "the snapshot of the freeze" : "whether work can begin"}.
- \`conclusion.md\`: ${second ? "the final receipt; it names the frozen deliverable" : "the final answer to the objective"}.
${second ? `- ${code(`${dir}/`)}${where}: the deliverables themselves.\n` : ""}
Rules:
- Run \`next-action\` to learn what is expected of you, do it, run \`append-event\`, then
  \`wait-for-turn\`; repeat until the phase is completed or blocked.
- Only those named in \`waitingFor\` may take the next step. The proposal owner edits nothing while
  the others review.
- Never edit \`events.jsonl\` or \`protocol.json\` by hand; a mistake is corrected by another event.
- Run \`validate\` before \`readiness_passed\` and before \`completed\`.
- \`completed\` names \`conclusion.md\`, and every completion gate is checked in \`readiness.md\` by then.
${second ? `- Events about the deliverable name it exactly as above: ${code(`--doc ${reference}`)}.\n` : ""}`;
}

function proposal(settings: Settings): string {
  const { objective: Purpose, deliverables } = settings;
  if (deliverables !== null) {
    return document("Proposal", "", {
      Purpose,
      "Current Proposal": "<TBD: what is proposed, in short; the deliverable holds the whole>",
      "Deliverable Draft": `- Primary: ${code(primaryReference(settings))}`,
      "Review Focus": listed(scope, (item) => `${item}.`),
    });
  }
  return document("Proposal", "", {
    Purpose,
    "Current Proposal":
      "<TBD: what is proposed, complete enough that a reader of this file alone can judge it>",
    "Message/API Contracts":
      '<TBD: interfaces, formats and names that others will rely on; "None." if there are none>',
    "Operational Concerns": "<TBD: failure, load, migration, security, cost>",
    "Open Questions": "- <TBD: what the reviewers should answer; each goes to readiness.md later>",
    "Proposed Decisions": "- <TBD: one line for each decision that you ask the others to accept>",
  });
}

function decisions(settings: Settings): string {
  const { deliverables } = settings;
  if (deliverables === null) {
    const opening =
      "Write down what was accepted, one decision an entry. Open questions belong in readiness.md.";
    const accepted = "- <TBD: what was accepted, a line each>";
    return document("Decisions", opening, { "Accepted Decisions": accepted });
  }
  const reference = primaryReference(settings);
  const [section = ""] = sectionsOf(deliverables.primary);
  const opening =
    "Write down what was accepted, numbered without gaps. Every entry has a heading D, its number, a dot\n" +
    "and a title, and the lines Decision, Rationale and Reflected in; the last names the deliverable.";
  const first = `### D1. Initial deliverable declaration

- Decision: The primary deliverable of this collaboration is ${code(reference)}.
- Rationale: What is decided here must stand in a document that outlives the discussion.
- Reflected in: ${code(`${reference}#${anchorOf(section)}`)}`;
  return document("Decisions", opening, { "Accepted Decisions": first });
}

/** The anchor that Markdown viewers make of a heading. */
function anchorOf(heading: string): string {
  const words = heading.toLowerCase().replace(/[^\p{L}\p{N}\s-]/gu, "");
  return words.trim().replace(/\s/g, "-");
}

const questions = `- [unresolved] <TBD: one line for each open question>

Give every question a line of its own that begins with a dash and one of these marks:
- \`[resolved]\` and the answer.
- \`[deferred_nonblocking]\`, what waits, and \`Reason: ...\` in the same line.
- \`[blocking]\` and what has to happen first. Nobody can accept the decision while one is left.`;

function readiness(settings: Settings): string {
  const { gates, deliverables } = settings;
  const ticking =
    "Put an x between the brackets once a gate is met, and leave its words as they are.";
  const unticked = (items: readonly string[]) => listed(items, (item) => `[ ] ${item}`);
  const opening =
    "The proposal owner keeps this file. Every open question is classified here before a decision.";
  const first = { "Open Question Classification": questions, "Blocking Issues": "- None." };
  if (deliverables === null) {
    return document("Readiness", opening, {
      ...first,
      "Deferred Follow-ups": "- None.",
      "Completion Gates": `${ticking}\n\n${unticked(gates)}`,
      "Final Design Document Checklist": unticked([
        ...["Accepted Decisions", "Assumptions", "Deferred Follow-ups"],
        ...["Implementation Blockers", "Ready to implement"],
      ]),
    });
  }
  const snapshot = "The hash of the frozen file, as `deliverable_frozen` recorded it.";
  return document("Readiness", opening, {
    ...first,
    "Objective Gates": `${ticking}\n\n${unticked(gatesFrom(settings, "objective"))}`,
    "Generated Deliverable Gates": unticked(gatesFrom(settings, "generated")),
    "Deliverable Snapshot": `${snapshot}\n\n- Primary: ${code(primaryReference(settings))}\n- SHA-256:`,
    "Supporting Deliverables": listed(supportingReferences(deliverables)),
    Attachments: listed(deliverables.attachments, code),
    "Deferred Follow-ups": "- None.",
    "Implementation Blockers": "- None.",
    "Ready to Implement": unticked(["Ready to implement"]),
  });
}

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

const outcome = `- [blocked] <TBD: why>

Keep one line of the form dash, mark, reason. The mark is one of:
- \`[proceed]\`: implement now.
- \`[do_not_proceed]\`: do not implement.
- \`[defer]\`: only after the follow-ups named below.
- \`[blocked]\`: no outcome yet; it cannot be completed like this.`;

function conclusion(settings: Settings): string {
  const { schema, deliverables } = settings;
  const opening =
    deliverables === null
      ? "The final answer to the objective, written once readiness has passed. Fill in every section; none of\n" +
        "the marks that stand there now may be left."
      : "The final receipt of the collaboration; what was worked out stands in the deliverable. Fill in every\n" +
        "section; none of the marks that stand there now may be left.";
  const texts: Readonly<Record<string, string>> = {
    "Decision Outcome": outcome,
    "Deliverable Receipt": deliverables === null ? "" : receipt(settings, deliverables),
    "Readiness Result": `- Objective gates: <TBD: whether they are met>
- Generated deliverable gates: <TBD: whether they are met>
- Readiness file: \`readiness.md\``,
  };
  const filled = conclusionSections(schema).map((section) => {
    return [section, texts[section] ?? `<TBD: ${conclusionHints[section]}>`];
  });
  return document("Conclusion", opening, Object.fromEntries(filled));
}

function receipt(settings: Settings, deliverables: Deliverables): string {
  return `- Primary: ${code(primaryReference(settings))}
- Type: ${code(deliverables.primary.type)}
- SHA-256: <TBD: the hash that was frozen>
- Supporting: ${supportingReferences(deliverables).join(", ") || "none"}
- Attachments: ${deliverables.attachments.map(code).join(", ") || "none"}`;
}

/** The primary deliverable with empty sections: it cannot be frozen until all are filled in. */
function primaryTemplate({ primary }: Deliverables): string {
  const { type } = primary;
  return `# ${titles[type] ?? "Deliverable"}

Deliverable type: \`${type}\`
Status: Draft

<!-- Fill in every section. The status becomes In Review, and Frozen before deliverable_frozen. -->

${sectionsOf(primary)
  .map((section) => `## ${section}\n`)
  .join("\n")}`;
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

/** What is reviewed in schema 2. */
const scope = [
  "Proposal coherence",
  "Primary deliverable completeness",
  "Accepted decision traceability",
  "Implementation readiness",
];

/** The body of a review, to be filled in; the heading with its seq goes above it. */
export function exampleReview(settings: Settings): string {
  const { deliverables } = settings;
  const named = deliverables === null ? "" : supportingReferences(deliverables).join(", ");
  const ofDeliverables = `- Reviewed primary deliverable: ${code(primaryReference(settings))}
- Reviewed supporting deliverables: ${named || "none."}

Review Scope:
${listed(scope)}
`;
  return `Context:
- Read \`proposal.md\` after event seq \`<seq>\`.
${deliverables === null ? "" : ofDeliverables}
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
