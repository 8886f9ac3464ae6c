import { plainPlace } from "../base/escape-untrusted-text.ts";
import { inline } from "../base/json.ts";
import { type FoundReport, findingName } from "./board-files.ts";
import { CitationCheck } from "./cited-lines.ts";
import type { ContentReader } from "./fingerprint-finding.ts";
import { type ProjectPaths, shownDirectory } from "./project-paths.ts";
import type { CitedLines } from "./rules/finding-content.ts";
import { findingMarks, type Postings } from "./rules/finding-marks.ts";
import { readFinding } from "./rules/finding-text.ts";

/** One finding with all that is known of it. */
export interface ReadFinding extends Omit<FoundReport, "sha256"> {
  readonly title: string;
  readonly summary: string;
  /** The event that recorded this text; undefined where none did. */
  readonly seq: number | undefined;
  readonly at: string | undefined;
  /** What the report's header lacks. */
  readonly faults: readonly string[];
  /** Commits that were checked out in its working directories, by directory. */
  readonly commits: readonly { readonly dir: string; readonly commit: string }[];
  /** What it cites and is not as it was, one line each. */
  readonly stale: readonly string[];
  /** What it cites and nobody found when it was recorded, or finds now where its author did not record it. */
  readonly missing: readonly string[];
  /** It names no line that anybody could look at. */
  readonly citesNothing: boolean;
  /** The first of each range of lines that it cites, as it was when its author recorded it. */
  readonly cited: readonly string[];
  /** What a script alone can tell: duplicates, confirmations that rest on nothing, changes in git. */
  readonly marks: readonly string[];
  readonly confirmedBy: readonly string[];
  readonly supersededBy: readonly string[];
}

/** Who reads, and what the log does not have yet. */
export interface Reading {
  readonly project: string;
  readonly paths: ProjectPaths;
  readonly contents: ContentReader;
  /** Findings that no event has recorded as they are now. */
  readonly news: ReadonlyMap<string, unknown>;
}

/**
 * Tells of reports what is known of them and what became of that since, as far as the reader's
 * project goes.
 */
export function findingDescriber(
  postings: Postings,
  { project, paths, contents, news }: Reading,
): (report: FoundReport) => ReadFinding {
  const confirmed = referrersTo(postings, "confirms");
  const superseded = referrersTo(postings, "supersedes");
  const marks = findingMarks(postings);
  const check = new CitationCheck(paths, project);
  return ({ sha256, ...report }) => {
    const name = findingName(report);
    const newest = postings.get(name);
    // Somebody may have changed the report since it was read: what is known is not of this text.
    const posting = newest?.content.sha256 === sha256 ? newest : undefined;
    const { faults = [], roots = [], citations = [], missing = [] } = posting?.content ?? {};
    const { text, fault } = report;
    const finding = fault === undefined && text !== undefined ? readFinding(text) : undefined;
    const cites = (finding?.citations.length ?? 0) > 0;
    // Its author would have recorded where it worked.
    const isWatched = roots.length + missing.length > 0;
    const now = finding !== undefined && cites && !isWatched ? contents.missingIn(finding) : [];
    return {
      ...report,
      title: finding?.title ?? "",
      summary: finding?.summary ?? "",
      seq: news.has(name) ? undefined : posting?.seq,
      at: news.has(name) ? undefined : posting?.at,
      faults,
      commits: roots
        .filter(({ commit }) => commit !== "")
        .map(({ dir, commit }) => ({ dir: shownDirectory(dir), commit })),
      stale: [
        ...citations.flatMap((citation) => staleText(check.faultOf(citation), citation)),
        ...(now === undefined ? [elsewhere] : []),
      ],
      missing: isWatched ? missing : (now ?? []),
      citesNothing: finding !== undefined && !cites,
      cited: citations.flatMap(citedText),
      marks: marks.get(name) ?? [],
      confirmedBy: confirmed.get(name) ?? [],
      supersededBy: superseded.get(name) ?? [],
    };
  };
}

const elsewhere = "not compared: its citations, its directories lie outside of your project";

/** What the lines said stands beside what became of them. */
function staleText(fault: string | undefined, { text: said }: CitedLines): string[] {
  if (fault === undefined) return [];
  const isCompared = !fault.startsWith("not compared");
  return [said === undefined || !isCompared ? fault : `${fault}; it said ${inline(said)}`];
}

/** A citation with the line that it names. */
function citedText({ shown, text }: CitedLines): string[] {
  return text === undefined ? [] : [`${plainPlace(shown)} ${inline(text)}`];
}

/** Who refers to a finding, by the finding. */
function referrersTo(postings: Postings, word: "confirms" | "supersedes"): Map<string, string[]> {
  const referrers = new Map<string, string[]>();
  for (const [name, { content }] of postings) {
    for (const target of content[word]) {
      referrers.set(target, [...(referrers.get(target) ?? []), name]);
    }
  }
  return referrers;
}
