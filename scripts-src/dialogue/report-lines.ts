import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { linesOf } from "../base/markdown.ts";
import { singleLine } from "../base/visible-text.ts";
import type { ReportSection } from "../protocol/protocol.ts";

/** A point with lines below it. */
export interface Detailed {
  readonly line: string;
  readonly below: readonly string[];
}

/** The first points, each cut: all that was said is in the log. */
export function pointsSection(
  heading: string,
  points: readonly (string | Detailed)[],
): ReportSection {
  const shown = points.slice(0, limits.reportPoints).flatMap((point) => {
    const { line, below } = typeof point === "string" ? { line: point, below: [] } : point;
    return [cutText(line, limits.reportPointCharacters, "..."), ...below];
  });
  const more = points.length - limits.reportPoints;
  return {
    heading,
    lines: more > 0 ? [...shown, bullet(`${more} more, see the log`)] : shown,
  };
}

/** The newest, after how many there are before them. */
export function newest<Item>(items: readonly Item[]): { untold: string[]; items: Item[] } {
  const kept = items.slice(-limits.reportMessages);
  const more = items.length - kept.length;
  return { untold: more > 0 ? [bullet(`${more} before these, see the log`)] : [], items: kept };
}

/** The beginning of a long text: a person reads the report. */
export function cutText(
  text: string,
  max: number = limits.quoteCharacters,
  rest = "... (the rest: see the log)",
): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}${rest}` : text;
}

/** What a participant wrote, line by line: none of them can pass for one of the report. */
export function quoted(text: string): string[] {
  return linesOf(text).map((line) => `> ${line}`.trimEnd());
}

/** One line, whatever breaks are in the words of a participant. */
export function bullet(text: string): string {
  return `- ${singleLine(text)}`;
}

/** Words of a participant inside a line: quoted where their breaks could pass for lines of ours. */
export function asPart(text: string): string {
  return /[\n\v\f\r\u0085\u2028\u2029]/.test(text) ? inline(text, limits.itemCharacters) : text;
}

/** One sentence of a participant in bold: no sign of it ends that. */
export function bold(text: string): string {
  return `**${singleLine(text).replace(/[*_`\\]/g, "\\$&")}**`;
}
