import { isDeepStrictEqual } from "node:util";
import {
  applyEdits,
  type Edit,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  visit,
} from "jsonc-parser";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, listIn, parseStrictJson, valueIn } from "../base/json.ts";
import {
  type HookGroup,
  isHookOfToday,
  isOwnHook,
  type SettingsCli,
} from "../clis/hook-entries.ts";
import { type EntryList, isOwnEntry } from "./permission-rules.ts";

/** Settings of a CLI as text: JSON, with comments or not. Edits leave everything else where it is. */

/** The names and places on the way to a value. */
type Path = readonly (string | number)[];

/** What settings are to hold of ours; undefined leaves what is there. */
export interface OwnSettings {
  readonly list: EntryList;
  readonly entries: readonly string[] | undefined;
  readonly hooks: Readonly<Record<string, readonly HookGroup[]>> | undefined;
}

/** Settings with these parts of ours and no others; as they are where that changes nothing. */
export function withOwn(text: string, { list, entries, hooks }: OwnSettings): string {
  const before = bare(text) === "" ? "{}\n" : bare(text);
  const own = ownParts(settingsIn(before), list).filter(({ path }) =>
    path[0] === "hooks" ? hooks !== undefined : entries !== undefined,
  );
  // The last first, so that places stay.
  let after = own.reduceRight((it, { path }) => without(it, path), before);
  const hadEntries = own.some(({ path }) => path[0] !== "hooks");
  // What is the default says nothing.
  if (hadEntries && isDeepStrictEqual(valueAt(after, list.path), list.defaults))
    after = without(after, list.path);
  if (entries !== undefined && entries.length > 0) {
    const isFirst = valueAt(after, list.path) === undefined;
    after = withItems(after, list.path, isFirst ? [...list.defaults, ...entries] : entries);
  }
  for (const [event, groups] of Object.entries(hooks ?? {}))
    after = withItems(after, ["hooks", event], groups);
  if (isDeepStrictEqual(settingsIn(after), settingsIn(before))) return text;
  return text.slice(0, text.length - bare(text).length) + after;
}

interface OwnPart {
  readonly path: Path;
  readonly line: string;
}

/** What is ours in settings: entries of the list, then hooks, as they stand. */
function ownParts(settings: unknown, list: EntryList): OwnPart[] {
  const entries = [...listIn(valueIn(settings, ...list.path)).entries()].filter(([, it]) =>
    isOwnEntry(it),
  );
  const name = list.path.join(".");
  return [
    ...entries.map(([at, entry]) => ({
      path: [...list.path, at],
      line: `${name}: ${JSON.stringify(entry)}`,
    })),
    ...ownHooks(settings).map(({ path, event, hook }) => ({
      path,
      line: `hooks.${event}: ${JSON.stringify(hook)}`,
    })),
  ];
}

/** Our hooks in settings, and where each is. */
export function ownHooks(settings: unknown): { path: Path; event: string; hook: unknown }[] {
  const hooks = valueIn(settings, "hooks");
  return Object.entries(isRecord(hooks) ? hooks : {}).flatMap(([event, groups]) =>
    [...listIn(groups).entries()].flatMap(([index, group]) =>
      [...listIn(valueIn(group, "hooks")).entries()].flatMap(([at, hook]) =>
        isOwnHook(hook) ? [{ path: ["hooks", event, index, "hooks", at], event, hook }] : [],
      ),
    ),
  );
}

/** Whether settings have hooks of ours that are not as this version writes them. */
export function hasOldHooks(cli: SettingsCli, settings: unknown): boolean {
  return ownHooks(settings).some(({ event, hook }) => !isHookOfToday(cli, event, hook));
}

/** What comes and goes, a line each: only what is ours, for settings hold secrets. */
export function settingsDiff(change: {
  readonly path: string;
  readonly list: EntryList;
  readonly before: string;
  readonly after: string;
}): string {
  const linesOf = (text: string) => ownParts(settingsIn(text), change.list).map((it) => it.line);
  const [was, is] = [linesOf(change.before), linesOf(change.after)];
  const gone = was.filter((line) => !is.includes(line)).map((line) => `- ${line}`);
  const added = is.filter((line) => !was.includes(line)).map((line) => `+ ${line}`);
  return `${[change.path, ...gone, ...added].join("\n")}\n`;
}

/** Why settings cannot be edited; undefined when they can. No value is named: settings hold secrets. */
export function settingsFault(text: string, list: EntryList): string | undefined {
  const errors: ParseError[] = [];
  try {
    parse(bare(text), errors);
    const [first] = errors;
    if (first !== undefined)
      return `it is not JSON (line ${bare(text).slice(0, first.offset).split("\n").length})`;
    parseStrictJson(withoutComments(bare(text)), "it");
  } catch (cause) {
    if (cause instanceof RangeError) return "it is nested too deeply";
    if (!(cause instanceof ConsultaError)) throw cause;
    return cause.key === undefined ? "it is no strict JSON" : "it has a key twice in one object";
  }
  const settings = settingsIn(text);
  if (!isRecord(settings)) return "it holds no object";
  const { hooks = {} } = settings;
  if (!isRecord(hooks)) return 'its "hooks" is not an object';
  if (!Object.values(hooks).every(Array.isArray)) return 'an event in its "hooks" is not a list';
  for (const index of list.path.keys()) {
    const value = valueIn(settings, ...list.path.slice(0, index + 1));
    const isLast = index === list.path.length - 1;
    if (value === undefined || (isLast ? Array.isArray(value) : isRecord(value))) continue;
    const name = list.path.slice(0, index + 1).join(".");
    return `its "${name}" is not ${isLast ? "a list" : "an object"}`;
  }
  return undefined;
}

function valueAt(text: string, path: Path): unknown {
  return path.reduce<unknown>((value, name) => Object(value)[name], settingsIn(text));
}

export function settingsIn(text: string): unknown {
  // Not the tolerant parser: to that a key `__proto__` is no key.
  return text === "" ? {} : JSON.parse(withoutComments(bare(text)));
}

/** The line where the first comment of settings begins; undefined where there is none. */
export function firstComment(text: string): number | undefined {
  const lines: number[] = [];
  visit(bare(text), { onComment: (_offset, _length, line) => lines.push(line + 1) });
  return lines[0];
}

/** With blanks in place of comments: everything else has its place all the same. */
function withoutComments(text: string): string {
  let plain = text;
  // `stripComments` of jsonc-parser does not keep places.
  const onComment = (offset: number, length: number) => {
    const blanks = plain.slice(offset, offset + length).replace(/[^\r\n]/g, " ");
    plain = plain.slice(0, offset) + blanks + plain.slice(offset + length);
  };
  visit(plain, { onComment });
  return plain;
}

/** Without the byte order mark that some editors put in front. */
function bare(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** Adds items at the end of a list, which is made where there is none; comments stay. */
function withItems(text: string, path: Path, items: readonly unknown[]): string {
  if (valueAt(text, path) === undefined) return withValue(text, path, items);
  return items.reduce<string>((it, item) => withValue(it, [...path, -1], item), text);
}

/** Adds a value. What is noted behind the entry before it stays there: `modify` would put it behind the new one. */
function withValue(text: string, path: Path, value: unknown): string {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  const isTabbed = indent.includes("\t");
  const formattingOptions = {
    insertSpaces: !isTabbed,
    tabSize: isTabbed ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  const holder = path.slice(0, depthOf(text, path));
  const end = endOf(entriesAt(text, holder).at(-1));
  const [found = ""] = end > 0 ? (noteBehind.exec(text.slice(end)) ?? []) : [];
  const note = found.trimEnd();
  const bareText = text.slice(0, end) + text.slice(end + note.length);
  const after = applyEdits(bareText, modify(bareText, [...path], value, { formattingOptions }));
  const comma = endOf(entriesAt(after, holder).at(-2)) + 1;
  return after.slice(0, comma) + note + after.slice(comma);
}

/** Comments on the same line. */
const noteBehind = /^[ \t]*(?:\/\*.*?\*\/[ \t]*)*(?:\/\/.*)?/;

/** How many names of a path lead to what is there already, the last one apart. */
function depthOf(text: string, path: Path): number {
  const missing = path.findIndex((_, at) => valueAt(text, path.slice(0, at + 1)) === undefined);
  return missing < 0 ? path.length - 1 : missing;
}

function entriesAt(text: string, path: Path): Node[] {
  const tree = parseTree(text);
  return (tree && findNodeAtLocation(tree, [...path])?.children) ?? [];
}

function endOf(node: Node | undefined): number {
  return node === undefined ? 0 : node.offset + node.length;
}

/** Takes a value out, and then whatever holds nothing any more. */
function without(text: string, path: Path): string {
  const rest = applyEdits(text, removal(text, path));
  const holder = path.slice(0, -1);
  const held = holder.length > 0 ? valueAt(rest, holder) : undefined;
  const isEmptied = typeof held === "object" && held !== null && Object.keys(held).length === 0;
  const isBareGroup = isRecord(held) && path.at(-1) === "hooks" && !Object.hasOwn(held, "hooks");
  return isEmptied || isBareGroup ? without(rest, holder) : rest;
}

/** The entry with the blanks before it, and one comma; unlike those of `modify`, the edits leave comments. */
function removal(text: string, path: Path): Edit[] {
  const tree = parseTree(text);
  const value = tree && findNodeAtLocation(tree, [...path]);
  const entry = value?.parent?.type === "property" ? value.parent : value;
  if (entry === undefined) return [];
  const plain = withoutComments(text);
  const end = entry.offset + entry.length;
  const offset = text.slice(0, entry.offset).trimEnd().length;
  const next = /^\s*,/.exec(plain.slice(end));
  const before = plain.slice(0, offset).trimEnd();
  const comma = next !== null ? end + next[0].length - 1 : before.length - 1;
  const edits = [{ offset, length: end - offset, content: "" }];
  return plain[comma] === "," ? [...edits, { offset: comma, length: 1, content: "" }] : edits;
}
