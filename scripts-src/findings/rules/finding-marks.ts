import { firstOf } from "../../base/first-of.ts";
import { plainPlace } from "../../base/quote-text.ts";
import type { LogEvent } from "../../log/event.ts";
import { authorOf } from "./board-names.ts";
import {
  type CitedLines,
  contentOf,
  type FileKey,
  type FindingContent,
  missingIn,
} from "./finding-content.ts";

/** A finding as it was last recorded. */
export interface Posting {
  readonly seq: number;
  readonly at: string;
  readonly content: FindingContent;
}

/** By `agent/NN-topic.md`. */
export type Postings = ReadonlyMap<string, Posting>;

/** The findings of a board, each as it was last recorded. */
export function newestPostings(events: readonly LogEvent[]): Map<string, Posting> {
  const postings = new Map<string, Posting>();
  for (const event of events) {
    const content = event.event === "posted" ? contentOf(event) : undefined;
    const { seq, at, file } = event;
    if (content !== undefined) postings.set(`${event.from}/${String(file)}`, { seq, at, content });
  }
  return postings;
}

/** What a reader should know of each finding before it believes it, by the finding. */
export function findingMarks(postings: Postings): Map<string, string[]> {
  const firstBySaid = new Map<string, string>();
  const marks = new Map<string, string[]>();
  const mark = (finding: string, text: string) =>
    marks.set(finding, [...(marks.get(finding) ?? []), text]);
  for (const [finding, { content }] of postings) {
    const { said, confirms } = content;
    const first = firstBySaid.get(said);
    if (first !== undefined) mark(finding, `duplicate: says what ${plainPlace(first)} says`);
    else if (said !== "") firstBySaid.set(said, finding);
    for (const target of confirms) {
      const doubt = doubtAbout(content, postings.get(target)?.content, plainPlace(finding));
      if (doubt !== undefined) mark(target, doubt);
    }
  }
  return marks;
}

/** Why a confirmation shows little: nothing that it cites is there, or it cites none of the finding's files. */
function doubtAbout(
  confirming: FindingContent,
  target: FindingContent | undefined,
  by: string,
): string | undefined {
  const { cited } = confirming;
  if (cited.length === missingIn(confirming).length)
    return `confirmed without a citation: by ${by}`;
  const files = new Set((target?.cited ?? []).map(({ key }) => key));
  if (files.size === 0 || cited.some(({ key }) => files.has(key))) return undefined;
  return `confirmed by a look at other files: ${by} cites none of its`;
}

/**
 * The files that reports of different agents are about and that at least one of them modified, one line each:
 * first those that several agents modified, each group in the order of first mention.
 */
export function sharedFiles(postings: Postings): string[] {
  const withdrawn = withdrawnIn(postings);
  const files = new Map<string, FileUse>();
  for (const [finding, { content }] of postings) {
    if (withdrawn.has(finding)) continue;
    for (const file of content.modified) useOf(files, file).modified.add(finding);
    for (const file of content.investigated) useOf(files, file).investigated.add(finding);
  }
  const contested: string[] = [];
  const watched: string[] = [];
  for (const { shown, modified, investigated } of files.values()) {
    const authors = new Set([...modified].map(authorOf));
    const readers = [...investigated].filter(
      (it) => !modified.has(it) && (authors.size > 1 || !authors.has(authorOf(it))),
    );
    const read = readers.length > 0 ? `, investigated by ${findingsText(readers)}` : "";
    const line = `${plainPlace(shown)}: modified by ${findingsText([...modified])}${read}`;
    if (authors.size > 1) contested.push(line);
    else if (authors.size === 1 && readers.length > 0) watched.push(line);
  }
  return [...contested, ...watched];
}

/** Findings that are about one file; each set in the order in which they came. */
interface FileUse {
  /** As the first report names it. */
  readonly shown: string;
  readonly modified: Set<string>;
  readonly investigated: Set<string>;
}

function useOf(files: Map<string, FileUse>, { key, shown }: FileKey): FileUse {
  const known = files.get(key);
  if (known !== undefined) return known;
  const fresh = { shown, modified: new Set<string>(), investigated: new Set<string>() };
  files.set(key, fresh);
  return fresh;
}

/** Only its author can withdraw a finding, and only after it was posted. */
function withdrawnIn(postings: Postings): Set<string> {
  return new Set(
    [...postings].flatMap(([finding, { seq, content }]) =>
      content.supersedes.filter(
        (it) => authorOf(it) === authorOf(finding) && (postings.get(it)?.seq ?? seq) < seq,
      ),
    ),
  );
}

/** The places that findings of different agents cite, one line each. */
export function sharedLines(postings: Postings): string[] {
  const byFile = new Map<string, (CitedLines & { finding: string })[]>();
  for (const [finding, { content }] of postings)
    for (const it of content.cited) {
      const known = byFile.get(it.key);
      if (known === undefined) byFile.set(it.key, [{ ...it, finding }]);
      else known.push({ ...it, finding });
    }
  return [...byFile.values()].flatMap(overlapping).flatMap((group) => {
    const findings = [...new Set(group.map(({ finding }) => finding))].sort();
    if (new Set(findings.map(authorOf)).size < 2) return [];
    return [`${plainPlace(group[0]?.shown ?? "")}: cited by ${findingsText(findings)}`];
  });
}

/** Citations of one file, in groups that have lines in common. */
function overlapping<T extends CitedLines>(cited: readonly T[]): T[][] {
  const groups: T[][] = [];
  let end = -1;
  for (const it of [...cited].sort((one, other) => one.from - other.from)) {
    const open = groups.at(-1);
    if (open !== undefined && it.from <= end) open.push(it);
    else groups.push([it]);
    end = Math.max(end, it.to);
  }
  return groups;
}

function findingsText(findings: readonly string[]): string {
  return firstOf(findings.map(plainPlace), namedMax, (beyond) => `${beyond} more`).join(" and ");
}

const namedMax = 4;
