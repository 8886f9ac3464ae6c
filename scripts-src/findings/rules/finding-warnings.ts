import { plainPlace } from "../../base/escape-untrusted-text.ts";
import { inline } from "../../base/json.ts";
import { plural } from "../../base/plural.ts";
import { authorOf } from "./board-names.ts";
import type { CitedPlace, FindingContent } from "./finding-content.ts";

/** Findings by `agent/NN-topic.md`, as far as marks look at them. */
type Contents = ReadonlyMap<string, { readonly content: FindingContent }>;

/** What a reader should know of each finding before it believes it, by the finding. */
export function findingMarks(findings: Contents): Map<string, string[]> {
  const firstBySaid = new Map<string, string>();
  const marks = new Map<string, string[]>();
  const mark = (finding: string, text: string) =>
    marks.set(finding, [...(marks.get(finding) ?? []), text]);
  for (const [finding, { content }] of findings) {
    const { said, dirty = [], confirms } = content;
    const first = said === undefined ? undefined : firstBySaid.get(said);
    if (first !== undefined) mark(finding, `duplicate: says what ${plainPlace(first)} says`);
    else if (said !== undefined) firstBySaid.set(said, finding);
    if (dirty.length > 0) mark(finding, dirtyText(dirty));
    for (const target of confirms) {
      if (citesNothing(content))
        mark(target, `confirmed without a citation: by ${plainPlace(finding)}`);
      else if (looksElsewhere(content, findings.get(target)?.content))
        mark(
          target,
          `confirmed by a look at other files: ${plainPlace(finding)} cites none of its`,
        );
    }
  }
  return marks;
}

/** Nothing that a report cites was there; where its lists are not kept, nobody can tell. */
function citesNothing({ about, missing = [] }: FindingContent): boolean {
  return about !== undefined && about.length <= missing.length;
}

/** Whether what confirms a finding is about none of the files that the finding is about. */
function looksElsewhere({ about = [] }: FindingContent, target: FindingContent | undefined) {
  const files = new Set((target?.about ?? []).map(({ key }) => key));
  return files.size > 0 && about.length > 0 && !about.some(({ key }) => files.has(key));
}

function dirtyText(dirty: readonly string[]): string {
  const shown = dirty.slice(0, dirtyShown).map((path) => inline(path, 120));
  const more = dirty.length > dirtyShown ? ` and ${dirty.length - dirtyShown} more` : "";
  return `"Files Modified" names none, git shows changes in ${shown.join(", ")}${more}`;
}

const dirtyShown = 5;

/** The places that findings of different agents cite, one line each. */
export function sharedLines(findings: Contents): string[] {
  const byFile = new Map<string, { place: CitedPlace; finding: string }[]>();
  for (const [finding, { content }] of findings) {
    for (const place of content.about ?? []) {
      const known = byFile.get(place.key);
      if (known === undefined) byFile.set(place.key, [{ place, finding }]);
      else known.push({ place, finding });
    }
  }
  return [...byFile.values()].flatMap((cited) => {
    const sorted = [...cited].sort((one, other) => one.place.from - other.place.from);
    return overlapping(sorted).flatMap(sharedText);
  });
}

interface Cited {
  readonly place: CitedPlace;
  readonly finding: string;
}

/** Citations of one file, in groups that have lines in common. */
function overlapping(sorted: readonly Cited[]): Cited[][] {
  const groups: Cited[][] = [];
  let end = 0;
  for (const cited of sorted) {
    const open = groups.at(-1);
    if (open !== undefined && cited.place.from <= end) open.push(cited);
    else groups.push([cited]);
    end = Math.max(open === undefined || cited.place.from > end ? 0 : end, cited.place.to);
  }
  return groups;
}

function sharedText(group: readonly Cited[]): string[] {
  const findings = [...new Set(group.map(({ finding }) => finding))].sort();
  const agents = new Set(findings.map(authorOf));
  const [first] = group;
  if (first === undefined || agents.size < 2) return [];
  const named = findings.slice(0, 4).map(plainPlace);
  const more = findings.length > 4 ? [plural(findings.length - 4, "more finding")] : [];
  return [`${plainPlace(first.place.shown)}: cited by ${[...named, ...more].join(" and ")}`];
}
