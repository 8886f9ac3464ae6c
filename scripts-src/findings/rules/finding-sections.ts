import { isUnwritten } from "../../base/is-placeholder.ts";
import { quote } from "../../base/json.ts";
import { headingOn, isBlank, isRule, type MarkdownLine } from "../../base/markdown.ts";

/** The sections that every finding begins with, in their order (seed 004). */
export const sectionHeadings = {
  directories: "## Working Directories",
  modified: "## Files Modified",
  investigated: "## Files Investigated (not modified)",
  summary: "## Summary",
} as const;

export type SectionName = keyof typeof sectionHeadings;

export interface FindingSections {
  readonly title: string;
  /** The lines below each heading; undefined where the heading is missing. */
  readonly bodies: Readonly<Record<SectionName, readonly MarkdownLine[] | undefined>>;
  readonly faults: readonly string[];
}

/** The line of a heading, by its index. */
interface HeadingPlace {
  readonly name: SectionName;
  readonly at: number;
}

const sectionOrder: readonly SectionName[] = ["directories", "modified", "investigated", "summary"];

const nameOfHeading: ReadonlyMap<string, SectionName> = new Map([
  ["working directories", "directories"],
  ["files modified", "modified"],
  ["files investigated (not modified)", "investigated"],
  ["files investigated", "investigated"],
  ["summary", "summary"],
]);

/** Finds the title and the four sections; other headings are allowed anywhere below the title. */
export function findingSectionsIn(lines: readonly MarkdownLine[]): FindingSections {
  const first = lines.find((line) => !isBlank(line));
  const heading = first === undefined ? undefined : headingOn(first);
  const title = heading?.level === 1 ? heading.text : "";
  const places = placesIn(lines);
  const body = (name: SectionName) => bodyOf(lines, name, places);
  return {
    title,
    bodies: {
      directories: body("directories"),
      modified: body("modified"),
      investigated: body("investigated"),
      summary: body("summary"),
    },
    faults: [...titleFaults(title, first), ...placeFaults(places)],
  };
}

function placesIn(lines: readonly MarkdownLine[]): HeadingPlace[] {
  return lines.flatMap((line, at) => {
    const heading = headingOn(line);
    if (heading?.level !== 2) return [];
    const words = heading.text.toLowerCase().replace(/\s+/g, " ").replace(/:$/, "");
    const name = nameOfHeading.get(words);
    return name === undefined ? [] : [{ name, at }];
  });
}

/** The lines of a section. Lists run to the next section, subheadings included; the summary ends at any heading. */
function bodyOf(
  lines: readonly MarkdownLine[],
  name: SectionName,
  places: readonly HeadingPlace[],
): readonly MarkdownLine[] | undefined {
  const place = places.find((it) => it.name === name);
  if (place === undefined) return undefined;
  const level = name === "summary" ? 6 : 2;
  const start = place.at + 1;
  let end = start;
  for (let line = lines[end]; line !== undefined; line = lines[end]) {
    if ((headingOn(line)?.level ?? 7) <= level || (name === "summary" && isRule(line))) break;
    end += 1;
  }
  return lines.slice(start, end);
}

function titleFaults(title: string, first: MarkdownLine | undefined): string[] {
  if (isUnwritten(title)) return [`# Title is still "${title}": write the finding in one sentence`];
  if (title !== "" || first === undefined) return [];
  return [`the first line is ${quote(first.text.trim())}, expected a title; begin with: # TITLE`];
}

function placeFaults(places: readonly HeadingPlace[]): string[] {
  const firsts = firstOfEach(places);
  const missing = sectionOrder.filter((name) => firsts.every((place) => place.name !== name));
  const repeated = sectionOrder.filter(
    (name) => places.filter((it) => it.name === name).length > 1,
  );
  const late = firsts.find(
    ({ name }, index) =>
      sectionOrder.indexOf(name) < sectionOrder.indexOf(firsts[index - 1]?.name ?? name),
  );
  const order = Object.values(sectionHeadings).join(", ");
  return [
    ...missing.map((name) => `the section "${sectionHeadings[name]}" is missing; ${hints[name]}`),
    ...repeated.map((name) => `"${sectionHeadings[name]}" stands more than once; make it one`),
    ...(late === undefined
      ? []
      : [`"${sectionHeadings[late.name]}" stands too late; the order is ${order}`]),
  ];
}

function firstOfEach(places: readonly HeadingPlace[]): HeadingPlace[] {
  const firsts = new Map<SectionName, HeadingPlace>();
  for (const place of places) if (!firsts.has(place.name)) firsts.set(place.name, place);
  return [...firsts.values()];
}

const hints: Readonly<Record<SectionName, string>> = {
  directories: "add it below the title with items such as: - `~/code/pika` -- what it is",
  modified: "add it with items such as: - `src/a.rs` -- what changed; or: - none",
  investigated: "add it with items such as: - `src/b.rs` -- what for; or: - none",
  summary: "add it with a paragraph that says what you found",
};

/** A finding to fill in: its author writes in place of every `<...>`, and lists files in place of `none`. */
export function reportDraft(directory: string): string[] {
  return [
    "# <what you found, in one sentence>",
    "",
    "## Working Directories",
    `- \`${directory}\` -- <what it is>`,
    "",
    "## Files Modified",
    "- none",
    "",
    "## Files Investigated (not modified)",
    "- none",
    "",
    "## Summary",
    "<what you saw, as path:line, and what is open>",
  ];
}
