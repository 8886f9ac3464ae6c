import type { LogEvent } from "../../log/event.ts";
import type { Conclusion, Files } from "../../protocol/protocol.ts";
import { pathOf } from "./files-wanted.ts";
import { readFinding } from "./finding-text.ts";
import { knownNames } from "./known-findings.ts";
import { conflictLines, newestPostings } from "./report.ts";
import { type BoardState, isAllReady, readyAgents } from "./state.ts";

/** So that many findings find room beside each other. */
const summaryCharacters = 300;

/** What everybody found, in a line each; nothing before all are ready. */
export function conclusions(
  state: BoardState,
  events: readonly LogEvent[],
  files: Files,
): Conclusion[] {
  const told = knownNames(state.findings).flatMap((finding) => {
    const text = files.get(pathOf(finding))?.text;
    return text === undefined ? [] : [findingLine(finding, text)];
  });
  if (!isAllReady(state) || told.length === 0) return [];
  const postings = [...newestPostings(events)].filter(([finding]) => files.has(pathOf(finding)));
  const conflicts = conflictLines(new Map(postings)).map((line) => `- conflict: ${line}`);
  const outcome = `findings of ${readyAgents(state).length} agents`;
  return [{ what: "findings", outcome, text: [...conflicts, ...told].join("\n") }];
}

function findingLine(finding: string, text: string): string {
  const { title, summary } = readFinding(text);
  const short =
    summary.length > summaryCharacters ? `${summary.slice(0, summaryCharacters)}...` : summary;
  return `- ${finding}: ${title}: ${short}`;
}
