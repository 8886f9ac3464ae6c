import { plainWord } from "../../base/escape-untrusted-text.ts";
import { sectionUnder } from "../../base/markdown.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Conclusion, Files } from "../../protocol/protocol.ts";
import { outcomesOf } from "./conclusion-document.ts";
import { readinessItems } from "./readiness.ts";
import { isEmptyLine } from "./review-entries.ts";
import type { CollaborationState } from "./state.ts";

/** The outcome with what was accepted, and what became of the open questions; or what blocks it. */
export function conclusions(
  state: CollaborationState,
  _events: readonly LogEvent[],
  files: Files,
): Conclusion[] {
  const { phase, blocked, settings } = state;
  if (phase === "blocked" && blocked !== null) {
    const outcome = `blocked by ${plainWord(blocked.by)} in ${blocked.phase}`;
    return [{ what: "undecided", outcome, text: blocked.reason }];
  }
  if (phase !== "completed") return [];
  const textOf = (path: string) => files.get(path)?.text ?? "";
  const conclusion = textOf("conclusion.md");
  const decision = decisionText(conclusion, textOf("decisions.md"));
  const readiness = readinessText(conclusion, textOf("readiness.md"));
  const [outcome = "no outcome declared"] = outcomesOf(conclusion);
  const gates = `${settings.gates.length} completion gates met`;
  const open: Conclusion = { what: "readiness", outcome: gates, text: readiness };
  const decided: Conclusion = {
    what: "decision",
    outcome: `completed, ${outcome}`,
    text: decision,
  };
  return readiness === "" ? [decided] : [decided, open];
}

function decisionText(conclusion: string, decisions: string): string {
  const accepted = [
    ...sectionUnder(conclusion, "Accepted Decisions"),
    ...sectionUnder(conclusion, "Accepted Decisions Summary"),
  ];
  return paragraphs([
    ["", sectionUnder(conclusion, "Decision Outcome")],
    [
      "Accepted decisions:",
      accepted.length > 0 ? accepted : sectionUnder(decisions, "Accepted Decisions"),
    ],
    ["Rationale:", sectionUnder(conclusion, "Rationale")],
    ["Next action:", sectionUnder(conclusion, "Next Action")],
  ]);
}

function readinessText(conclusion: string, readiness: string): string {
  const items = readinessItems(readiness).map(({ status, text }) => `- ${status}: ${text}`);
  return paragraphs([
    ["", sectionUnder(conclusion, "Readiness Result")],
    ["Questions:", items],
    ["Deferred follow-ups:", sectionUnder(conclusion, "Deferred Follow-ups")],
    ["Assumptions:", sectionUnder(conclusion, "Assumptions")],
  ]);
}

function paragraphs(parts: readonly (readonly [heading: string, lines: readonly string[]])[]) {
  return parts
    .filter(([, lines]) => lines.some((line) => !isEmptyLine(line)))
    .map(([heading, lines]) => [...(heading === "" ? [] : [heading]), ...lines].join("\n"))
    .join("\n");
}
