import { ConsultaError } from "../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { lastObject } from "../base/last-object.ts";
import { isUnwritten, unquoted } from "../base/markdown.ts";
import { runLimits } from "../clis/run-limits.ts";
import { parseDraftText } from "../session/text/draft-files.ts";

type Fault = { readonly fault: string };
type ObjectFound = { readonly object: JsonObject } | Fault;

/**
 * The object that a participant's last words hold, or why there is none: of the fenced JSON and YAML
 * blocks the last that has these fields, else the last JSON object that does. Where there is none, a
 * quotation may hold it. `name` is its name in errors.
 */
export async function objectIn(
  answer: string,
  name: string,
  fields: readonly string[],
): Promise<ObjectFound> {
  const text = answer.slice(-runLimits.searchedCharacters);
  const found = await lastIn(text, name, fields);
  const bare = "fault" in found ? unquoted(text) : undefined;
  const quoted = bare === undefined ? found : await lastIn(bare, name, fields);
  return "fault" in quoted ? found : quoted;
}

async function lastIn(text: string, name: string, fields: readonly string[]): Promise<ObjectFound> {
  const isWanted = (value: JsonValue): value is JsonObject =>
    isJsonObject(value) && fields.every((it) => it in value);
  let fault: string | undefined;
  for (const block of blocksIn(text, objectName).reverse()) {
    const read = await readObject(block.text, name);
    if ("fault" in read) fault ??= read.fault;
    else if (isWanted(read.value)) return { object: read.value };
  }
  const object = lastObject(text, isWanted);
  if (object !== undefined && isWanted(object)) return { object };
  const none = `the answer holds no ${name}; end it with one JSON code block that has ${fields.join(" and ")}`;
  return { fault: fault ?? none };
}

/** The message that an answer ends with, or why there is none to send. */
export async function messageIn(answer: string): Promise<{ readonly message: JsonObject } | Fault> {
  const found = await objectIn(answer, "message", ["type", "question_or_proposal"]);
  if ("fault" in found) return found;
  const { question_or_proposal: said } = found.object;
  const content = isJsonObject(said) ? said["content"] : undefined;
  const isDraft = typeof content === "string" && isUnfilled(content);
  return isDraft ? { fault: unfilled("message", "content") } : { message: found.object };
}

type ReportsFound = { readonly reports: readonly string[] } | Fault;

/**
 * The reports in a participant's last words: fenced Markdown blocks, or an answer that is one report
 * from its title on. Where blocks have the headings of reports, other Markdown is none. Where there is
 * none, a quotation may hold some. None is no fault: they may lie on the board already.
 */
export function reportsIn(answer: string): ReportsFound {
  const text = answer.slice(-runLimits.searchedCharacters).replace(/\r\n?/g, "\n");
  const found = unquotedReports(text);
  const bare = "fault" in found || found.reports.length > 0 ? undefined : unquoted(text);
  return bare === undefined ? found : unquotedReports(bare);
}

function unquotedReports(text: string): ReportsFound {
  const blocks = blocksIn(text, markdownName);
  const headed = blocks.filter((block) => sectionHeading.test(block.text));
  const meant =
    headed.length > 0 ? headed : blocks.filter((block) => titleOnTop.test(block.text.trimStart()));
  if (meant.some(({ isClosed }) => !isClosed)) return { fault: cutOff };
  const found = meant.length > 0 ? meant.map((block) => block.text) : bareReport(text);
  const reports = found.filter((report) => !isUnfilled(/^# (.*)$/m.exec(report)?.[1] ?? "-"));
  if (reports.length === 0 && found.length > 0) return { fault: unfilled("report", "title") };
  if (reports.length > runLimits.reportsOfAnswer) return { fault: tooMany(reports.length) };
  return { reports: reports.map((report) => `${report.trim()}\n`) };
}

const objectName = /^(?:json|yaml|yml)$/i;
const markdownName = /^(?:markdown|md)$/i;
const titleOnTop = /^# /;
const sectionHeading = /^ {0,3}## +(?:working directories|files modified|summary)\b/im;
const cutOff =
  "a report is not closed by its fence, so it may be cut off; give it whole, between two lines of ````";

function tooMany(count: number): string {
  const { reportsOfAnswer: most } = runLimits;
  return `the answer holds ${count} reports, the limit is ${most}; put what belongs together into one`;
}

/** A program may print its report as it is. */
function bareReport(text: string): string[] {
  const start = /^# .*\n\s*## +working directories/im.exec(text)?.index;
  return start === undefined ? [] : [text.slice(start)];
}

/** Whether a text is no more than the place where one belongs: a program that echoes its task has no vote. */
export function isUnfilled(text: string): boolean {
  return text.trim() === "" || isUnwritten(text);
}

export function unfilled(name: string, part: string): string {
  return `the ${name} is the unfilled example: its ${part} says nothing; fill it in`;
}

interface Fence {
  readonly indent: number;
  readonly run: string;
  readonly name: string;
}

interface Block {
  readonly text: string;
  /** False where the answer ends in it: what was cut off may still hold all of an object. */
  readonly isClosed: boolean;
}

/** The blocks between fences of such a name; of Markdown also those without one that begin with a title. */
function blocksIn(text: string, named: RegExp): Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = fenceIn(lines[at]);
    if (fence === undefined) continue;
    const holdsTitle = fence.name === "" && titleOnTop.test((lines[at + 1] ?? "").trimStart());
    if (!named.test(holdsTitle ? "md" : fence.name)) continue;
    const end = endOf(lines, at, fence);
    const inside = lines.slice(at + 1, end).map((line) => withoutIndent(line, fence.indent));
    blocks.push({ text: inside.join("\n"), isClosed: end !== undefined });
    at = end ?? lines.length;
  }
  return blocks;
}

function fenceIn(line = ""): Fence | undefined {
  const [, blanks = "", run, name = ""] = /^([ \t]*)(`{3,}|~{3,})[ \t]*(\S*)/.exec(line) ?? [];
  return run === undefined ? undefined : { indent: blanks.length, run, name };
}

function withoutIndent(line: string, indent: number): string {
  return line.slice(Math.min(indent, /^[ \t]*/.exec(line)?.[0].length ?? 0));
}

/**
 * Where a block ends; a fence in its text stands further in than the one that opened it. Markdown in a
 * fence of three may hold blocks fenced alike: then the last fence that can be the end is, since text
 * too much does less harm than text lost.
 */
function endOf(lines: readonly string[], start: number, open: Fence): number | undefined {
  const mayNest = !objectName.test(open.name) && open.run.length === 3;
  let last: number | undefined;
  let isInner = false;
  for (let at = start + 1; at < lines.length; at += 1) {
    const fence = fenceIn(lines[at]);
    if (!fence?.run.startsWith(open.run)) continue;
    if (!mayNest && fence.name === "" && fence.indent <= open.indent) return at;
    if (last !== undefined && markdownName.test(fence.name)) return last;
    if (fence.name !== "") isInner = true;
    else if (isInner) isInner = false;
    else if (mayNest) last = at;
  }
  return last;
}

async function readObject(text: string, name: string): Promise<{ value: JsonValue } | Fault> {
  try {
    return { value: await parseDraftText(text) };
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return { fault: `the ${name} cannot be read: ${cause.message}` };
  }
}
