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
  const { items, prose } = itemsIn(lines);
  if (items.length === 0 && prose !== undefined && !noneItem.test(prose)) {
    return { files: [], faults: [`${quote(prose)} is no list item; ${itemAdvice}`] };
  }
  const files: ListedFile[] = [];
  const faults: string[] = [];
  for (const item of items) {
    const read = item === "" ? undefined : readItem(item);
    if (typeof read === "string") faults.push(`${quote(item)} ${read}`);
    else if (read !== undefined) files.push(read);
  }
  return { files, faults };
}

const itemAdvice = "write one item a file: - `path/to/file` -- what about it; or: - none";
const noneItem = /^[(_*`]*(?:none|n\/a|nothing)[)_*`.]*$/i;

/**
 * What each item says on its first line that says anything: a path stands there, and what follows
 * tells more about it, wrapped or indented; `prose` is the first line that belongs to no item.
 */
function itemsIn(lines: readonly MarkdownLine[]) {
  const items: string[] = [];
  let depth: number | undefined;
  let prose: string | undefined;
  let isOpen = false;
  for (const line of lines) {
    const bullet = bulletOn(line);
    if (bullet !== undefined && bullet.depth <= (depth ?? bullet.depth) + 1) {
      depth ??= bullet.depth;
      isOpen = true;
      items.push(bullet.text);
    } else if (isBlank(line) || isRule(line) || isGroup(line)) isOpen = false;
    else if (isOpen && !line.fenced) items.push(items.pop() || line.text.trim());
    else prose ??= line.text.trim();
  }
  return { items, prose };
}

function bulletOn(line: MarkdownLine): { depth: number; text: string } | undefined {
  if (line.fenced || isRule(line)) return undefined;
  const [, blanks, text = ""] = /^(\s*)[-*](?:\s+(.*))?$/s.exec(line.text) ?? [];
  return blanks === undefined ? undefined : { depth: blanks.length, text: text.trim() };
}

/** A heading that groups items says nothing by itself. */
function isGroup(line: MarkdownLine): boolean {
  return !line.fenced && /^ {0,3}#/.test(line.text);
}

/** The file that an item names, undefined for `none`, or what is wrong with the item. */
function readItem(item: string): ListedFile | string | undefined {
  const code = codeIn(item);
  const { repo, path } = code ?? plainPathIn(item);
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
  return { repo, path };
}

/** What the backticks at the beginning of an item hold; undefined where there are none. */
function codeIn(item: string): (ListedFile & { goesOn: boolean }) | undefined {
  const [start, outer, run = ""] = /^\**(?:([A-Za-z0-9][\w.@+-]*):\s+)?(`+)/.exec(item) ?? [];
  const end = start === undefined ? undefined : closingRun(item, start.length, run.length);
  if (start === undefined || end === undefined) return undefined;
  const goesOn = /^\**\s*(?:[,;&+]|and\b)\s*\**(?:`|$)/.test(item.slice(end + run.length));
  const words = item.slice(start.length, end).trim();
  const [, inner, rest = words] = /^([A-Za-z0-9][\w.@+/-]*):\s+(\S.*)$/s.exec(words) ?? [];
  const { repo = outer ?? inner, path } = withoutLines(rest);
  return { repo, path, goesOn };
}

/** Code ends at as many backticks as it began with. */
function closingRun(item: string, from: number, length: number): number | undefined {
  for (const { 0: run, index } of item.slice(from).matchAll(/`+/g)) {
    if (run.length === length) return from + index;
  }
  return undefined;
}

const separators = [" -- ", " - ", " \u2013 ", " \u2014 ", " ("];

function plainPathIn(item: string): ListedFile {
  const ends = separators.map((it) => `${item} `.indexOf(it)).filter((end) => end !== -1);
  const words = item.slice(0, Math.min(item.length, ...ends)).replace(/ (?:--|\u2013|\u2014)$/, "");
  const [, inner, rest = words] = /^([A-Za-z0-9][\w.@+-]*):\s+(\S.*)$/s.exec(words) ?? [];
  const { repo = inner, path } = withoutLines(withoutDescription(rest));
  return { repo, path };
}

/** After a path with a slash a colon can only begin what is said about it. */
function withoutDescription(words: string): string {
  const end = words.search(/:\s/);
  const path = words.slice(0, Math.max(0, end));
  return path.includes("/") && !/\s/.test(path) ? path : words;
}

/** An item is about a file, whichever lines it cites; `pika:src/a.rs` lacks but the blank. */
function withoutLines(words: string): ListedFile {
  const path = words.replace(/:\d+(?:[-:]\d+)?$/, "");
  const [, repo, rest = ""] = /^([A-Za-z0-9][\w.@+-]+):(?![/\\\d:\s])([^:]+)$/s.exec(path) ?? [];
  return /[/.]/.test(rest) ? { repo, path: rest } : { repo: undefined, path };
}

/** Blanks are for paths in backticks: elsewhere they make a sentence. */
function isPath(path: string, isCode: boolean): boolean {
  if (path.includes("://") || path.endsWith(":")) return false;
  if (!isCode && /^\*\*|`/.test(path)) return false;
  if (!/[\p{L}\p{N}]/u.test(path) && !/^(?:~|\.{1,2})?\/?$/.test(path)) return false;
  return path !== "" && (!/\s/.test(path) || (isCode && /[/\\.]/.test(path)));
}
