import { inline } from "../../base/json.ts";
import { linesOf, sectionUnder } from "../../base/markdown.ts";
import { visibleText } from "../../base/visible-text.ts";
import type { Files, ReportSection } from "../../protocol/protocol.ts";
import {
  type Deliverable,
  type Deliverables,
  declaredStatus,
  referenceOf,
} from "./deliverables.ts";
import { gateLine, gateStatuses } from "./gate-checks.ts";
import { isToBeWritten } from "./obligations.ts";
import { readinessItems } from "./readiness.ts";
import type { CollaborationState } from "./state.ts";

/** What the documents say in the end; the conclusion first. Sections may be empty. */
export function documentSections(state: CollaborationState, files: Files): ReportSection[] {
  const textOf = (path: string) => files.get(path)?.text ?? "";
  const readiness = textOf("readiness.md");
  return [
    { heading: "Conclusion", lines: conclusionLines(state, textOf("conclusion.md")) },
    { heading: "Decisions", lines: decisionLines(textOf("decisions.md")) },
    { heading: "Open questions", lines: questionLines(readiness, ["blocking", "unresolved"]) },
    { heading: "Deferred questions", lines: questionLines(readiness, ["deferred_nonblocking"]) },
    { heading: "Resolved questions", lines: questionLines(readiness, ["resolved"]) },
    { heading: "Completion gates", lines: gateLines(state, files) },
    { heading: "Deliverables", lines: deliverableLines(state, files) },
  ];
}

/** The template of conclusion.md says nothing; only that of a completed collaboration counts. */
function conclusionLines({ phase }: CollaborationState, conclusion: string): string[] {
  if (phase !== "completed") return [];
  return ["Rationale", "Implementation Approach", "Next Action"].flatMap((heading) => {
    const lines = sectionUnder(conclusion, heading);
    return lines.length === 0 ? [] : [`${heading}:`, "", ...quotedCut(lines), ""];
  });
}

/** The headings of single decisions and the points below them. */
function decisionLines(decisions: string): string[] {
  const said = linesOf(decisions).filter((line) => /^(?:#{3,6}\s|\s*[-*]\s)/.test(line));
  const real = said.filter((line) => !isToBeWritten(line));
  return quotedCut(real, "decisions.md");
}

function questionLines(readiness: string, statuses: readonly string[]): string[] {
  const items = readinessItems(readiness).filter(({ status }) => statuses.includes(status));
  const lines = items.map(({ status, text }) =>
    statuses.length > 1 ? `- ${status}: ${inline(text, 500)}` : `- ${inline(text, 500)}`,
  );
  return bounded(lines, linesMax, "readiness.md");
}

function gateLines(state: CollaborationState, files: Files): string[] {
  const lines = gateStatuses(state.settings, files).map((gate) => `- ${gateLine(state, gate)}`);
  return bounded(lines, linesMax, "protocol.json");
}

function deliverableLines(state: CollaborationState, files: Files): string[] {
  const { deliverables } = state.settings;
  if (deliverables === null) return [];
  const lines = [deliverables.primary, ...deliverables.supporting].map((deliverable, index) =>
    deliverableLine(
      state,
      deliverables,
      deliverable,
      index === 0 ? "primary" : "supporting",
      files,
    ),
  );
  return bounded(lines, linesMax, "protocol.json");
}

function deliverableLine(
  state: CollaborationState,
  deliverables: Deliverables,
  deliverable: Deliverable,
  role: "primary" | "supporting",
  files: Files,
): string {
  const { path, type } = deliverable;
  const reference = referenceOf(deliverables, deliverable);
  const status = declaredStatus(files.get(path)?.text ?? "") || "no status";
  const frozen =
    role === "primary" ? state.frozen : state.supportingFrozen.find((it) => it.path === reference);
  const now = files.get(path)?.sha256;
  const hash = frozen?.sha256 ?? now;
  const changed = frozen && now !== undefined && now !== frozen.sha256;
  return [
    `- ${role} ${inline(reference)} (${inline(type)}): ${files.has(path) ? status : "MISSING"}`,
    ...(frozen ? [`frozen by seq ${frozen.seq}`] : []),
    ...(hash === undefined ? [] : [`SHA-256 ${hash}`]),
    ...(changed ? ["CHANGED since"] : []),
  ].join(", ");
}

const linesMax = 60;

/** Someone else's lines as a quotation, cut where it gets long. */
export function quotedCut(lines: readonly string[], where = "the document"): string[] {
  return bounded(
    lines.map((line) => `> ${visibleText(cut(line))}`),
    linesMax,
    where,
  );
}

function cut(line: string): string {
  return line.length > 500 ? `${line.slice(0, 500)}...` : line;
}

/** The first items, and a line that says how many are left out and where they stand. */
export function bounded<Item>(
  items: readonly Item[],
  itemsMax: number,
  where: string,
): (Item | string)[] {
  if (items.length <= itemsMax) return [...items];
  return [...items.slice(0, itemsMax), `- and ${items.length - itemsMax} more in ${where}`];
}
