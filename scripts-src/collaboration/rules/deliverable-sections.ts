import { linesOf } from "../../base/document-lines.ts";
import { sectionsOf } from "./deliverable-types.ts";
import type { Deliverable } from "./deliverables.ts";

/** A section that a deliverable must have and that is not there, or has nothing in it. */
export interface SectionGap {
  readonly section: string;
  readonly gap: "missing" | "empty";
}

/** What is missing or empty of the sections of its type, or of its own checklist, in their order. */
export function sectionGaps({ type, checklist }: Deliverable, text: string): SectionGap[] {
  const wanted = type === "custom" ? checklist : (sectionsOf(type) ?? []);
  const filled = sectionsIn(text);
  return wanted.flatMap((section): SectionGap[] => {
    const isFilled = filled.get(section);
    if (isFilled === undefined) return [{ section, gap: "missing" }];
    return isFilled ? [] : [{ section, gap: "empty" }];
  });
}

/** The `## ` sections of a document and whether there is anything in them; the first of a name. */
function sectionsIn(text: string): Map<string, boolean> {
  const sections = new Map<string, boolean>();
  let open: string | undefined;
  let isFirst = true;
  for (const line of linesOf(text)) {
    const heading = /^##\s+(.*)$/su.exec(line)?.[1]?.trim();
    if (heading !== undefined) {
      isFirst = !sections.has(heading);
      open = heading;
      if (isFirst) sections.set(heading, false);
    } else if (open !== undefined && isFirst && line.trim() !== "") sections.set(open, true);
  }
  return sections;
}
