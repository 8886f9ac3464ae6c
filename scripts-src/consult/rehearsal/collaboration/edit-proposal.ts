import { aspectRequired } from "./aspects.ts";
import { type Desk, textIn } from "./desk.ts";
import { askedBy } from "./questions.ts";
import { saidInReviews, withoutId } from "./reviews.ts";
import { hasSection, mapSections, withSection } from "./sections.ts";
import { answer, printUnder } from "./words.ts";

/** Fills in what the template left open. */
export function writeProposal(text: string, desk: Desk): string {
  const asked = askedBy.owner(desk).map((question) => `- ${question}`);
  const filled = mapSections(text, ({ heading, lines }) => {
    if (!lines.some((line) => line.includes("TBD"))) return lines;
    return heading === "Open Questions" ? asked : printUnder(heading, desk);
  });
  const questioned = withSection(filled, "Open Questions", asked);
  return withSection(questioned, "Proposed Decisions", [`- ${answer(desk)}`]);
}

/** Makes every change that the reviews require and that a script knows how to make. */
export function reviseProposal(text: string, desk: Desk): string {
  return requiredAspects(desk).reduce(
    (revised, { section, lines }) => withSection(revised, section, lines),
    text,
  );
}

function requiredAspects(desk: Desk) {
  return saidInReviews(textIn(desk, "review.md"), "Required Changes").flatMap(
    (change) => aspectRequired(withoutId(change)) ?? [],
  );
}

/** The required changes that the proposal has, as the section that each put in. */
export function changesMade(desk: Desk): string[] {
  const proposal = textIn(desk, "proposal.md");
  return requiredAspects(desk)
    .map(({ section }) => section)
    .filter((section) => hasSection(proposal, section));
}

/** A required change that a script cannot make: somebody else asked for it. */
export function unknownChange(desk: Desk): string | undefined {
  return saidInReviews(textIn(desk, "review.md"), "Required Changes")
    .map(withoutId)
    .find((change) => aspectRequired(change) === undefined);
}
