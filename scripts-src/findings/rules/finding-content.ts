import { limits } from "../../base/limits.ts";
import {
  type FieldReader,
  fault,
  flag,
  integerBetween,
  list,
  type Read,
  record,
  string,
} from "../../base/schema.ts";

const most = limits.findingContentBytes;
const words = string(most);
const texts = list(words, most);
const line = integerBetween(1, Number.MAX_SAFE_INTEGER);

/** A log that was written by hand must not send a reader to any place. */
const absolutePath: FieldReader<string> = (value, path, faults) =>
  typeof value === "string" && /^(?:\/|[A-Za-z]:[\\/])[^\0]*$/.test(value)
    ? value
    : fault(faults, path, value, "an absolute path");

/**
 * A working directory of a report as it was on the machine when the report was recorded. `repo` is what makes
 * two worktrees one repository: its git folder, or the directory itself without git. `prefix` is where the directory is
 * in its worktree, with a slash at the end. `commit` was checked out; "" for none. Paths are kept as `ProjectPaths` says
 * on a board that machines share.
 */
const root = record({ dir: words, repo: words, prefix: words, commit: words }, [
  ...["dir", "repo", "prefix", "commit"],
] as const);

/** A file that a report is about: `key` is the same for all that mean the same file. */
const listedFile = record({ key: words, shown: words }, ["key", "shown"]);

/**
 * Lines that a report cites, `shown` as it says it. Its author's script, if it found them, adds the `file`, a hash of
 * the lines, and the first of them without credentials.
 */
const citedLines = record(
  {
    key: words,
    shown: words,
    from: line,
    to: line,
    file: absolutePath,
    sha256: words,
    text: words,
  },
  ["key", "shown", "from", "to"],
);

/**
 * What the log keeps of a finding: all that has to be known as it was when it was recorded. `watched`: by its author,
 * with the lines that it rests on. `said` is a hash of the summary's words. Relations name findings as
 * `agent/NN-topic.md`.
 */
const findingContent = record(
  {
    ...{ sha256: words, title: words, said: words, watched: flag(), faults: texts },
    ...{ roots: list(root, most), cited: list(citedLines, most) },
    ...{ modified: list(listedFile, most), investigated: list(listedFile, most) },
    ...{ confirms: texts, supersedes: texts },
  },
  [
    ...(["sha256", "title", "said", "watched", "faults", "roots", "cited"] as const),
    ...(["modified", "investigated", "confirms", "supersedes"] as const),
  ],
);

export type Root = Read<typeof root>;
export type FileKey = Read<typeof listedFile>;
export type CitedLines = Read<typeof citedLines>;
export type FindingContent = Read<typeof findingContent>;

/** The content that a `posted` event keeps; undefined where it is none. */
export function contentOf({
  content,
}: Readonly<Record<string, unknown>>): FindingContent | undefined {
  const faults = { found: [], strict: false };
  const read = findingContent(content, "content", faults);
  return faults.found.length === 0 ? read : undefined;
}

/** The citations whose lines its author's script did not find, as the report says them. */
export function missingIn({ watched, cited }: FindingContent): string[] {
  return cited.flatMap(({ sha256, shown }) => (watched && sha256 === undefined ? [shown] : []));
}
