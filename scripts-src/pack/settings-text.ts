import { isDeepStrictEqual } from "node:util";
import {
  applyEdits,
  type Edit,
  findNodeAtLocation,
  modify,
  type ParseError,
  parse,
  parseTree,
  visit,
} from "jsonc-parser";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, parseStrictJson } from "../base/json.ts";
import { type HookGroup, isOwnHook } from "../clis/hook-entries.ts";
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
  let after = text === "" ? "{}\n" : text;
  if (entries !== undefined) {
    after = withoutEntries(after, list);
    if (entries.length > 0 && valueAt(after, list.path) === undefined)
      after = withValue(after, list.path, [...list.defaults, ...entries]);
    else for (const entry of entries) after = withValue(after, [...list.path, -1], entry);
  }
  if (hooks !== undefined) {
    after = withoutHooks(after);
    for (const [event, groups] of Object.entries(hooks)) {
      const isFirst = valueAt(after, ["hooks", event]) === undefined;
      if (isFirst) after = withValue(after, ["hooks", event], groups);
      else for (const group of groups) after = withValue(after, ["hooks", event, -1], group);
    }
  }
  return isDeepStrictEqual(settingsIn(after), settingsIn(text)) ? text : after;
}

function withoutEntries(text: string, { path, defaults }: EntryList): string {
  const present = listAt(text, path);
  const own = [...present.entries()].filter(([, entry]) => isOwnEntry(entry));
  const rest = present.filter((entry) => !isOwnEntry(entry));
  // What is the default says nothing.
  const isDefault = own.length > 0 && JSON.stringify(rest) === JSON.stringify(defaults);
  if (isDefault) return without(text, path);
  return own.reverse().reduce((it, [index]) => without(it, [...path, index]), text);
}

/** The last first, so that places stay. */
function withoutHooks(text: string): string {
  return ownHooks(settingsIn(text))
    .reverse()
    .reduce((it, { path }) => without(it, path), text);
}

/** Where our hooks are in settings. */
function ownHooks(settings: unknown): { path: Path; event: string; hook: unknown }[] {
  const { hooks } = isRecord(settings) ? settings : {};
  return Object.entries(isRecord(hooks) ? hooks : {}).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((group: unknown, index) => {
      const { hooks: all } = isRecord(group) ? group : {};
      return (Array.isArray(all) ? all : []).flatMap((hook: unknown, at) =>
        isOwnHook(hook) ? [{ path: ["hooks", event, index, "hooks", at], event, hook }] : [],
      );
    }),
  );
}

/** The commands of our hooks, in all events of settings. */
export function ownCommands(settings: unknown): string[] {
  return ownHooks(settings).map(({ hook }) => String(isRecord(hook) && hook["command"]));
}

/** What comes and goes, a line each: only what is ours, for settings hold secrets. */
export function settingsDiff(change: {
  readonly path: string;
  readonly list: EntryList;
  readonly before: string;
  readonly after: string;
}): string {
  const [was, is] = [change.before, change.after].map((text) => ownLines(text, change.list));
  const gone = was?.filter((line) => !is?.includes(line)).map((line) => `- ${line}`) ?? [];
  const added = is?.filter((line) => !was?.includes(line)).map((line) => `+ ${line}`) ?? [];
  return `${[change.path, ...gone, ...added].join("\n")}\n`;
}

function ownLines(text: string, list: EntryList): string[] {
  const entries = listAt(text, list.path).filter(isOwnEntry);
  return [
    ...entries.map((entry) => `${list.path.join(".")}: ${JSON.stringify(entry)}`),
    ...ownHooks(settingsIn(text)).map(
      ({ event, hook }) => `hooks.${event}: ${JSON.stringify(hook)}`,
    ),
  ];
}

/** Why settings cannot be edited; undefined when they can. No value is named: settings hold secrets. */
export function settingsFault(text: string, list: EntryList): string | undefined {
  const errors: ParseError[] = [];
  try {
    parse(bare(text), errors);
    const [first] = errors;
    if (first !== undefined)
      return `it is not JSON (line ${bare(text).slice(0, first.offset).split("\n").length})`;
    parseStrictJson(json(text), "it");
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
  return listFault(text, list.path);
}

function listFault(text: string, path: readonly string[]): string | undefined {
  for (const index of path.keys()) {
    const value = valueAt(text, path.slice(0, index + 1));
    const isLast = index === path.length - 1;
    if (value === undefined || (isLast ? Array.isArray(value) : isRecord(value))) continue;
    return `its "${path.slice(0, index + 1).join(".")}" is not ${isLast ? "a list" : "an object"}`;
  }
  return undefined;
}

function valueAt(text: string, path: Path): unknown {
  return path.reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return value[Number(name)];
    return isRecord(value) ? value[name] : undefined;
  }, settingsIn(text));
}

function listAt(text: string, path: Path): readonly unknown[] {
  const value = valueAt(text, path);
  return Array.isArray(value) ? value : [];
}

function settingsIn(text: string): unknown {
  // Not the tolerant parser: to that a key `__proto__` is no key.
  return text === "" ? {} : JSON.parse(json(text));
}

/** With blanks in place of comments: everything else has its place all the same. */
function json(text: string): string {
  let plain = bare(text);
  // `stripComments` of jsonc-parser does not keep places.
  const blankOut = (offset: number, length: number) => {
    const blanks = plain.slice(offset, offset + length).replace(/[^\r\n]/g, " ");
    plain = plain.slice(0, offset) + blanks + plain.slice(offset + length);
  };
  visit(plain, { onComment: blankOut });
  return plain;
}

/** Without the byte order mark that some editors put in front. */
function bare(text: string): string {
  return text.slice(markOf(text).length);
}

function markOf(text: string): string {
  return text.startsWith("\ufeff") ? "\ufeff" : "";
}

/** Puts a value there, or at the end of the list where the last of the path is -1; comments stay. */
function withValue(text: string, path: Path, value: unknown): string {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  const formattingOptions = {
    insertSpaces: !indent.includes("\t"),
    tabSize: indent.includes("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  const edits = modify(bare(text), [...path], value, { formattingOptions });
  return markOf(text) + applyEdits(bare(text), edits);
}

/** Takes a value out, and then whatever holds nothing any more. */
function without(text: string, path: Path): string {
  const rest = markOf(text) + applyEdits(bare(text), removal(text, path));
  const holder = path.slice(0, -1);
  const held = holder.length > 0 ? valueAt(rest, holder) : undefined;
  const isEmptied = typeof held === "object" && held !== null && Object.keys(held).length === 0;
  const isBareGroup = isRecord(held) && path.at(-1) === "hooks" && !Object.hasOwn(held, "hooks");
  return isEmptied || isBareGroup ? without(rest, holder) : rest;
}

/** The entry with the blanks before it, and one comma; unlike those of `modify`, the edits leave comments. */
function removal(text: string, path: Path): Edit[] {
  const tree = parseTree(bare(text));
  const value = tree && findNodeAtLocation(tree, [...path]);
  const entry = value?.parent?.type === "property" ? value.parent : value;
  if (entry === undefined) return [];
  const plain = json(text);
  const end = entry.offset + entry.length;
  const offset = bare(text).slice(0, entry.offset).trimEnd().length;
  const next = /^\s*,/.exec(plain.slice(end));
  const before = plain.slice(0, offset).trimEnd();
  const comma = next !== null ? end + next[0].length - 1 : before.length - 1;
  const edits = [{ offset, length: end - offset, content: "" }];
  return plain[comma] === "," ? [...edits, { offset: comma, length: 1, content: "" }] : edits;
}
