/** Documents with which every gate of a collaboration opens. */
export const review = [
  "Context:\n- Read proposal.md.\n",
  "Position:\n- accept",
  ...["Concerns", "Required Changes", "Questions"].map((it) => `\n${it}:\n- None.`),
  "",
].join("\n");

export const readiness = [
  "# Readiness\n",
  "- [resolved] Which codes? Those of the table.",
  "- [x] Codes are listed",
  "- [x] Ready to implement\n",
].join("\n");

const sections = [
  ...["Rationale", "Accepted Decisions", "Implementation Approach", "Assumptions"],
  ...["Deferred Follow-ups", "Implementation Blockers", "Next Action"],
];
export const conclusion = [
  "# Conclusion\n\n## Decision Outcome\n\n- [proceed] Everybody agrees.",
  ...sections.map((it) => `## ${it}\n\nAs agreed.`),
  "",
].join("\n\n");
