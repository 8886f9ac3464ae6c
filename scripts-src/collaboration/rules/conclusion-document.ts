import { inline } from "../../base/json.ts";
import { bulletsOf, linesOf, textsAfter } from "../../base/markdown.ts";
import { primaryReference } from "./deliverables.ts";
import { type Fault, faultAt } from "./faults.ts";
import type { Settings } from "./settings.ts";

const outcomes = ["proceed", "do_not_proceed", "defer"] as const;

const sections: Record<Settings["schema"], readonly string[]> = {
  1: [
    "Decision Outcome",
    "Rationale",
    "Accepted Decisions",
    "Implementation Approach",
    "Assumptions",
    "Deferred Follow-ups",
    "Implementation Blockers",
    "Next Action",
  ],
  2: [
    "Decision Outcome",
    "Rationale",
    "Deliverable Receipt",
    "Accepted Decisions Summary",
    "Readiness Result",
    "Assumptions",
    "Deferred Follow-ups",
    "Implementation Blockers",
    "Next Action",
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
  const faults: Fault[] = [];
  const headings = headingsOf(conclusion);
  const missing = sections[settings.schema].filter((section) => !headings.has(section));
  if (missing.length > 0) {
    faults.push(faultAt("no sections", [missing.join(", ")], ...missing.map((it) => [it])));
  }
  const declared = outcomesOf(conclusion);
  const wanted = `- [<${outcomes.join("|")}>] <why>`;
  if (declared.length !== 1) {
    faults.push(faultAt("not one outcome", [], [wanted, String(declared.length || "none")]));
  } else if (declared[0] === "blocked") {
    const line = linesOf(conclusion).find((it) => outcomesOf(it).length > 0) ?? "";
    faults.push(faultAt("blocked outcome", [], [line.trim(), wanted]));
  }
  if (hasPlaceholder(conclusion)) {
    const lines = linesOf(conclusion).filter(hasPlaceholder);
    const shown = new Set(lines.slice(0, placeholdersShown).map((line) => inline(line, 80)));
    faults.push(faultAt("placeholders", [], [String(lines.length), [...shown].join(", ")]));
  }
  if (settings.schema === 2 && !conclusion.includes(primaryReference(settings))) {
    faults.push(faultAt("primary unnamed", [], [primaryReference(settings)]));
  }
  return faults;
}

const placeholdersShown = 3;

/** The outcomes that conclusion.md declares, in order; `- [blocked] why` is one as well. */
export function outcomesOf(conclusion: string): string[] {
  const known: readonly string[] = [...outcomes, "blocked"];
  return bulletsOf(conclusion)
    .filter(({ mark, text, spaced }) => known.includes(mark) && spaced && text !== "")
    .map(({ mark }) => mark);
}

/** Whether a text has a word that stands for something still to be written. */
export function hasPlaceholder(text: string): boolean {
  return placeholder.test(text);
}

/** The texts of all `## ` headings. */
function headingsOf(text: string): Set<string> {
  return new Set(textsAfter(text, /^##(?=\s|$)/));
}
