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
import { isRecord, parseStrictJson } from "../base/json.ts";
import { hookEntries } from "../clis/hook-entries.ts";

/** Settings of a CLI as text: JSON, with comments or not. Edits leave everything else where it is. */

/** The names and places on the way to a value. */
export type Path = readonly (string | number)[];

/** Why settings cannot be edited; undefined when they can. No value is named: settings hold secrets. */
export function settingsTextFault(text: string): string | undefined {
  try {
    return syntaxFault(text) ?? structureFault(settingsIn(text));
  } catch (cause) {
    if (cause instanceof RangeError) return "it is nested too deeply";
    throw cause;
  }
}

function syntaxFault(text: string): string | undefined {
  const errors: ParseError[] = [];
  parse(bare(text), errors);
  const [first] = errors;
  if (first !== undefined)
    return `it is not JSON (line ${bare(text).slice(0, first.offset).split("\n").length})`;
  try {
    parseStrictJson(json(text), "it");
    return undefined;
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    if (cause.reason === "too deep") return cause.message;
    if (cause.key === undefined) return "it is not JSON";
    return /^[A-Za-z_]+$/.test(cause.key) ? cause.message : "it has a key twice in one object";
  }
}

function structureFault(settings: unknown): string | undefined {
  if (!isRecord(settings)) return `it holds ${kindOf(settings)} and not an object`;
  const hooks = settings["hooks"];
  if (hooks === undefined) return undefined;
  if (!isRecord(hooks)) return `its "hooks" is ${kindOf(hooks)} and not an object`;
  const wrong = Object.entries(hooks).find(([, groups]) => !Array.isArray(groups));
  if (wrong === undefined) return undefined;
  const event = isEvent(wrong[0]) ? `its "hooks.${wrong[0]}"` : 'an event in its "hooks"';
  return `${event} is ${kindOf(wrong[1])} and not a list`;
}

/** Why a list of texts cannot be put there; undefined when it can. */
export function listFault(text: string, path: readonly string[]): string | undefined {
  for (const [index, name] of path.entries()) {
    const value = valueAt(text, path.slice(0, index + 1));
    const isLast = index === path.length - 1;
    if (value === undefined || (isLast ? Array.isArray(value) : isRecord(value))) continue;
    const place = [...path.slice(0, index), name].join(".");
    return `its "${place}" is not ${isLast ? "a list" : "an object"}`;
  }
  return undefined;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Whether one of the CLIs has an event of that name. */
export function isEvent(name: string): boolean {
  return Object.values(hookEntries).some((entries) => entries.some(({ event }) => event === name));
}

export function valueAt(text: string, path: Path): unknown {
  return path.reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return value[Number(name)];
    return isRecord(value) ? value[name] : undefined;
  }, settingsIn(text));
}

export function listAt(text: string, path: Path): readonly unknown[] {
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
export function withValue(text: string, path: Path, value: unknown): string {
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
export function without(text: string, path: Path): string {
  const rest = markOf(text) + applyEdits(bare(text), removal(text, path));
  const holder = path.slice(0, -1);
  return holder.length > 0 && isEmpty(valueAt(rest, holder)) ? without(rest, holder) : rest;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The entry with the blanks before it, and one comma; unlike those of `modify`, the edits leave comments. */
function removal(text: string, path: Path): Edit[] {
  const entry = entryAt(text, path);
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

function entryAt(text: string, path: Path): Node | undefined {
  const tree = parseTree(bare(text));
  const value = tree && findNodeAtLocation(tree, [...path]);
  return value?.parent?.type === "property" ? value.parent : value;
}
