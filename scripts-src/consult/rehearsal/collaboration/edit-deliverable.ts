import type { Desk } from "./desk.ts";
import { decisionTitles } from "./edit-decisions.ts";
import { mapSections } from "./sections.ts";
import { mark, printUnder } from "./words.ts";

/** Fills every empty section of the template. */
export function draftDeliverable(text: string, desk: Desk): string {
  const filled = mapSections(text, ({ heading, lines }) => {
    const isEmpty = lines.every((line) => line.trim() === "");
    return heading !== "" && isEmpty ? printUnder(heading, desk) : lines;
  });
  return filled.replace(/^<!-- Fill in every section\..*-->$/m, mark);
}

/** Works the accepted decisions in and makes it final. */
export function finishDeliverable(text: string, desk: Desk): string {
  const titles = decisionTitles(desk).map((title) => `- Accepted: ${title}`);
  const whole = draftDeliverable(text, desk).trimEnd();
  const final = whole.replace(/^(Status:[^\S\n]*)(?:Draft|In Review)[^\S\n]*$/m, "$1Frozen");
  const fresh = titles.filter((line) => !final.includes(line));
  return `${[final, ...(fresh.length > 0 ? ["", ...fresh] : [])].join("\n")}\n`;
}
