import { linesOf } from "../../base/document-lines.ts";

/** One line of a report. */
export interface ReportLine {
  readonly text: string;
  /** Whether it belongs to a code block, whose first and last lines count as well. */
  readonly fenced: boolean;
}

export interface Heading {
  readonly level: number;
  /** What it says, without the marks. */
  readonly text: string;
}

/** The lines of a report; an unclosed code block runs to the end, as in Markdown. */
export function reportLines(text: string): ReportLine[] {
  let fence = "";
  return linesOf(text).map((line) => {
    if (fence === "") {
      fence = openingFence(line);
      return { text: line, fenced: fence !== "" };
    }
    if (closes(fence, line)) fence = "";
    return { text: line, fenced: true };
  });
}

function openingFence(line: string): string {
  if (!line.includes("```") && !line.includes("~~~")) return "";
  const [, ticks, tildes] = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/s.exec(line) ?? [];
  return ticks ?? tildes ?? "";
}

function closes(fence: string, line: string): boolean {
  const [, run = ""] = /^ {0,3}(`+|~+)\s*$/.exec(line) ?? [];
  return run.length >= fence.length && run[0] === fence[0];
}

/** The heading that a line is. */
export function headingOn({ text, fenced }: ReportLine): Heading | undefined {
  if (fenced || !text.includes("#")) return undefined;
  const [, marks, words = ""] = /^ {0,3}(#{1,6})(?:\s(.*))?$/s.exec(text) ?? [];
  return marks === undefined ? undefined : { level: marks.length, text: withoutEnd(words.trim()) };
}

/** `# Title #` is `# Title` in Markdown. */
function withoutEnd(words: string): string {
  // By hand: a regular expression would begin anew at each of a million marks.
  let end = words.length;
  while (end > 0 && words[end - 1] === "#") end -= 1;
  const bare = words.slice(0, end);
  return bare === "" || /\s$/.test(bare) ? bare.trim() : words;
}

/** A line such as `---`, which parts a document. */
export function isRule({ text, fenced }: ReportLine): boolean {
  return (
    !fenced && /^\s*[-*_]/.test(text) && /^(?:-{3,}|\*{3,}|_{3,})$/.test(text.replace(/\s/g, ""))
  );
}

export function isBlank({ text }: ReportLine): boolean {
  return text.trim() === "";
}
