import { quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import {
  headingOn,
  isBlank,
  isRule,
  isUnwritten,
  type MarkdownLine,
  markdownLines,
} from "../../base/markdown.ts";
import { type Citation, citationsIn, type ListedFile } from "../../protocol/citations.ts";
import { type FileList, fileListIn } from "./file-list.ts";

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
  /** Findings, as written: `bob/01`, `bob/01-x.md`. */
  readonly confirms: readonly string[];
  readonly supersedes: readonly string[];
  /** What is missing or wrong, and what to write; empty when the report is right. */
  readonly faults: readonly string[];
}

/** The sections that every finding begins with, in their order, and what a missing one is to hold. */
const sections = {
  directories: {
    heading: "## Working Directories",
    hint: "add it below the title with items such as: - `~/code/pika` -- what it is",
  },
  modified: {
    heading: "## Files Modified",
    hint: "add it with items such as: - `src/a.rs` -- what changed; or: - none",
  },
  investigated: {
    heading: "## Files Investigated (not modified)",
    hint: "add it with items such as: - `src/b.rs` -- what for; or: - none",
  },
  summary: {
    heading: "## Summary",
    hint: "add it with a paragraph that says what you found",
  },
} as const;

type SectionName = keyof typeof sections;
const listNames = ["directories", "modified", "investigated"] as const;
const sectionNames: readonly SectionName[] = [...listNames, "summary"];
const headings = sectionNames.map((name) => sections[name].heading);

/** Reads a report; whatever is wrong with it becomes a fault. */
export function readFinding(text: string): FindingText {
  const lines = markdownLines(text);
  const places = placesIn(lines);
  const first = lines.find((line) => !isBlank(line));
  const heading = first === undefined ? undefined : headingOn(first);
  const title = heading?.level === 1 ? heading.text : "";
  const lists = {
    directories: fileListIn(bodyOf(lines, "directories", places)),
    modified: fileListIn(bodyOf(lines, "modified", places)),
    investigated: fileListIn(bodyOf(lines, "investigated", places)),
  };
  const paths = [...new Set(lists.directories.files.map(({ path }) => path))];
  const modified = lists.modified.files.slice(0, limits.listedFiles);
  const files = [...lists.modified.files, ...lists.investigated.files];
  const summary = summaryOf(bodyOf(lines, "summary", places));
  const { confirms, supersedes, faults } = relationsIn(lines);
  const has = (name: SectionName) => places.some((place) => place.name === name);
  const wrong = [
    ...titleFaults(title, first),
    ...placeFaults(places),
    ...listNames.flatMap((name) =>
      few(lists[name].faults, `${sections[name].heading}: `, "more such items"),
    ),
    ...(has("directories") ? directoryFaults(paths, files, lists.directories) : []),
    ...tooMany("the report lists", files.length, "files", limits.listedFiles),
    ...(has("summary") ? summaryFaults(summary) : []),
    ...faults,
  ];
  const texts = lines.map((line) => line.text);
  return {
    title,
    workingDirectories: paths.slice(0, limits.workingDirectories),
    modified,
    investigated: lists.investigated.files.slice(0, limits.listedFiles - modified.length),
    summary,
    citations: citationsIn(texts, reposNamed(paths, files)),
    confirms,
    supersedes,
    faults: text.trim() === "" ? [emptyFault] : wrong,
  };
}

/** A finding to fill in: its author writes in place of every `<...>`, and lists files in place of `none`. */
export function reportDraft(directory: string): string[] {
  const [directories, modified, investigated, summary] = headings;
  return [
    "# <what you found, in one sentence>",
    ...["", `${directories}`, `- \`${directory}\` -- <what it is>`],
    ...["", `${modified}`, "- none"],
    ...["", `${investigated}`, "- none"],
    ...["", `${summary}`, "<what you saw, as path:line, and what is open>"],
  ];
}

const emptyFault = `the report is empty; write # TITLE, ${headings.slice(0, 3).join(", ")} and ${headings[3]}`;

/** The line of a heading, by its index. */
interface HeadingPlace {
  readonly name: SectionName;
  readonly at: number;
}

/** Other headings are allowed anywhere below the title. */
function placesIn(lines: readonly MarkdownLine[]): HeadingPlace[] {
  return lines.flatMap((line, at) => {
    const heading = headingOn(line);
    const name = heading?.level === 2 ? sectionCalled(heading.text) : undefined;
    return name === undefined ? [] : [{ name, at }];
  });
}

function sectionCalled(heading: string): SectionName | undefined {
  const words = heading.toLowerCase().replace(/\s+/g, " ").replace(/:$/, "");
  if (words === "files investigated") return "investigated";
  return sectionNames.find((name) => sections[name].heading.toLowerCase() === `## ${words}`);
}

/** The lines of a section. Lists run to the next section, subheadings included; the summary ends at any heading. */
function bodyOf(
  lines: readonly MarkdownLine[],
  name: SectionName,
  places: readonly HeadingPlace[],
): readonly MarkdownLine[] {
  const start = places.find((place) => place.name === name)?.at;
  if (start === undefined) return [];
  const level = name === "summary" ? 6 : 2;
  const isEnd = (line: MarkdownLine) =>
    (headingOn(line)?.level ?? 7) <= level || (name === "summary" && isRule(line));
  const length = lines.slice(start + 1).findIndex(isEnd);
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length);
}

function titleFaults(title: string, first: MarkdownLine | undefined): string[] {
  if (isUnwritten(title)) return [`# Title is still "${title}": write the finding in one sentence`];
  if (title !== "" || first === undefined) return [];
  return [`the first line is ${quote(first.text.trim())}, expected a title; begin with: # TITLE`];
}

function placeFaults(places: readonly HeadingPlace[]): string[] {
  const of = (name: SectionName) => places.filter((place) => place.name === name);
  const firsts = sectionNames.flatMap((name) => of(name).slice(0, 1));
  const late = firsts.find(({ at }, index) => at > (firsts[index + 1]?.at ?? at));
  return [
    ...sectionNames
      .filter((name) => of(name).length === 0)
      .map((name) => `the section "${sections[name].heading}" is missing; ${sections[name].hint}`),
    ...sectionNames
      .filter((name) => of(name).length > 1)
      .map((name) => `"${sections[name].heading}" stands more than once; make it one`),
    ...(late === undefined
      ? []
      : [`"${sections[late.name].heading}" stands too late; the order is ${headings.join(", ")}`]),
  ];
}

function summaryOf(lines: readonly MarkdownLine[]): string {
  return lines
    .filter(({ text, fenced }) => !fenced || !/^\s*(?:```|~~~)/.test(text))
    .map(({ text }) => text)
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
}

function summaryFaults(summary: string): string[] {
  const what = `"${sections.summary.heading}" is`;
  if (summary === "") return [`${what} empty; write a paragraph that says what you found`];
  return isUnwritten(summary)
    ? [`${what} not filled in: write what you found, and how to see it`]
    : [];
}

/** Enough of them to see what is wrong with all. */
const shownMax = 5;

function few(faults: readonly string[], before: string, others: string): string[] {
  const shown = faults.slice(0, shownMax).map((fault) => `${before}${fault}`);
  const more = faults.length - shown.length;
  return more === 0 ? shown : [...shown, `${before}${more} ${others}`];
}

/** Words that may stand before a colon and a path: repositories, and parts of working directories. */
function reposNamed(directories: readonly string[], files: readonly ListedFile[]): Set<string> {
  const names = files.flatMap(({ repo }) => repo ?? []);
  return new Set([...names, ...directories.flatMap((path) => path.split(/[/\\]/))]);
}

function directoryFaults(
  directories: readonly string[],
  files: readonly ListedFile[],
  { faults }: FileList,
): string[] {
  const isMissing = directories.length + faults.length === 0;
  return [
    ...(isMissing
      ? [`"${headings[0]}" lists none; write where you worked: - \`~/code/pika\` -- what it is`]
      : []),
    ...unprefixedFaults(directories, files),
    ...tooMany(
      "the report lists",
      directories.length,
      "working directories",
      limits.workingDirectories,
    ),
  ];
}

/** With several working directories only a prefix tells which of them a path is in. */
function unprefixedFaults(directories: readonly string[], files: readonly ListedFile[]): string[] {
  const [directory = "", ...others] = directories;
  if (others.length === 0) return [];
  const folder = directory.split(/[/\\]/).findLast((part) => /[A-Za-z0-9]/.test(part));
  const repo = files.find((file) => file.repo !== undefined)?.repo ?? folder ?? "REPOSITORY";
  const faults = files
    .filter((file) => file.repo === undefined)
    .map(({ path }) => {
      // What an absolute path would be inside its repository is not known here.
      const inside = /^(?:[/~\\]|[A-Za-z]:)/.test(path) ? "path/inside/it" : path;
      return (
        `${quote(path)} does not say in which of the ${directories.length} working directories ` +
        `it lies; put the repository before it: - \`${repo}: ${inside}\``
      );
    });
  return few(faults, "", "more paths lack their repository");
}

function tooMany(says: string, count: number, what: string, max: number): string[] {
  if (count <= max) return [];
  return [`${says} ${count} ${what}, expected at most ${max}; name those that matter most`];
}

const relationLine = /^\s*(?:[-*]\s+)?\**(confirms|supersedes)\**:\**(.*)$/is;
const noReference = /^\(?(?:none|n\/a|nothing|-*)\)?$/i;

/** Reads the lines `Confirms: bob/01, cy/02` and `Supersedes: alice/02`, wherever they stand. */
function relationsIn(lines: readonly MarkdownLine[]) {
  const confirms = new Set<string>();
  const supersedes = new Set<string>();
  const strange = new Set<string>();
  for (const { text, fenced } of lines) {
    const [, kind, rest = ""] =
      fenced || !text.includes(":") ? [] : (relationLine.exec(text) ?? []);
    if (kind === undefined) continue;
    const known = kind.toLowerCase() === "confirms" ? confirms : supersedes;
    for (const reference of referencesIn(rest)) {
      (isReference(reference) ? known : strange).add(reference);
    }
  }
  const kept = [...confirms].slice(0, limits.relations);
  const count = confirms.size + supersedes.size;
  return {
    confirms: kept,
    supersedes: [...supersedes].slice(0, limits.relations - kept.length),
    faults: [
      ...few(
        [...strange].map(
          (it) => `${quote(it)} names no finding; write agent/number, such as: Confirms: bob/01`,
        ),
        "",
        "more such references",
      ),
      ...tooMany("the report confirms or supersedes", count, "findings", limits.relations),
    ],
  };
}

function referencesIn(rest: string): string[] {
  const words = rest.replace(/\s+/g, " ").replace(/ (?:--|-|\u2013|\u2014|\() .*$| \(.*$/s, "");
  return words
    .split(/[,;]| and /)
    .map((it) => it.replace(/[`*]/g, "").trim().replace(/\.$/, ""))
    .filter((it) => !noReference.test(it));
}

/** A path before the agent's name is fine: it is what `post` prints. */
function isReference(reference: string): boolean {
  return /^(?:[^\s/]*\/)*[a-z][a-z0-9-]*\/(?:\d[^\s/]*|[^\s/]+\.md)$/.test(reference);
}
