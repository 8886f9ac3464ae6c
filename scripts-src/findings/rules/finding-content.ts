import { isRecord, isStringArray, type JsonObject } from "../../base/json.ts";
import type { LogEvent } from "../../log/event.ts";
import type { ListedFile } from "../../protocol/citations.ts";

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

/** Lines that a report names, so that two reports about one line can be told. */
export interface CitedPlace extends JsonObject {
  /** The file's, as `FileKey` has it. */
  key: string;
  shown: string;
  from: number;
  to: number;
}

/** A file that a report lists, so that two reports about one file can be told. */
export interface FileKey extends JsonObject {
  key: string;
  shown: string;
}

/** What the log keeps of a finding: all that has to be known as it was when it was recorded. */
export interface FindingContent extends JsonObject {
  /** SHA-256 of the file's bytes, hex. */
  sha256: string;
  title: string;
  faults: string[];
  roots: Root[];
  citations: CitedLines[];
  /** Citations that nobody found below its working directories, as it says them; absent for none. */
  missing?: string[];
  /** All lines that it names, whether they were found or not; absent where its lists are too long to be kept. */
  about?: CitedPlace[];
  /** SHA-256 of its summary without case and blanks; absent without one. */
  said?: string;
  /** What git shows as changed in its directories while it lists nothing as modified. */
  dirty?: string[];
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

function isContent(value: unknown): value is FindingContent {
  if (!isRecord(value)) return false;
  const texts = ["sha256", "title"].every((key) => typeof value[key] === "string");
  const lists = ["faults", "confirms", "supersedes"].every((key) => isStringArray(value[key]));
  const { missing = [], dirty = [], about = [], said = "" } = value;
  if (!isStringArray(missing) || !isStringArray(dirty) || typeof said !== "string") return false;
  if (!areCitedPlaces(about)) return false;
  return texts && lists && areRecords(value, recordLists) && arePlaces(value["citations"]);
}

function areCitedPlaces(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (it) =>
        isRecord(it) &&
        ["key", "shown"].every((key) => typeof it[key] === "string") &&
        ["from", "to"].every((key) => Number.isSafeInteger(it[key])),
    )
  );
}

/** A log that was written by hand must not send a reader to any place. */
function arePlaces(citations: unknown): boolean {
  return (
    Array.isArray(citations) &&
    citations.every(({ file, from, to, text = "" }) => {
      const isPath = /^(?:\/|[A-Za-z]:[\\/])[^\0]*$/.test(file);
      return (
        isPath && typeof text === "string" && Number.isSafeInteger(from) && Number.isSafeInteger(to)
      );
    })
  );
}

const recordLists: Readonly<Record<string, readonly string[]>> = {
  roots: ["dir", "repo", "prefix", "commit"],
  citations: ["shown", "file", "sha256"],
  modified: ["key", "shown"],
  investigated: ["key", "shown"],
};

function areRecords(
  value: Record<string, unknown>,
  lists: Readonly<Record<string, readonly string[]>>,
): boolean {
  return Object.entries(lists).every(([list, keys]) => {
    const entries = value[list];
    return (
      Array.isArray(entries) &&
      entries.every((it) => isRecord(it) && keys.every((key) => typeof it[key] === "string"))
    );
  });
}

/** The working directories of a report that are on this machine. */
export interface Workplace {
  readonly roots: readonly Root[];
  /** The report names no other directory than this one. */
  readonly isOnly: boolean;
}

/**
 * The working directory that a listed file is in: the only one that the report names, or the one
 * whose path has the file's repository as a component, the last of several.
 */
export function rootFor({ repo }: ListedFile, { roots, isOnly }: Workplace): Root | undefined {
  if (isOnly) return roots[0];
  return roots.findLast(
    (root) => repo !== undefined && componentsOf(root).some((name) => name === repo),
  );
}

/** A repository is called by its folder, wherever its worktrees lie. */
function componentsOf({ dir, repo }: Root): string[] {
  return [...dir.split(/[/\\]/), ...repo.replace(/\.git$/, "").split(/[/\\]/)];
}

/** Names a listed file so that every worktree of its repository names it alike. */
export function fileKeyOf(file: ListedFile, workplace: Workplace): FileKey {
  const { repo, path } = file;
  const shown = repo === undefined ? path : `${repo}: ${path}`;
  const root = rootFor(file, workplace);
  const plain = path.replace(/^(?:\.\/)+/, "");
  if (plain.startsWith("/")) return { key: plain, shown };
  if (root === undefined) return { key: `${repo ?? ""}\n${plain}`, shown };
  return { key: `${root.repo}\n${root.prefix}${plain}`, shown };
}
