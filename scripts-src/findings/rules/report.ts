import { firstOf } from "../../base/first-of.ts";
import { inline } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { plural } from "../../base/plural.ts";
import { plainPlace } from "../../base/quote-text.ts";
import type { LogEvent } from "../../log/event.ts";
import type {
  Conclusion,
  Files,
  Report,
  ReportSection,
  ReportWants,
} from "../../protocol/protocol.ts";
import { pathOf } from "./board-names.ts";
import { type FindingContent, missingIn } from "./finding-content.ts";
import {
  findingMarks,
  newestPostings,
  type Postings,
  sharedFiles,
  sharedLines,
} from "./finding-marks.ts";
import { type FindingText, readFinding } from "./finding-text.ts";
import {
  type BoardAgent,
  type BoardState,
  deadlineOf,
  findingNames,
  isAllReady,
  readyAgents,
  readyCount,
} from "./state.ts";

/** The report of a board: who found what, what contradicts what, where to read it. */
export function report(
  state: BoardState,
  events: readonly LogEvent[],
  { files }: Pick<ReportWants, "files">,
): Report {
  const { settings, agents } = state;
  const postings = postingsThere(events, files);
  const deadline = deadlineOf(state);
  const marks = findingMarks(postings);
  const late = agents.filter(({ ready }) => !ready).map(({ name }) => name);
  return {
    title: settings.about === "" ? "What the agents found" : settings.about,
    verdict: verdictOf(state),
    facts: [
      `agents: ${agents.map(({ name }) => name).join(", ") || "none"}; expected: ${settings.expectedAgents}`,
      `findings: ${postings.size}`,
      ...(late.length > 0 ? [`not ready: ${late.join(", ")}`] : []),
      ...(deadline === "" ? [] : [`deadline: ${deadline}`]),
    ],
    sections: [
      ...filesSection("Reports about the same file", "file", sharedFiles(postings)),
      ...filesSection("Reports about the same line", "line", sharedLines(postings)),
      ...agents.map((it) => sectionOf(it, postings, marks, files)),
    ],
  };
}

/** A report that somebody deleted is about nothing. */
function postingsThere(events: readonly LogEvent[], files: Files): Postings {
  return new Map([...newestPostings(events)].filter(([finding]) => files.has(pathOf(finding))));
}

function verdictOf(state: BoardState): string {
  const count = `${readyCount(state)} are ready`;
  return isAllReady(state)
    ? `Everybody has shared what they know: ${count}.`
    : `Still open: ${count}.`;
}

function filesSection(heading: string, what: string, all: readonly string[]): ReportSection[] {
  if (all.length === 0) return [];
  const rest = (beyond: number) => `${plural(beyond, `more ${what}`)}: read-all --json lists them`;
  const told = firstOf(all, limits.conflictsReported, rest);
  return [{ heading, lines: told.map((line) => `- ${line}`) }];
}

/** What a reader should know before believing a finding: it cites nothing, or what is not there. */
function doubtAbout(read: FindingText | undefined, missing: readonly string[]): string {
  if (read === undefined) return "";
  if (read.citations.length === 0) return " (cites nothing)";
  const [first, ...more] = missing;
  if (first === undefined) return "";
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  return ` (never found: ${plainPlace(first)}${others})`;
}

function sectionOf(
  { name: agent, ready }: BoardAgent,
  postings: Postings,
  marks: ReadonlyMap<string, readonly string[]>,
  files: Files,
): ReportSection {
  const own = [...postings].filter(([finding]) => finding.startsWith(`${agent}/`));
  // Only the newest are shown, the earlier ones of an agent that posts very much are counted.
  const shown = own.slice(-limits.findingsReported);
  const beyond = own.length - shown.length;
  const lines = shown.flatMap(([finding, { content }]) => {
    const text = files.get(pathOf(finding))?.text;
    const read = text === undefined ? undefined : readFinding(text);
    const summary = inline(read?.summary ?? "the file cannot be read", 1_000);
    const doubt = doubtAbout(read, missingIn(content));
    return [
      `- ${plainPlace(pathOf(finding))}: ${inline(content.title)}: ${summary}${doubt}`,
      ...citedLines(content),
      ...(marks.get(finding) ?? []).map((mark) => `  - ${mark}`),
    ];
  });
  if (beyond > 0) lines.unshift(`- ${plural(beyond, "earlier report")}: see findings/${agent}`);
  const none = ready ? "- ready with nothing posted" : "- nothing was recorded";
  return { heading: agent, lines: lines.length > 0 ? lines : [none] };
}

/** The first lines that a finding cites, as they were when its author recorded it. */
function citedLines(content: FindingContent): string[] {
  const cited = content.cited.flatMap(({ shown, text }) =>
    text === undefined ? [] : [`  - cites ${plainPlace(shown)}: ${inline(text)}`],
  );
  return firstOf(cited, citedReported, (it) => `  - and ${plural(it, "more citation")}`);
}

const citedReported = 5;

/** Short, because one text holds many summaries. */
const summaryCharacters = 300;

/** All findings, one line each; nothing before all agents are ready. */
export function conclusions(
  state: BoardState,
  events: readonly LogEvent[],
  files: Files,
): Conclusion[] {
  const lines = findingNames(state).flatMap((finding) => {
    const text = files.get(pathOf(finding))?.text;
    return text === undefined ? [] : [findingLine(finding, text)];
  });
  if (!isAllReady(state) || lines.length === 0) return [];
  const conflicts = sharedFiles(postingsThere(events, files)).map((line) => `- conflict: ${line}`);
  const outcome = `findings of ${readyAgents(state).length} agents`;
  return [{ what: "findings", outcome, text: [...conflicts, ...lines].join("\n") }];
}

function findingLine(finding: string, text: string): string {
  const { title, summary } = readFinding(text);
  const short =
    summary.length > summaryCharacters ? `${summary.slice(0, summaryCharacters)}...` : summary;
  return `- ${finding}: ${title}: ${short}`;
}
