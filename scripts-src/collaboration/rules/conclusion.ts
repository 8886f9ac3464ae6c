import { inline } from "../../base/json.ts";
import { bulletsOf, linesOf, sectionUnder, textsAfter } from "../../base/markdown.ts";
import { plainWord } from "../../base/quote-text.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Conclusion, Files } from "../../protocol/protocol.ts";
import { primaryReference } from "./deliverables.ts";
import { type Fault, faultAt } from "./faults.ts";
import { isEmptyLine, readinessItems } from "./readiness.ts";
import type { Settings } from "./settings.ts";
import type { CollaborationState } from "./state.ts";

const outcomes = ["proceed", "do_not_proceed", "defer"];

const lastSections = [
  "Assumptions",
  "Deferred Follow-ups",
  "Implementation Blockers",
  "Next Action",
];
const sections: Record<Settings["schema"], readonly string[]> = {
  1: [
    ...["Decision Outcome", "Rationale", "Accepted Decisions", "Implementation Approach"],
    ...lastSections,
  ],
  2: [
    ...["Decision Outcome", "Rationale", "Deliverable Receipt", "Accepted Decisions Summary"],
    ...["Readiness Result", ...lastSections],
  ],
};

/** Whole words in any script: `\b` knows only ASCII. */
const placeholder = /(?<![\p{L}\p{N}_])(?:TBD|TODO|unresolved|\u5f85\u5b9a)(?![\p{L}\p{N}_])/iu;

/** The headings that conclusion.md must have. */
export function conclusionSections(schema: Settings["schema"]): readonly string[] {
  return sections[schema];
}

/** Why conclusion.md does not allow `completed`. */
export function conclusionFaults(conclusion: string, settings: Settings): Fault[] {
  const headings = new Set(textsAfter(conclusion, /^##(?=\s|$)/));
  const missing = sections[settings.schema].filter((section) => !headings.has(section));
  const lines = linesOf(conclusion).filter(hasPlaceholder);
  const shown = new Set(lines.slice(0, placeholdersShown).map((line) => inline(line, 80)));
  const reference = primaryReference(settings);
  const isUnnamed = settings.schema === 2 && !conclusion.includes(reference);
  return [
    ...(missing.length > 0
      ? [faultAt("no sections", [missing.join(", ")], ...missing.map((it) => [it]))]
      : []),
    ...outcomeFaults(conclusion),
    ...(hasPlaceholder(conclusion)
      ? [faultAt("placeholders", [], [String(lines.length), [...shown].join(", ")])]
      : []),
    ...(isUnnamed ? [faultAt("primary unnamed", [], [reference])] : []),
  ];
}

const placeholdersShown = 3;

function outcomeFaults(conclusion: string): Fault[] {
  const declared = outcomesOf(conclusion);
  const wanted = `- [<${outcomes.join("|")}>] <why>`;
  if (declared.length !== 1) {
    return [faultAt("not one outcome", [], [wanted, String(declared.length || "none")])];
  }
  if (declared[0] !== "blocked") return [];
  const line = linesOf(conclusion).find((it) => outcomesOf(it).length > 0) ?? "";
  return [faultAt("blocked outcome", [], [line.trim(), wanted])];
}

/** The outcomes that conclusion.md declares, in order; `- [blocked] why` is one as well. */
export function outcomesOf(conclusion: string): string[] {
  return bulletsOf(conclusion)
    .filter(({ mark, text, spaced }) => [...outcomes, "blocked"].includes(mark) && spaced && text)
    .map(({ mark }) => mark);
}

/** Whether a text has a word that stands for something still to be written. */
export function hasPlaceholder(text: string): boolean {
  return placeholder.test(text);
}

/** The outcome with what was accepted, and what became of the open questions; or what blocks it. */
export function conclusions(
  { phase, blocked, settings }: CollaborationState,
  _events: readonly LogEvent[],
  files: Files,
): Conclusion[] {
  if (phase === "blocked" && blocked !== null) {
    const outcome = `blocked by ${plainWord(blocked.by)} in ${blocked.phase}`;
    return [{ what: "undecided", outcome, text: blocked.reason }];
  }
  if (phase !== "completed") return [];
  const textOf = (path: string) => files.get(path)?.text ?? "";
  const conclusion = textOf("conclusion.md");
  const under = (heading: string) => sectionUnder(conclusion, heading);
  const accepted = [...under("Accepted Decisions"), ...under("Accepted Decisions Summary")];
  const listed =
    accepted.length > 0 ? accepted : sectionUnder(textOf("decisions.md"), "Accepted Decisions");
  const questions = readinessItems(textOf("readiness.md"));
  const readiness = paragraphs([
    ["", under("Readiness Result")],
    ["Questions:", questions.map(({ status, text }) => `- ${status}: ${text}`)],
    ["Deferred follow-ups:", under("Deferred Follow-ups")],
    ["Assumptions:", under("Assumptions")],
  ]);
  const decision = paragraphs([
    ["", under("Decision Outcome")],
    ["Accepted decisions:", listed],
    ["Rationale:", under("Rationale")],
    ["Next action:", under("Next Action")],
  ]);
  const [outcome = "no outcome declared"] = outcomesOf(conclusion);
  const gates = `${settings.gates.length} completion gates met`;
  return [
    { what: "decision", outcome: `completed, ${outcome}`, text: decision },
    ...(readiness === "" ? [] : [{ what: "readiness", outcome: gates, text: readiness } as const]),
  ];
}

function paragraphs(parts: readonly (readonly [heading: string, lines: readonly string[]])[]) {
  return parts
    .filter(([, lines]) => lines.some((line) => !isEmptyLine(line)))
    .map(([heading, lines]) => [...(heading === "" ? [] : [heading]), ...lines].join("\n"))
    .join("\n");
}
