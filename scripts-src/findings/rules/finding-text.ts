import { isUnwritten } from "../../base/is-placeholder.ts";
import { quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { type MarkdownLine, markdownLines } from "../../base/markdown.ts";
import { type Citation, citationsIn, type ListedFile } from "../../protocol/citations.ts";
import { relationsIn } from "./finding-relations.ts";
import { findingSectionsIn, type SectionName, sectionHeadings } from "./finding-sections.ts";
import { type ReadItems, readItems, type StrangeItem } from "./parse-file-list.ts";

/** What a report says (seed 004). */
export interface FindingText {
  readonly title: string;
  readonly workingDirectories: readonly string[];
  readonly modified: readonly ListedFile[];
  readonly investigated: readonly ListedFile[];
  /** On one line. */
  readonly summary: string;
  /** Each once, in order of appearance. */
  readonly citations: readonly Citation[];
  /** How many more citations there are than are kept. */
  readonly citationsBeyond: number;
  /** Findings, as written: `bob/01`, `bob/01-x.md`. */
  readonly confirms: readonly string[];
  readonly supersedes: readonly string[];
  /** What is missing or wrong, and what to write; empty when the report is right. */
  readonly faults: readonly string[];
}

/** Reads a report; whatever is wrong with it becomes a fault. */
export function readFinding(text: string): FindingText {
  const lines = markdownLines(text);
  const { title, bodies, faults } = findingSectionsIn(lines);
  const directories = readItems(bodies.directories ?? []);
  const modified = readItems(bodies.modified ?? []);
  const investigated = readItems(bodies.investigated ?? []);
  const listed = { directories, modified, investigated };
  const paths = [...new Set(directories.files.map(({ path }) => path))];
  const summary = bodies.summary === undefined ? undefined : summaryOf(bodies.summary);
  const repos = reposNamed(paths, [...modified.files, ...investigated.files]);
  const relations = relationsIn(lines);
  const room = limits.listedFiles - Math.min(limits.listedFiles, modified.files.length);
  const wrong = [
    ...faults,
    ...listNames.flatMap((name) => itemFaults(name, listed[name].strange)),
    ...(bodies.directories === undefined ? [] : directoryFaults(paths, directories)),
    ...unprefixedFaults(paths, listed),
    ...sizeFaults(paths, listed),
    ...summaryFaults(summary),
    ...relations.faults,
  ];
  return {
    title,
    workingDirectories: paths.slice(0, limits.workingDirectories),
    modified: modified.files.slice(0, limits.listedFiles),
    investigated: investigated.files.slice(0, room),
    summary: summary ?? "",
    ...citationsIn(
      lines.map((line) => line.text),
      repos,
    ),
    confirms: relations.confirms,
    supersedes: relations.supersedes,
    faults: text.trim() === "" ? [emptyFault] : wrong,
  };
}

const listNames = ["directories", "modified", "investigated"] as const;
type Lists = Readonly<Record<(typeof listNames)[number], ReadItems>>;

const emptyFault =
  "the report is empty; write # TITLE, ## Working Directories, ## Files Modified, " +
  "## Files Investigated (not modified) and ## Summary";
const unwrittenSummaryFault = `"${sectionHeadings.summary}" is not filled in: write what you found, and how to see it`;
const summaryFault = `"${sectionHeadings.summary}" is empty; write a paragraph that says what you found`;

function summaryFaults(summary: string | undefined): string[] {
  if (summary === undefined) return [];
  if (summary === "") return [summaryFault];
  return isUnwritten(summary) ? [unwrittenSummaryFault] : [];
}

/** Words that may stand before a colon and a path: repositories, and parts of working directories. */
function reposNamed(directories: readonly string[], files: readonly ListedFile[]): Set<string> {
  const names = files.flatMap(({ repo }) => repo ?? []);
  const parts = directories.flatMap((path) => path.split(/[/\\]/));
  return new Set([...names, ...parts]);
}

function summaryOf(lines: readonly MarkdownLine[]): string {
  return lines
    .filter(({ text, fenced }) => !fenced || !/^\s*(?:```|~~~)/.test(text))
    .map(({ text }) => text)
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Enough of them to see what is wrong with all. */
const shownMax = 5;

function itemFaults(name: SectionName, strange: readonly StrangeItem[]): string[] {
  const section = sectionHeadings[name];
  const shown = strange.slice(0, shownMax);
  const faults = shown.map(({ item, fault }) => `${section}: ${quote(item)} ${fault}`);
  const more = strange.length - faults.length;
  return more === 0 ? faults : [...faults, `${section}: ${more} more such items`];
}

function directoryFaults(paths: readonly string[], { strange }: ReadItems): string[] {
  if (paths.length > 0 || strange.length > 0) return [];
  return [
    `"${sectionHeadings.directories}" lists none; write where you worked: - \`~/code/pika\` -- what it is`,
  ];
}

/** With several working directories only a prefix tells which of them a path is in. */
function unprefixedFaults(directories: readonly string[], lists: Lists): string[] {
  if (directories.length < 2) return [];
  const files = [...lists.modified.files, ...lists.investigated.files];
  const bare = files.filter(({ repo }) => repo === undefined).map(({ path }) => path);
  const repo =
    files.find((file) => file.repo !== undefined)?.repo ?? lastPart(directories[0] ?? "");
  const faults = bare
    .slice(0, shownMax)
    .map(
      (path) =>
        `${quote(path)} does not say in which of the ${directories.length} working directories ` +
        `it lies; put the repository before it: - \`${repo}: ${inside(path)}\``,
    );
  const more = bare.length - faults.length;
  return more === 0 ? faults : [...faults, `${more} more paths lack their repository`];
}

/** What an absolute path would be inside its repository is not known here. */
function inside(path: string): string {
  return /^(?:[/~\\]|[A-Za-z]:)/.test(path) ? "path/inside/it" : path;
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => /[A-Za-z0-9]/.test(part)) ?? "REPOSITORY";
}

function sizeFaults(directories: readonly string[], lists: Lists): string[] {
  const files = lists.modified.files.length + lists.investigated.files.length;
  return [
    ...tooMany("working directories", directories.length, limits.workingDirectories),
    ...tooMany("files", files, limits.listedFiles),
  ];
}

function tooMany(what: string, count: number, max: number): string[] {
  if (count <= max) return [];
  return [
    `the report lists ${count} ${what}, expected at most ${max}; list those that matter most`,
  ];
}
