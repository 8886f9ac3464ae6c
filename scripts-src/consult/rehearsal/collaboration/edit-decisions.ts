import { type Desk, textIn } from "./desk.ts";
import { changesMade } from "./edit-proposal.ts";
import { answer, mark } from "./words.ts";

/** Puts the decisions into words that everybody can accept or not. */
export function writeDecisions(text: string, desk: Desk): string {
  const { options } = desk;
  const wanted = [
    {
      title: `${options.first} first`,
      decision: answer(desk),
      rationale: "The smallest step that can be judged, and that can be taken back.",
    },
    ...changesMade(desk).map((section) => ({
      title: section,
      decision: `The section "${section}" of proposal.md holds.`,
      rationale: "A review required it.",
    })),
  ];
  const fresh = wanted.filter(({ title }) => !text.includes(`. ${title}\n`));
  const begun = text.replace(/^- TBD\.?$/m, `${mark}`);
  const count = decisionIds(begun).length;
  const reflected = /^- Reflected in: (.+)$/m.exec(begun)?.[1] ?? "`proposal.md`";
  const entries = fresh.map(({ title, decision, rationale }, index) =>
    [
      `### D${count + index + 1}. ${title}`,
      "",
      `- Decision: ${decision}`,
      `- Rationale: ${rationale}`,
      `- Reflected in: ${reflected}`,
      "",
    ].join("\n"),
  );
  return [begun.trimEnd(), "", ...entries].join("\n").replace(/\n*$/, "\n");
}

/** The ids of the decisions, in order. */
export function decisionIds(text: string): string[] {
  return [...text.matchAll(/^### (D\d+)\./gm)].map(([, id = ""]) => id);
}

/** The headings of the decisions, ids and titles. */
export function decisionTitles(desk: Desk): string[] {
  const text = textIn(desk, "decisions.md");
  return [...text.matchAll(/^### (D\d+\..*)$/gm)].map(([, title = ""]) => title.trim());
}
