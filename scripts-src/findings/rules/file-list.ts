import { quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { isBlank, isRule, type MarkdownLine } from "../../base/markdown.ts";
import { hasHidden } from "../../base/visible-text.ts";
import type { ListedFile } from "../../protocol/citations.ts";

export interface FileList {
  readonly files: readonly ListedFile[];
  /** Of each item, or text in its place, that names no file: what it is, and what is wrong. */
  readonly faults: readonly string[];
}

/** The files of one section; `- none` and an empty list are the same. */
export function fileListIn(lines: readonly MarkdownLine[]): FileList {
  const items = itemsIn(lines);
  const prose = lines.find((line) => !isBlank(line) && !isRule(line))?.text.trim();
  if (items.length === 0 && prose !== undefined && !noneItem.test(prose)) {
    return { files: [], faults: [`${quote(prose)} is no list item; ${itemAdvice}`] };
  }
  const files: ListedFile[] = [];
  const faults: string[] = [];
  for (const item of items) {
    const read = readItem(item);
    if (typeof read === "string") faults.push(`${quote(item)} ${read}`);
    else if (read !== undefined) files.push(read);
  }
  return { files, faults };
}

const itemAdvice = "write one item a file: - `path/to/file` -- what about it; or: - none";
const noneItem = /^[(_*`]*(?:none|n\/a|nothing)[)_*`.]*$/i;

/** The items of the outermost list; what is indented below one tells more about it. */
function itemsIn(lines: readonly MarkdownLine[]): string[] {
  const bullets = lines.flatMap((line) => {
    const found = line.fenced || isRule(line) ? null : /^(\s*)[-*](?:\s+(.*))?$/s.exec(line.text);
    return found === null ? [] : [{ depth: found[1]?.length ?? 0, text: found[2]?.trim() ?? "" }];
  });
  const depth = (bullets[0]?.depth ?? 0) + 1;
  return bullets.flatMap((it) => (it.depth <= depth && it.text !== "" ? [it.text] : []));
}

/** The file that an item names, undefined for `none`, or what is wrong with the item. */
function readItem(item: string): ListedFile | string | undefined {
  const code = codeIn(item);
  const { repo, path } = fileIn(code?.text ?? plainTextIn(item), code !== undefined);
  if (noneItem.test(path)) return undefined;
  const max = limits.findingPathCharacters;
  if (path.length > max) {
    return `has a path of ${path.length} characters, expected at most ${max}; shorten it`;
  }
  if (hasHidden(path) || /[\t\n]/.test(path)) {
    return "has control characters in its path, or invisible ones; take them out";
  }
  if (code?.goesOn === true) return `names several files; ${itemAdvice}`;
  if (!isPath(path, code !== undefined)) return `is no path; ${itemAdvice}`;
  return { repo: repo ?? code?.repo, path };
}

/** What the backticks at the beginning of an item hold; undefined where there are none. */
function codeIn(item: string) {
  const [start, repo, run = ""] = /^\**(?:([A-Za-z0-9][\w.@+-]*):\s+)?(`+)/.exec(item) ?? [];
  const end = start === undefined ? -1 : item.indexOf(run, start.length);
  if (start === undefined || end === -1) return undefined;
  const goesOn = /^\**\s*(?:[,;&+]|and\b)\s*\**(?:`|$)/.test(item.slice(end + run.length));
  return { repo, text: item.slice(start.length, end).trim(), goesOn };
}

/** A path without backticks, up to the dash, the bracket or the colon that begins what is said about it. */
function plainTextIn(item: string): string {
  const [words = ""] = item.split(/ (?:--|[-\u2013\u2014])(?: |$)| \(/, 1);
  return words.replace(/^((?:[\w.@+-]+: +)?[^\s:]*\/[^\s:]*): .*$/s, "$1");
}

/** An item is about a file, whichever lines it cites; `pika:src/a.rs` lacks but the blank. */
function fileIn(words: string, isCode: boolean): ListedFile {
  const text = words.replace(/:\d+(?:[-:]\d+)?$/, "");
  const [, repo, path] =
    /^([A-Za-z0-9][\w.@+/-]*):(?:\s+|(?<=\w\w:)(?![/\\:\d]))(\S.*)$/s.exec(text) ?? [];
  const isFile = path === undefined || (!isCode && repo?.includes("/") === true);
  return isFile ? { repo: undefined, path: text } : { repo, path };
}

/** Blanks are for paths in backticks: elsewhere they make a sentence. */
function isPath(path: string, isCode: boolean): boolean {
  if (path === "" || /:\/\/|:$/.test(path)) return false;
  if (!/[\p{L}\p{N}]|^(?:~|\.{1,2})?\/?$/u.test(path)) return false;
  return isCode ? !/\s/.test(path) || /[/\\.]/.test(path) : !/\s|^\*\*|`/.test(path);
}
