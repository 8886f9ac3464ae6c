import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { type HookedCli, type HookGroup, hooksOf, isOwnHook } from "./hook-entries.ts";
import { isRecord, parseStrictJson, quote } from "./json.ts";
import { type TextBlock, withoutBlock } from "./text-block.ts";

/**
 * Why a settings file cannot be edited without disturbing what is in it; undefined when it can.
 */
export function settingsFault(text: string): string | undefined {
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
  const fault = repeatedKey(text);
  if (fault !== undefined) return fault;
  const settings: unknown = JSON.parse(bare(text));
  if (!isRecord(settings)) return `it holds ${quote(settings)} and not an object`;
  const hooks = settings["hooks"];
  if (hooks === undefined) return undefined;
  if (!isRecord(hooks)) return `its "hooks" is ${quote(hooks)} and not an object`;
  const wrong = Object.entries(hooks).find(([, groups]) => !Array.isArray(groups));
  if (wrong === undefined) return undefined;
  return `its "hooks.${wrong[0]}" is ${quote(wrong[1])} and not a list`;
}

function repeatedKey(text: string): string | undefined {
  try {
    parseStrictJson(bare(text), "it");
    return undefined;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

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
  if (!isRecord(settingsIn(base)["hooks"])) {
    return { base, after: inserted(base, ["hooks"], wanted) };
  }
  let after = base;
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
  return restored !== undefined && means(restored, stripped) ? restored : stripped;
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

function settingsIn(text: string): Record<string, unknown> {
  const settings: unknown = parse(bare(text));
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
function without(text: string, path: (string | number)[]): string {
  return markOf(text) + applyEdits(bare(text), modify(bare(text), path, undefined, {}));
}

/** With a new property or entry at the end of what holds it, on lines of its own, as the file is written. */
function inserted(text: string, path: (string | number)[], value: unknown): string {
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
