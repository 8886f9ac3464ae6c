import { unquoted } from "../base/markdown.ts";
import { runLimits } from "../clis/run-limits.ts";
import { isUnfilled } from "./find-message.ts";

/** The reports that an answer ends with; none is no fault: they may lie on the board already. */
export type ReportBlocks = { readonly reports: readonly string[] } | { readonly fault: string };

/**
 * Looks for reports in a participant's last words: fenced Markdown blocks, or an answer that is one
 * report from its title on. Where blocks have the headings of reports, other Markdown is none. An
 * example that nobody filled in is no report: a program that only echoes its task knows nothing. Where there is
 * none, a quotation may hold some.
 */
export function findReports(answer: string): ReportBlocks {
  const text = answer.slice(-runLimits.searchedCharacters).replace(/\r\n?/g, "\n");
  const found = reportsIn(text);
  const bare = "fault" in found || found.reports.length > 0 ? undefined : unquoted(text);
  return bare === undefined ? found : reportsIn(bare);
}

function reportsIn(text: string): ReportBlocks {
  const blocks = markdownBlocks(text.split("\n"));
  const headed = blocks.filter((block) => sectionHeading.test(block.text));
  const meant =
    headed.length > 0 ? headed : blocks.filter((block) => titleOnTop.test(block.text.trimStart()));
  if (meant.some(({ closed }) => !closed)) return { fault: cutOff };
  const found = meant.length > 0 ? meant.map((block) => block.text) : bareReport(text);
  const reports = found.filter((report) => !isExample(report));
  if (reports.length === 0 && found.length > 0) return { fault: example };
  if (reports.length > runLimits.reportsOfAnswer) return { fault: tooMany(reports.length) };
  return { reports: reports.map((report) => `${report.trim()}\n`) };
}

const markdownName = /^(?:markdown|md)$/i;
const titleOnTop = /^# /;
const sectionHeading = /^ {0,3}## +(?:working directories|files modified|summary)\b/im;
const cutOff =
  "a report is not closed by its fence, so it may be cut off; give it whole, between two lines of ````";
const example = "the report is the unfilled example: its title says nothing; fill it in";

function tooMany(count: number): string {
  return (
    `the answer holds ${count} reports, the limit is ${runLimits.reportsOfAnswer}; ` +
    "put what belongs together into one"
  );
}

function isExample(report: string): boolean {
  const [, title] = /^# (.*)$/m.exec(report) ?? [];
  return title !== undefined && isUnfilled(title);
}

/** A program may print its report as it is. */
function bareReport(text: string): string[] {
  const start = /^# .*\n\s*## +working directories/im.exec(text)?.index;
  return start === undefined ? [] : [text.slice(start)];
}

interface Block {
  readonly text: string;
  readonly closed: boolean;
}

function markdownBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const opening = openingAt(lines, at);
    if (opening === undefined) continue;
    const end = closingOf(lines, at, opening.fence);
    const inside = lines.slice(at + 1, end);
    const text = inside.map((line) => withoutIndent(line, opening.indent)).join("\n");
    blocks.push({ text, closed: end !== undefined });
    at = end ?? lines.length;
  }
  return blocks;
}

/** A fence that says it holds Markdown, or says nothing and holds a title. */
function openingAt(lines: readonly string[], at: number) {
  const [, indent = "", fence, name = ""] =
    /^([ \t]*)(`{3,}|~{3,})[ \t]*(\w*)$/.exec((lines[at] ?? "").trimEnd()) ?? [];
  if (fence === undefined) return undefined;
  const isNamed = markdownName.test(name);
  const holdsTitle = name === "" && titleOnTop.test((lines[at + 1] ?? "").trimStart());
  return isNamed || holdsTitle ? { fence, indent: indent.length } : undefined;
}

/**
 * The line that closes a block. A fence of three may hold blocks of its own fenced alike: then the
 * last fence that can be the end is, since text too much does less harm than text lost.
 */
function closingOf(lines: readonly string[], start: number, fence: string): number | undefined {
  const mayNest = fence.length === 3;
  let last: number | undefined;
  let inner = false;
  for (let at = start + 1; at < lines.length; at += 1) {
    const [, run = "", name = ""] = /^[ \t]*(`{3,}|~{3,})[ \t]*(\S*)/.exec(lines[at] ?? "") ?? [];
    if (!run.startsWith(fence)) continue;
    if (name === "" && !mayNest) return at;
    if (last !== undefined && markdownName.test(name)) return last;
    if (name !== "") inner = true;
    else if (inner) inner = false;
    else last = at;
  }
  return last;
}

function withoutIndent(line: string, indent: number): string {
  return line.slice(Math.min(indent, /^[ \t]*/.exec(line)?.[0].length ?? 0));
}
