import { visibleText } from "../../../base/visible-text.ts";
import { lastLine } from "../../../clis/short-line.ts";
import { aspectOf, requiredChange } from "./aspects.ts";
import { type Desk, textIn } from "./desk.ts";
import { askedBy } from "./questions.ts";
import { entriesOf, hasSection } from "./sections.ts";
import { mark, seenInProject, surveyMark } from "./words.ts";

/** A review: the form that `next-action` gave, with its places filled in. */
export function reviewOf(desk: Desk): string {
  const { offers } = desk;
  const { form, options } = offers[0];
  const filled = opinions(desk);
  let part = "";
  const lines = form.split("\n").flatMap((line) => {
    part = /^([A-Z][A-Za-z ]*):\s*$/.exec(line)?.[1] ?? part;
    if (!/^\s*-\s*</.test(line)) return [line.replace("<seq>", options["reply-to"] ?? "1")];
    const entries = filled[part] ?? [];
    return entries.length > 0 ? entries.map((entry) => `- ${entry}`) : ["- None."];
  });
  return lines.join("\n");
}

/** What the review says, by its parts. Every other reviewer requires a change, the first one always. */
function opinions(desk: Desk): Record<string, string[]> {
  const { seat } = desk;
  const proposal = textIn(desk, "proposal.md");
  const aspect = aspectOf(seat);
  const isMissing = !hasSection(proposal, aspect.section);
  const requires = isMissing && seat % 2 === 0;
  const position = requires ? "Accept with changes" : "Accept";
  return {
    Position: [
      `${mark} ${position}: the first step is small and can be judged (proposal.md:${placeOfAnswer(proposal)}). ${recount(desk)}`,
    ],
    Concerns: isMissing ? [aspect.concern] : [],
    "Required Changes": requires ? [requiredChange(aspect)] : [],
    Questions: askedBy.reviewer(seat),
  };
}

/** The line that says what is proposed. */
function placeOfAnswer(proposal: string): number {
  return proposal.split("\n").findIndex((line) => line.includes(mark)) + 1 || 1;
}

/** The one claim of the proposal that a script can check for itself. */
export function recount(desk: Desk): string {
  const seen = seenInProject(desk);
  const claim = textIn(desk, "proposal.md")
    .split("\n")
    .find((line) => line.includes(surveyMark));
  if (claim === undefined) return `What I counted myself: ${seen}.`;
  return `I counted again: ${seen}; the proposal ${claim.includes(seen) ? "says the same" : "says otherwise"}.`;
}

/** What all reviews have under one of their labels, each once. */
export function saidInReviews(reviews: string, label: string): string[] {
  const lines = reviews.split(/\r?\n/);
  const under = lines.flatMap((line, index) => {
    if (line.trim() !== `${label}:`) return [];
    const rest = lines.slice(index + 1);
    const end = rest.findIndex((it) => /^(?:[A-Z][A-Za-z ]*:\s*$|#)/.test(it));
    return end === -1 ? rest : rest.slice(0, end);
  });
  return [...new Set(entriesOf(under))];
}

/** What a review asks, without the id that append-event gave it. */
export function withoutId(entry: string): string {
  return entry.replace(/^[RQ]\d+\.\d+: /, "");
}

/** The ids of what reviews have under one of their labels, by what they say. */
export function idsInReviews(reviews: string, label: string): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const entry of saidInReviews(reviews, label)) {
    const id = /^[RQ]\d+\.\d+(?=: )/.exec(entry)?.[0];
    const said = withoutId(entry);
    ids.set(said, [...(ids.get(said) ?? []), ...(id === undefined ? [] : [id])]);
  }
  return ids;
}

/** What this colleague required and the proposal still lacks; undefined when all is there. */
export function unmetChange(desk: Desk): string | undefined {
  const aspect = aspectOf(desk.seat);
  const change = requiredChange(aspect);
  if (desk.seat < 0 || !ownReviews(desk).includes(change)) return undefined;
  return hasSection(textIn(desk, "proposal.md"), aspect.section) ? undefined : lastLine(change);
}

/** The entries of review.md whose heading names this colleague. */
function ownReviews(desk: Desk): string {
  const entries = textIn(desk, "review.md").split(/^(?=## )/m);
  const name = ` - ${visibleText(desk.me)} - seq `;
  return entries.filter((entry) => entry.split("\n")[0]?.includes(name)).join("\n");
}
