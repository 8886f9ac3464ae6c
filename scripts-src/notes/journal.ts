import { join } from "node:path";
import { refused } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { readFileIfPresent, writeFileAtomically } from "../files/atomic-file.ts";
import { ensureFolder, safeJoin } from "../files/safe-path.ts";
import type { Workspace } from "../session/workspace/workspace.ts";

/** What an agent notes of its peer after one session (seed 000, experience journal). */
export interface JournalEntry {
  readonly session: string;
  readonly date: string;
  readonly topic: string;
  readonly positive: string;
  readonly negative: string;
  readonly notes: string;
}

/** From so many entries on, the agent is asked to write a summary into the file under `summaryHeading`. */
const entriesForSummary = 3;
export const summaryHeading = "## General observations";

/** Adds an entry to a private journal; returns its path and whether the agent is to write a summary there. */
export function addToJournal(
  workspace: Workspace,
  participant: string,
  peer: string,
  entry: JournalEntry,
): { path: string; summaryDue: boolean } {
  const before = readJournal(workspace, participant, peer);
  if (before.includes(`\n## ${entry.session}\n`)) {
    throw refused(`the journal already has an entry for ${entry.session}; one is enough`);
  }
  const title = before === "" ? `# ${participant} about ${peer}\n` : before;
  const lines = (["date", "topic", "positive", "negative", "notes"] as const).map(
    (field) => `- ${field}: ${entry[field].replace(/\s+/g, " ").trim() || "-"}`,
  );
  const text = `${title}\n## ${entry.session}\n\n${lines.join("\n")}\n`;
  const path = join(ensureFolder(workspace.root, "journal"), `${participant}-about-${peer}.md`);
  writeFileAtomically(path, text);
  const entries = text.match(/^- date: /gm)?.length ?? 0;
  return {
    path,
    summaryDue: entries >= entriesForSummary && !text.includes(summaryHeading),
  };
}

/** A participant's journal about a peer, or "". */
export function readJournal(workspace: Workspace, participant: string, peer: string): string {
  const path = join(safeJoin(workspace.root, "journal"), `${participant}-about-${peer}.md`);
  return readFileIfPresent(path, limits.messageBytes) ?? "";
}
