import { type Section, sectionsIn } from "../../../base/markdown.ts";

/** The text of a document; every section ends with one blank line. */
export function textOf(sections: readonly Section[]): string {
  const parts = sections.map(({ heading, lines }) => {
    const body = lines.join("\n").trim();
    const head = heading === "" ? "" : `## ${heading}\n\n`;
    return `${head}${body}`.trim();
  });
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** A document with other lines in its sections. */
export function mapSections(text: string, lines: (section: Section) => readonly string[]): string {
  return textOf(sectionsIn(text).map((section) => ({ ...section, lines: lines(section) })));
}

export function hasSection(text: string, heading: string): boolean {
  return sectionsIn(text).some((section) => section.heading === heading);
}

/** A document with one more section, unless it has one of that name. */
export function withSection(text: string, heading: string, lines: readonly string[]): string {
  return hasSection(text, heading) ? text : textOf([...sectionsIn(text), { heading, lines }]);
}

/** The entries of a list, without those that say that there is nothing. */
export function entriesOf(lines: readonly string[]): string[] {
  return lines
    .flatMap((line) => /^\s*-\s+(.*\S)\s*$/.exec(line)?.[1] ?? [])
    .filter((entry) => !/^(?:none\b|<|TBD\b)/i.test(entry));
}
