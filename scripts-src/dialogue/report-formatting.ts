import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { linesOf } from "../base/markdown.ts";
import { singleLine } from "../base/visible-text.ts";
import type { ReportSection } from "../protocol/protocol.ts";

export function section(heading: string, lines: string[]): ReportSection {
  return { heading, lines };
}

/** The first points, each cut: all that was said is in the log. */
export function pointsSection(heading: string, points: string[]): ReportSection {
  const lines = points.slice(0, limits.reportPoints).map(shortPoint);
  const more = points.length - lines.length;
  return section(heading, more > 0 ? [...lines, bullet(`${more} more, see the log`)] : lines);
}

/** Points with lines below each, as many as any section has. */
export function detailedSection(
  heading: string,
  points: readonly { readonly line: string; readonly below: readonly string[] }[],
): ReportSection {
  const { lines } = pointsSection(
    heading,
    points.map(({ line }) => line),
  );
  return section(
    heading,
    lines.flatMap((line, at) => [
      line,
      ...(at < limits.reportPoints ? (points[at]?.below ?? []) : []),
    ]),
  );
}

/** The newest lines, after how many there are before them. */
export function newestSection(heading: string, lines: string[]): ReportSection {
  const newest = lines.slice(-limits.reportMessages);
  const untold = lines.length - newest.length;
  return section(
    heading,
    untold > 0 ? [bullet(`${untold} before these, see the log`), ...newest] : newest,
  );
}

function shortPoint(line: string): string {
  const max = limits.reportPointCharacters;
  return line.length > max ? `${line.slice(0, max).toWellFormed()}...` : line;
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
