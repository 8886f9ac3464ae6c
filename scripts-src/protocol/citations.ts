import { limits } from "../base/limits.ts";
import { hasHidden } from "../base/visible-text.ts";

/** A file as a text names it. */
export interface ListedFile {
  /** `pika` of `pika: src/a.rs`. */
  readonly repo: string | undefined;
  readonly path: string;
}

/** Lines that a text rests on. */
export interface Citation extends ListedFile {
  /** 1-based, inclusive. */
  readonly from: number;
  readonly to: number;
}

/**
 * Finds `path:line`, `path:from-to` and `repo: path:line` in any line, code blocks included: each once, in order, as
 * many as are kept.
 */
export function citationsIn(lines: readonly string[], repos: ReadonlySet<string>): Citation[] {
  const seen = new Set<string>();
  const citations: Citation[] = [];
  for (const line of lines) {
    if (!line.includes(":")) continue;
    for (const citation of citationsOn(line, repos)) {
      const { repo = "", path, from, to } = citation;
      const key = `${repo}\n${path}\n${from}-${to}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (citations.length < limits.citations) citations.push(citation);
    }
  }
  return citations;
}

/** Word by word: a pattern over the whole line would start again at each character of a word. */
function* citationsOn(line: string, repos: ReadonlySet<string>): Generator<Citation> {
  for (const { 0: word, index } of line.matchAll(/[^\s`"'<>|\u2018-\u201d]+/g)) {
    if (!word.includes(":")) continue;
    const start = pathStartIn(word);
    for (const { 0: part, index: at } of word.slice(start).matchAll(/[^,;=*]+/g)) {
      const cited = citedBy(part);
      if (cited === undefined) continue;
      const { path, from, to, offset } = cited;
      yield { repo: repoBefore(line, index + start + at + offset, repos), path, from, to };
    }
  }
}

/** Where a path may begin in a word. Of all addresses only `file:///`, as in stack traces, names lines. */
function pathStartIn(word: string): number {
  if (!word.includes("://")) return 0;
  const start = word.indexOf("file:///");
  return start === -1 ? word.length : start + "file://".length;
}

interface Cited {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** Where the path begins. */
  readonly offset: number;
}

function citedBy(part: string): Cited | undefined {
  // The leading slash is that of file:///C:/a.js.
  const drive = /^[([{]*\/?(?=[A-Za-z]:[/\\])/.exec(part);
  const start = drive?.[0].length ?? 0;
  const colon = part.indexOf(":", drive === null ? 0 : start + 2);
  const lines = linesAfter(part.slice(colon + 1, colon + 1 + lineNumberCharacters));
  if (colon === -1 || colon - start > limits.findingPathCharacters || lines === undefined) {
    return undefined;
  }
  const before = part.slice(start, colon);
  const offset = start + openBracketIn(before);
  const path = part.slice(offset, colon);
  return !hasHidden(before) && isCitedPath(path) ? { path, ...lines, offset } : undefined;
}

/** Two line numbers of nine digits, the dash between them, and what follows. */
const lineNumberCharacters = 24;

/** The line numbers that `text` begins with; a column or the end of a sentence may follow. */
function linesAfter(text: string): { from: number; to: number } | undefined {
  const [, first, last] = /^(\d{1,9})(?:[-\u2013](\d{1,9}))?(?![\w/\\-]|\.\w)/.exec(text) ?? [];
  const from = Number(first);
  if (!(from >= 1)) return undefined;
  return { from, to: Math.max(from, Number(last ?? first)) };
}

/** Where a path begins after a bracket that nothing closes: `see(src/a.rs`, not `app/[id]/a.ts`. */
function openBracketIn(text: string): number {
  const starts = ["()", "[]", "{}"].map(([open = "", close = ""]) => {
    const at = text.lastIndexOf(open);
    return text.indexOf(close, at + 1) === -1 ? at + 1 : 0;
  });
  return Math.max(...starts);
}

const hostEnding = /^[a-z0-9][a-z0-9.-]*\.(?:app|com|dev|edu|gov|internal|io|lan|local|net|org)$/i;

/** A slash or a file extension tells a path from a host and from a time of day. */
function isCitedPath(path: string): boolean {
  if (path.startsWith("//") || !/\p{L}/u.test(path)) return false;
  if (/^\d{4}\/\d\d\/\d\d/.test(path)) return false;
  if (path.includes("/")) return !path.endsWith("/");
  return /\.[A-Za-z][\w+-]{0,15}$/.test(path) && !hostEnding.test(path);
}

/** The longest name of a repository. */
const repoCharacters = 64;

/** Words before a colon and a path, as compilers and loggers write them, that name no repository. */
const labels =
  /^(?:at|cause|debug|error|fatal|file|fix|hint|in|info|note|see|trace|warn|warning)$/i;

/**
 * The repository of `repo: path`. Inside the backticks of the path any word counts that is no label;
 * outside only one that the finding's header lists: in `Cause: src/a.rs:10` there is none.
 */
function repoBefore(
  line: string,
  pathStart: number,
  repos: ReadonlySet<string>,
): string | undefined {
  const isOpened = line[pathStart - 1] === "`";
  const blank = pathStart - (isOpened ? 2 : 1);
  if (line[blank] !== " " || line[blank - 1] !== ":") return undefined;
  const before = line.slice(Math.max(0, blank - 2 - repoCharacters), blank - 1);
  const [, edge = "", word = ""] = /(^|[^\w.@+/-])([A-Za-z0-9][\w.@+-]{0,63})$/.exec(before) ?? [];
  const isQuoted = edge === "`" && !isOpened && !labels.test(word);
  return word !== "" && (isQuoted || repos.has(word)) ? word : undefined;
}

/** A citation as it is shown: `repo: path:from-to`, or `path:line`. */
export function citedPlace(cited: Citation): string {
  const { from, to } = cited;
  return `${shownFile(cited)}:${from === to ? from : `${from}-${to}`}`;
}

export function shownFile({ repo, path }: ListedFile): string {
  return repo === undefined ? path : `${repo}: ${path}`;
}
