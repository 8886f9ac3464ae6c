import { plainPlace } from "../base/escape-untrusted-text.ts";
import { inline } from "../base/json.ts";
import { CitationCheck, type CitationFault } from "./cited-lines.ts";
import { ContentReader } from "./fingerprint-finding.ts";
import { type ProjectPaths, shownDirectory } from "./project-paths.ts";
import type { FoundReport } from "./record-findings.ts";
import type { CitedLines } from "./rules/finding-content.ts";
import { type FindingText, readFinding } from "./rules/finding-text.ts";
import { findingMarks } from "./rules/finding-warnings.ts";
import type { Posting } from "./rules/report.ts";
import type { Scope } from "./working-directories.ts";

/** One finding with all that is known of it. */
export interface ReadFinding {
  readonly agent: string;
  readonly file: string;
  readonly path: string;
  /** Undefined where nobody can read it. */
  readonly text: string | undefined;
  /** Why it cannot be read, or that it says nothing. */
  readonly fault: string | undefined;
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

/**
 * Tells of reports what the log knows of them and what became of that since, as far as the reader's
 * `scope` goes. `paths` are those of the reader's project.
 */
export function describer(
  postings: ReadonlyMap<string, Posting>,
  paths: ProjectPaths,
  scope: Scope,
): (report: FoundReport) => ReadFinding {
  const confirmed = referrersTo(postings, "confirms");
  const superseded = referrersTo(postings, "supersedes");
  const marks = findingMarks(postings);
  const check = new CitationCheck(paths, scope);
  const reader = new ContentReader(paths, scope);
  return ({ agent, file, path, text, fault, sha256 }) => {
    const name = `${agent}/${file}`;
    const newest = postings.get(name);
    // Somebody may have changed the report since it was read: what is known is not of this text.
    const posting = newest?.content.sha256 === sha256 ? newest : undefined;
    const content = posting?.content;
    const { faults = [], roots = [], citations = [], missing: known = [] } = content ?? {};
    const finding = fault === undefined && text !== undefined ? readFinding(text) : undefined;
    const cites = (finding?.citations.length ?? 0) > 0;
    // Its author would have recorded where it worked.
    const now =
      finding !== undefined && cites && roots.length + known.length === 0
        ? missingNow(reader, finding)
        : [];
    return {
      agent,
      file,
      path,
      text,
      fault,
      seq: posting?.seq,
      at: posting?.at,
      faults,
      commits: roots
        .filter(({ commit }) => commit !== "")
        .map((root) => ({ ...root, dir: shownDirectory(root.dir) })),
      stale: [
        ...citations.flatMap((citation) => staleText(check.faultOf(citation, roots), citation)),
        ...(now === "elsewhere" ? [elsewhere] : []),
      ],
      missing: known.length > 0 || typeof now === "string" ? known : now,
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
function staleText(fault: CitationFault | undefined, { text: said }: CitedLines): string[] {
  if (fault === undefined) return [];
  const { code, text } = fault;
  const line = `${code}: ${text}`;
  return [
    said === undefined || code === "not compared" ? line : `${line}; it said ${inline(said)}`,
  ];
}

/** A citation with the line that it names. */
function citedText({ shown, text }: CitedLines): string[] {
  return text === undefined ? [] : [`${plainPlace(shown)} ${inline(text)}`];
}

function missingNow(reader: ContentReader, finding: FindingText): string[] | "elsewhere" {
  return reader.missingIn(finding) ?? "elsewhere";
}

/** Who refers to a finding, by the finding. */
function referrersTo(
  postings: ReadonlyMap<string, Posting>,
  word: "confirms" | "supersedes",
): Map<string, string[]> {
  const referrers = new Map<string, string[]>();
  for (const [name, { content }] of postings) {
    for (const target of content[word]) {
      referrers.set(target, [...(referrers.get(target) ?? []), name]);
    }
  }
  return referrers;
}
