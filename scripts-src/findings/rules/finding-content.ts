import { isRecord, isStringArray, type JsonObject } from "../../base/json.ts";
import type { LogEvent } from "../../log/event.ts";

/**
 * A working directory of a report as it was on the machine when the report was recorded. Paths are kept as
 * `ProjectPaths` says on a board that machines share.
 */
export interface Root extends JsonObject {
  /** Absolute path. */
  dir: string;
  /** What makes two worktrees one repository: its git folder; the directory itself without git. */
  repo: string;
  /** Where the directory is in its worktree, with a slash at the end; "" at its top. */
  prefix: string;
  /** Full hash of the commit that was checked out; "" without git or before the first commit. */
  commit: string;
}

/** Lines, or a whole file, that a report rests on. */
export interface CitedLines extends JsonObject {
  /** As the report says it: `pika: src/a.rs:10-20`. */
  shown: string;
  /** Absolute path, kept as those of a `Root`. */
  file: string;
  /** 1-based, inclusive; 0 for a file that is listed and not cited by line. */
  from: number;
  to: number;
  /** SHA-256 of the lines, hex; "" for a whole file. */
  sha256: string;
  /** The first of the lines, cut; absent for a whole file and for one that holds credentials. */
  text?: string;
}

/** A file that a report is about: `key` is the same for all that mean the same file. */
export interface FileKey extends JsonObject {
  key: string;
  shown: string;
}

/** Lines that a report names, so that two reports about one line can be told. */
export interface CitedPlace extends FileKey {
  from: number;
  to: number;
}

/** What the log keeps of a finding: all that has to be known as it was when it was recorded. */
export interface FindingContent extends JsonObject {
  /** SHA-256 of the file's bytes, hex. */
  sha256: string;
  title: string;
  faults: string[];
  roots: Root[];
  citations: CitedLines[];
  /** Citations that nobody found below its working directories, as it says them. */
  missing: string[];
  /** All lines that it names, whether they were found or not. */
  about: CitedPlace[];
  /** SHA-256 of its summary without case and blanks; "" without one. */
  said: string;
  /** What git shows as changed in its directories while it lists nothing as modified. */
  dirty: string[];
  modified: FileKey[];
  investigated: FileKey[];
  /** Findings as `agent/NN-topic.md`. */
  confirms: string[];
  supersedes: string[];
}

/** The content that a `posted` event keeps; undefined where it is none. */
export function contentOf(event: LogEvent | JsonObject): FindingContent | undefined {
  const { content } = event;
  return isContent(content) ? content : undefined;
}

const textFields = ["sha256", "title", "said"];
const textLists = ["faults", "missing", "dirty", "confirms", "supersedes"];
/** What each entry of a list has to hold; numbers are lines. */
const recordLists: Readonly<Record<string, { texts: string[]; numbers?: string[] }>> = {
  roots: { texts: ["dir", "repo", "prefix", "commit"] },
  citations: { texts: ["shown", "file", "sha256"], numbers: ["from", "to"] },
  about: { texts: ["key", "shown"], numbers: ["from", "to"] },
  modified: { texts: ["key", "shown"] },
  investigated: { texts: ["key", "shown"] },
};

function isContent(value: unknown): value is FindingContent {
  if (!isRecord(value)) return false;
  if (!textFields.every((key) => typeof value[key] === "string")) return false;
  if (!textLists.every((key) => isStringArray(value[key]))) return false;
  for (const [list, { texts, numbers = [] }] of Object.entries(recordLists)) {
    const entries = value[list];
    const isEntry = (it: unknown) =>
      isRecord(it) &&
      texts.every((key) => typeof it[key] === "string") &&
      numbers.every((key) => Number.isSafeInteger(it[key])) &&
      (list !== "citations" || leadsSomewhere(it));
    if (!Array.isArray(entries) || !entries.every(isEntry)) return false;
  }
  return true;
}

/** A log that was written by hand must not send a reader to any place. */
function leadsSomewhere({ file, text = "" }: Record<string, unknown>): boolean {
  return typeof text === "string" && /^(?:\/|[A-Za-z]:[\\/])[^\0]*$/.test(String(file));
}
