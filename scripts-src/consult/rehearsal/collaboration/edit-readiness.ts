import { sectionsIn } from "../../../base/markdown.ts";
import { type Desk, textIn } from "./desk.ts";
import { settled } from "./questions.ts";
import { idsInReviews, saidInReviews, withoutId } from "./reviews.ts";
import { entriesOf } from "./sections.ts";

const placeholder = /^- \[unresolved\] TBD.*$/m;

/** Puts every question that was asked where it has to be classified. */
export function listQuestions(text: string, desk: Desk): string {
  const lines = openQuestions(desk).filter((question) => !text.includes(question));
  const listed = lines.map((question) => `- [unresolved] ${question}`).join("\n");
  if (placeholder.test(text)) return text.replace(placeholder, () => listed);
  if (listed === "") return text;
  const heading = /^## Open Question Classification[^\S\n]*$/m;
  return text.replace(heading, (line) => `${line}\n\n${listed}`);
}

function openQuestions(desk: Desk): string[] {
  const own = sectionsIn(textIn(desk, "proposal.md"))
    .filter(({ heading }) => heading === "Open Questions")
    .flatMap(({ lines }) => entriesOf(lines));
  const asked = saidInReviews(textIn(desk, "review.md"), "Questions").map(withoutId);
  return [...new Set([...own, ...asked])];
}

const unclassified = /^- \[unresolved\] (.*)$/;

/** Classifies what a script can know; the rest stays as it is. */
export function classifyQuestions(text: string, desk: Desk): string {
  const lines = listQuestions(text, desk).split("\n");
  const asked = idsInReviews(textIn(desk, "review.md"), "Questions");
  const classified = lines.flatMap((line) => {
    const question = unclassified.exec(line)?.[1]?.trim() ?? "";
    const settles = settled(desk, question);
    if (settles === undefined) return [line];
    const ids = asked.get(question) ?? [];
    return [ids.length === 0 ? settles : `${settles} Answers ${ids.join(", ")}.`];
  });
  return answerChanges(classified.join("\n"), desk);
}

/** One line for each required change that is made, by the ids that its reviews gave it. */
function answerChanges(text: string, desk: Desk): string {
  const required = idsInReviews(textIn(desk, "review.md"), "Required Changes");
  const lines = [...required].flatMap(([change, ids]) =>
    ids.length === 0 || text.includes(`] ${ids.join(", ")}: made`)
      ? []
      : [`- [resolved] ${ids.join(", ")}: made in proposal.md. ${change}`],
  );
  if (lines.length === 0) return text;
  const heading = /^## Open Question Classification[^\S\n]*$/m;
  return text.replace(heading, (line) => `${line}\n\n${lines.join("\n")}`);
}

export function tickReady(text: string): string {
  return text.replace(/^- \[ \] Ready to implement/m, "- [x] Ready to implement");
}

export function tickAll(text: string): string {
  return text.replace(/^- \[ \] /gm, "- [x] ");
}

/** Notes the hash that the deliverable is frozen with. */
export function noteHash(text: string, sha256: string): string {
  return text.replace(/^- SHA-256:.*$/m, `- SHA-256: \`${sha256}\``);
}

/** The hash that readiness.md notes. */
export function notedHash(desk: Desk): string | undefined {
  return /^- SHA-256: (`[0-9a-f]{64}`)$/m.exec(textIn(desk, "readiness.md"))?.[1];
}

/** How many questions have this class. */
export function countOf(text: string, status: string): number {
  return text.split("\n").filter((line) => line.startsWith(`- [${status}] `)).length;
}
