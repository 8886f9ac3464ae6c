// The one reader of Markdown. What a kind's documents mean is the kind's own.

/** A line of the form `- [mark] text`. */
export interface Bullet {
  mark: string;
  text: string;
  /** Whether a blank is between the mark and the text. */
  spaced: boolean;
}

/** The lines of a document, whatever ends them; a byte order mark is no part of the first. */
export function linesOf(text: string): string[] {
  const bare = text.replace(/^\ufeff/, "");
  // A string is looked for ten times as fast as a pattern.
  return bare.includes("\r") ? bare.split(/\r\n|\r|\n/) : bare.split("\n");
}

/** A text without the marks of one level of quotation; undefined where no line has one. */
export function unquoted(text: string): string | undefined {
  const bare = text.replace(/^[ \t]*>[ \t]?/gm, "");
  return bare === text ? undefined : bare;
}

/**
 * All `- [mark] text` lines. The original's patterns run over line ends, so where nothing follows
 * the dash or the mark, the next line that is not blank does. Line by line, since a pattern over
 * the whole text takes time in the square of its blank lines. Unlike the original, a line that
 * served as text of the line before counts as well: an empty item hides no blocker.
 */
export function bulletsOf(text: string): Bullet[] {
  const lines = filledLines(text);
  return lines.flatMap((line, index) => {
    const dash = /^\s*-\s*(.*)$/su.exec(line);
    if (dash === null) return [];
    const at = dash[1] === "" ? index + 1 : index;
    const body = dash[1] === "" ? (lines[at] ?? "").trim() : (dash[1] ?? "");
    const found = /^\[([^[\]]*)\](\s*)(.*)$/su.exec(body);
    if (found === null) return [];
    const [, mark = "", blank = "", same = ""] = found;
    if (same !== "") return [{ mark, text: same.trimEnd(), spaced: blank !== "" }];
    const following = (lines[at + 1] ?? "").trim();
    return [{ mark, text: following, spaced: following !== "" }];
  });
}

/**
 * What follows the mark of every line that begins with it: the rest of the line, or the next line
 * that is not blank where there is no rest.
 */
export function textsAfter(text: string, mark: RegExp): string[] {
  const lines = filledLines(text);
  return lines.flatMap((line, index) => {
    const found = mark.exec(line);
    if (found === null) return [];
    const rest = line.slice(found[0].length).trim();
    return [rest === "" ? (lines[index + 1] ?? "").trim() : rest];
  });
}

function filledLines(text: string): string[] {
  return linesOf(text).filter((line) => /\S/.test(line));
}

/** One line of a document. */
export interface MarkdownLine {
  readonly text: string;
  /** Whether it belongs to a code block, whose first and last lines count as well. */
  readonly fenced: boolean;
}

export interface Heading {
  readonly level: number;
  /** What it says, without the marks. */
  readonly text: string;
}

/** One for all: a text may have a million of them. */
const emptyLine: MarkdownLine = { text: "", fenced: false };

/** The lines with their fences; an unclosed code block runs to the end, as in Markdown. */
export function markdownLines(text: string): MarkdownLine[] {
  let fence = "";
  return linesOf(text).map((line) => {
    if (fence === "") {
      if (line === "") return emptyLine;
      fence = openingFence(line);
      return { text: line, fenced: fence !== "" };
    }
    if (closes(fence, line)) fence = "";
    return { text: line, fenced: true };
  });
}

/** What the code blocks hold; one that is not closed runs to the end. */
export function codeBlocks(text: string): string[] {
  const blocks: string[][] = [];
  let fence = "";
  for (const line of linesOf(text)) {
    if (fence === "") {
      fence = openingFence(line);
      if (fence !== "") blocks.push([]);
    } else if (closes(fence, line)) fence = "";
    else blocks.at(-1)?.push(line);
  }
  return blocks.map((lines) => lines.join("\n"));
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
export function headingOn({ text, fenced }: MarkdownLine): Heading | undefined {
  if (fenced || !text.includes("#")) return undefined;
  const [, marks, words = ""] = /^ {0,3}(#{1,6})(?:\s(.*))?$/s.exec(text) ?? [];
  return marks === undefined ? undefined : { level: marks.length, text: withoutEnd(words.trim()) };
}

/** `# Title #` is `# Title` in Markdown. */
function withoutEnd(words: string): string {
  // By hand: a regular expression would start again at each of a million marks.
  let end = words.length;
  while (end > 0 && words[end - 1] === "#") end -= 1;
  const bare = words.slice(0, end);
  return bare === "" || /\s$/.test(bare) ? bare.trim() : words;
}

/** A line such as `---`, which parts a document. */
export function isRule({ text, fenced }: MarkdownLine): boolean {
  return (
    !fenced && /^\s*[-*_]/.test(text) && /^(?:-{3,}|\*{3,}|_{3,})$/.test(text.replace(/\s/g, ""))
  );
}

export function isBlank({ text }: MarkdownLine): boolean {
  return text.trim() === "";
}

/** What is below a heading, up to the next one of its level. */
export interface Section {
  /** Without its marks; "" for what is before the first. */
  readonly heading: string;
  readonly lines: readonly string[];
}

/** The parts of a document by its headings of one level, whatever stands within fences. */
export function sectionsIn(text: string, level = 2): Section[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: "", lines: [] }];
  for (const line of linesOf(text)) {
    const heading = headingText(line, level);
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ heading, lines: [] });
  }
  return sections;
}

function headingText(line: string, level: number): string | undefined {
  const marks = "#".repeat(level);
  return line.startsWith(marks) && /\s/.test(line[level] ?? "")
    ? line.slice(level).trim()
    : undefined;
}

/** The text below a `## heading`, without blank lines around it; empty when there is none. */
export function sectionUnder(text: string, heading: string): string[] {
  const found = sectionsIn(text).find((section) => section.heading === heading);
  return heading === "" || found === undefined ? [] : trimmedLines(upToHeading(found.lines));
}

/** The lines before the next heading of the first or second level. */
export function upToHeading(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line) => /^##?\s/.test(line));
  return end === -1 ? lines : lines.slice(0, end);
}

/** Without blank lines around them. */
export function trimmedLines(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return first === -1 ? [] : lines.slice(first, last + 1);
}

/** Whether a text is no more than the place of a form where one belongs: `<...>`, or dots. */
export function isUnwritten(text: string): boolean {
  return /^\s*(?:<[^<>]+>|[.\u2026]+)\s*$/.test(text);
}
