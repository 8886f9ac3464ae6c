import { type Desk, textIn } from "./desk.ts";
import { decisionIds } from "./edit-decisions.ts";
import { countOf, notedHash } from "./edit-readiness.ts";
import { mapSections } from "./sections.ts";
import { answer, mark, rehearsalRemark } from "./words.ts";

/** Writes what the template left open; whatever else stands in it stays. */
export function writeConclusion(text: string, desk: Desk): string {
  return mapSections(text, ({ heading, lines }) => {
    if (heading === "") return ["# Conclusion", "", `${mark} ${rehearsalRemark}`];
    if (heading === "Decision Outcome") return [`- [proceed] ${answer(desk)}`];
    const words = wordsUnder(heading, desk);
    return lines.flatMap((line) => (line.includes("TBD") ? (words(line) ?? []) : [line]));
  });
}

function wordsUnder(heading: string, desk: Desk): (line: string) => string[] | undefined {
  const ids = decisionIds(textIn(desk, "decisions.md")).join(", ");
  const deferred = countOf(textIn(desk, "readiness.md"), "deferred_nonblocking");
  const words: Readonly<Record<string, string[]>> = {
    Rationale: [
      "- It is the smallest step that can be judged, and it can be taken back.",
      "- What could be measured was measured; readiness.md holds the numbers.",
    ],
    "Accepted Decisions": [`- ${ids} of decisions.md.`],
    "Accepted Decisions Summary": [`- ${ids} of decisions.md.`],
    "Implementation Approach": [
      "- The steps of proposal.md in their order, each only after the one before has held.",
    ],
    Assumptions: ["- A number measured once on this machine stands for the machines of others."],
    "Deferred Follow-ups": [
      deferred === 0
        ? "- None."
        : `- ${deferred} of readiness.md, each with its reason there; take them up after two weeks of use.`,
    ],
    "Implementation Blockers": ["- None."],
    "Next Action": ["- Whoever owns the proposal takes the first step."],
  };
  return (line) =>
    receipt(line, desk) ?? words[heading] ?? [`- ${mark} ${heading}: see proposal.md.`];
}

/** Lines of the form `- Name: TBD` keep their name. */
function receipt(line: string, desk: Desk): string[] | undefined {
  const name = /^- ([^:]+): TBD/.exec(line)?.[1];
  if (name === undefined) return undefined;
  if (name === "SHA-256") return [`- SHA-256: ${notedHash(desk) ?? "not recorded"}`];
  return [`- ${name}: ticked by a script, which cannot judge whether they are met`];
}
