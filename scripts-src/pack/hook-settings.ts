import {
  applyEdits,
  type Edit,
  findNodeAtLocation,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, parseStrictJson } from "../base/json.ts";
import { lineDiff } from "../base/line-diff.ts";
import { type TextBlock, withoutBlock } from "../base/text-block.ts";
import {
  type HookedCli,
  type HookGroup,
  hookEntries,
  hooksOf,
  isOwnHook,
} from "../clis/hook-entries.ts";
import { isOwnEntry } from "./permission-rules.ts";

/**
 * Why a settings file cannot be edited without disturbing what is in it; undefined when it can. No
 * value is named: settings hold secrets.
 */
export function settingsFault(text: string): string | undefined {
  try {
    return faultIn(text);
  } catch (cause) {
    if (cause instanceof RangeError) return "it is nested too deeply";
    throw cause;
  }
}

function faultIn(text: string): string | undefined {
  const errors: ParseError[] = [];
  parse(bare(text), errors, { disallowComments: true });
  const [first] = errors;
  if (errors.some(({ error }) => printParseErrorCode(error) === "InvalidCommentToken"))
    return "it holds comments, which a rewrite could lose";
  if (first !== undefined) {
    const line = bare(text).slice(0, first.offset).split("\n").length;
    return `it is not JSON (line ${line})`;
  }
  return structureFault(text);
}

function structureFault(text: string): string | undefined {
  const fault = strictFault(text);
  if (fault !== undefined) return fault;
  const settings: unknown = JSON.parse(bare(text));
  if (!isRecord(settings)) return `it holds ${kindOf(settings)} and not an object`;
  const hooks = settings["hooks"];
  if (hooks === undefined) return undefined;
  if (!isRecord(hooks)) return `its "hooks" is ${kindOf(hooks)} and not an object`;
  const wrong = Object.entries(hooks).find(([, groups]) => !Array.isArray(groups));
  if (wrong === undefined) return undefined;
  const event = isEvent(wrong[0]) ? `its "hooks.${wrong[0]}"` : 'an event in its "hooks"';
  return `${event} is ${kindOf(wrong[1])} and not a list`;
}

function strictFault(text: string): string | undefined {
  try {
    parseStrictJson(bare(text), "it");
    return undefined;
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    if (cause.reason === "too deep") return cause.message;
    if (cause.key === undefined) return "it is not JSON";
    return /^[A-Za-z_]+$/.test(cause.key) ? cause.message : "it has a key twice in one object";
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function isEvent(name: string): boolean {
  return Object.values(hookEntries).some((entries) => entries.some(({ event }) => event === name));
}

/** What an edit changed, without a word of the user's: only lines that are wholly ours are shown. */
export function settingsDiff(path: string, before: string, after: string): string {
  const [old, now] = [before, after].map((text) => text.replace(/[^\n]+/g, shownLine));
  if (before === after) return "";
  return (
    lineDiff(path, old ?? "", now ?? "", 0) || `${path}: changed, in lines that are not shown\n`
  );
}

function shownLine(line: string): string {
  const [, name, value = line.trim()] = /^\s*"(\w+)": (.*)$/.exec(line.trimEnd()) ?? [];
  const bared = value.replace(/,$/, "");
  const isFrame = name === undefined || frames.has(name) || isEvent(name);
  const isOurs = isFrame
    ? /^[\s{}[\]]*$/.test(bared) || (name === undefined && isOwnEntry(parse(bared)))
    : isOwnField(name, bared);
  return isOurs ? line.trimEnd() : "(a line of yours)";
}

/** Names of what holds entries of ours. */
const frames: ReadonlySet<string> = new Set(["hooks", "permissions", "allow", "policyPaths"]);

/** Whether a field of a hook says what one of ours does. */
function isOwnField(name: string, value: string): boolean {
  if (name === "timeout") return /^\d+$/.test(value);
  if (name === "command") return isOwnHook({ command: parse(value) });
  return ownFields.has(`${name} ${value}`);
}

const ownFields: ReadonlySet<string> = new Set([
  'type "command"',
  'name "consulta"',
  "asyncRewake true",
  "async true",
  'matcher "manual"',
]);

/** A settings file before anything is set. */
export const noSettings = "{}\n";

/** The settings with our hooks and every other one as it was; the same text when they are there. */
export function withHooks(
  text: string,
  cli: HookedCli,
  command: string,
  block?: TextBlock,
): { readonly base: string; readonly after: string } {
  const wanted = hooksOf(cli, command);
  if (holdsExactly(text, wanted)) return { base: text, after: text };
  const base = withoutHooks(text, block);
  // Nothing is left of a file that only held what an earlier version put there.
  let after = base === "" ? noSettings : base;
  if (!isRecord(settingsIn(after)["hooks"])) {
    return { base, after: inserted(after, ["hooks"], wanted) };
  }
  for (const [event, groups] of Object.entries(wanted)) {
    const isNew = !(event in hooksIn(after));
    const path = ["hooks", event, groupsOf(after, event).length];
    after = isNew ? inserted(after, ["hooks", event], groups) : inserted(after, path, groups[0]);
  }
  return { base, after };
}

/**
 * The settings without any hook of ours. Where the block that an install had put is still there it
 * goes back to what it was, to the byte.
 */
export function withoutHooks(text: string, block?: TextBlock): string {
  const stripped = strip(text);
  const restored = block === undefined ? undefined : withoutBlock(text, block);
  return restored !== undefined && isSound(restored) && means(restored, stripped)
    ? restored
    : stripped;
}

/** A file that install made was not there before. */
export function isSound(text: string): boolean {
  return text === "" || settingsFault(text) === undefined;
}

/** Without its own hooks and the lists that are empty then: the last first, so that places stay. */
function strip(text: string): string {
  let rest = text;
  for (const event of Object.keys(hooksIn(text))) {
    const groups = groupsOf(text, event);
    const own = groups.map(ownIn);
    if (own.every((found) => found.length === 0)) continue;
    for (const [index, found] of [...own.entries()].reverse()) {
      const path = ["hooks", event, index];
      if (found.length > 0 && found.length === hooksOfGroup(groups[index]).length) {
        rest = without(rest, path);
      } else {
        for (const at of found.reverse()) rest = without(rest, [...path, "hooks", at]);
      }
    }
    if (groupsOf(rest, event).length === 0) rest = without(rest, ["hooks", event]);
  }
  const emptied = Object.keys(hooksIn(rest)).length === 0 && rest !== text;
  return emptied ? without(rest, ["hooks"]) : rest;
}

/** Whether two settings say the same; an empty object or list counts as absent. */
function means(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => JSON.stringify(withoutEmptyHooks(text)));
  return first === second;
}

function withoutEmptyHooks(text: string): unknown {
  const { hooks: _, ...others } = settingsIn(text);
  const isEmpty = (groups: unknown) => Array.isArray(groups) && groups.length === 0;
  return [others, Object.entries(hooksIn(text)).filter(([, groups]) => !isEmpty(groups))];
}

/** Every event has its hook once, as wanted, and nothing of ours stands anywhere else. */
function holdsExactly(text: string, wanted: Record<string, HookGroup[]>): boolean {
  const events = new Set([...Object.keys(hooksIn(text)), ...Object.keys(wanted)]);
  return [...events].every((event) => {
    const own = groupsOf(text, event).filter((group) => ownIn(group).length > 0);
    return JSON.stringify(own) === JSON.stringify(wanted[event] ?? []);
  });
}

function hooksIn(text: string): Record<string, unknown> {
  const hooks = settingsIn(text)["hooks"];
  return isRecord(hooks) ? hooks : {};
}

export function settingsIn(text: string): Record<string, unknown> {
  // Not the tolerant parser: to that a key `__proto__` is no key.
  const settings: unknown = text === "" ? {} : JSON.parse(bare(text));
  return isRecord(settings) ? settings : {};
}

function groupsOf(text: string, event: string): unknown[] {
  const groups = hooksIn(text)[event];
  return Array.isArray(groups) ? groups : [];
}

function hooksOfGroup(group: unknown): unknown[] {
  const hooks = isRecord(group) ? group["hooks"] : undefined;
  return Array.isArray(hooks) ? hooks : [];
}

/** Where in a group our hooks stand. */
function ownIn(group: unknown): number[] {
  return hooksOfGroup(group).flatMap((hook, index) => (isOwnHook(hook) ? [index] : []));
}

/** Without a property or an entry of a list; nothing else moves. */
export function without(text: string, path: (string | number)[]): string {
  const edits = withoutLast(bare(text), path) ?? modify(bare(text), path, undefined, {});
  return markOf(text) + applyEdits(bare(text), edits);
}

/** Takes back what `inserted` has put at an end, and leaves the white space behind it. */
function withoutLast(text: string, path: (string | number)[]): Edit[] | undefined {
  const tree = parseTree(text);
  const value = tree && findNodeAtLocation(tree, path);
  const entry = value?.parent?.type === "property" ? value.parent : value;
  const [last, previous] = [...(entry?.parent?.children ?? [])].reverse();
  if (last === undefined || previous === undefined || last !== entry) return undefined;
  const offset = previous.offset + previous.length;
  return [{ offset, length: last.offset + last.length - offset, content: "" }];
}

/** With a new property or entry at the end of what holds it, on lines of its own, as the file is written. */
export function inserted(text: string, path: (string | number)[], value: unknown): string {
  const [edit] = modify(bare(text), path, value, { isArrayInsertion: true });
  if (edit === undefined) return text;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  const line = (depth: number) => eol + indent.repeat(depth);
  const name = path.at(-1);
  const key = typeof name === "string" ? `${JSON.stringify(name)}: ` : "";
  const body = JSON.stringify(value, undefined, indent).replaceAll("\n", line(path.length));
  const isFirst = !edit.content.startsWith(",");
  const content = `${isFirst ? "" : ","}${line(path.length)}${key}${body}`;
  const rest = bare(text).slice(edit.offset);
  const change = isFirst
    ? // The white space of what was empty makes room.
      { length: rest.length - rest.trimStart().length, content: content + line(path.length - 1) }
    : { length: 0, content };
  return markOf(text) + applyEdits(bare(text), [{ offset: edit.offset, ...change }]);
}

function markOf(text: string): string {
  return text.slice(0, text.length - bare(text).length);
}

/** Without the byte order mark that some editors put in front. */
function bare(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
