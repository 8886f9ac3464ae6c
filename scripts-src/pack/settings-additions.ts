import { isRecord } from "../base/json.ts";
import { type HookGroup, isOwnHook } from "../clis/hook-entries.ts";
import { type EntryList, isOwnEntry } from "./permission-rules.ts";
import { listAt, valueAt, without, withValue } from "./settings-text.ts";

/** What settings get from install: hooks, and entries of a list of what the CLI may do. */
export interface Additions {
  readonly list: EntryList;
  readonly entries: readonly string[];
  readonly hooks: Readonly<Record<string, readonly HookGroup[]>>;
}

/** A settings file before anything is set. */
export const noSettings = "{}\n";

/** Settings with the additions and nothing else of ours; as they are where they have them already. */
export function withAdditions(text: string, additions: Additions): string {
  const { list, entries, hooks } = additions;
  if (text !== "" && holds(text, additions)) return text;
  let after = withoutEntries(withoutHooks(text === "" ? noSettings : text), list);
  if (valueAt(after, list.path) === undefined)
    after = withValue(after, list.path, [...list.defaults, ...entries]);
  else for (const entry of entries) after = withValue(after, [...list.path, -1], entry);
  for (const [event, groups] of Object.entries(hooks)) {
    const isFirst = valueAt(after, ["hooks", event]) === undefined;
    if (isFirst) after = withValue(after, ["hooks", event], groups);
    else for (const group of groups) after = withValue(after, ["hooks", event, -1], group);
  }
  return after;
}

/** Whether all additions are there once, and nothing else of ours. */
function holds(text: string, { list, entries, hooks }: Additions): boolean {
  const own = listAt(text, list.path).filter(isOwnEntry);
  const hasAll = own.length === entries.length && entries.every((entry) => own.includes(entry));
  return hasAll && holdsHooks(valueAt(text, ["hooks"]), hooks);
}

/** Whether the hooks of settings have exactly these of ours. */
export function holdsHooks(present: unknown, hooks: Additions["hooks"]): boolean {
  const events = [...Object.keys(isRecord(present) ? present : {}), ...Object.keys(hooks)];
  return events.every((event) => {
    const own = groupsOf(present, event).filter((group) => ownIn(group).length > 0);
    return JSON.stringify(own) === JSON.stringify(hooks[event] ?? []);
  });
}

/** Without the entries that a version of ours may have put there. */
export function withoutEntries(text: string, { path, defaults }: EntryList): string {
  const present = listAt(text, path);
  const own = [...present.entries()].filter(([, entry]) => isOwnEntry(entry));
  const rest = present.filter((entry) => !isOwnEntry(entry));
  // What is the default says nothing.
  const isDefault = own.length > 0 && JSON.stringify(rest) === JSON.stringify(defaults);
  if (isDefault) return without(text, path);
  return own.reverse().reduce((it, [index]) => without(it, [...path, index]), text);
}

/** Without our hooks: the last first, so that places stay. */
export function withoutHooks(text: string): string {
  const hooks = valueAt(text, ["hooks"]);
  const paths = Object.keys(isRecord(hooks) ? hooks : {}).flatMap((event) =>
    groupsOf(hooks, event).flatMap((group, index) => {
      const path = ["hooks", event, index];
      const own = ownIn(group);
      const isWhole = own.length > 0 && own.length === hooksOfGroup(group).length;
      return isWhole ? [path] : own.map((at) => [...path, "hooks", at]);
    }),
  );
  return paths.reverse().reduce(without, text);
}

/** Whether settings have a hook of ours. */
export function isHooked(text: string): boolean {
  return text !== "" && withoutHooks(text) !== text;
}

function groupsOf(hooks: unknown, event: string): readonly unknown[] {
  const groups = isRecord(hooks) ? hooks[event] : undefined;
  return Array.isArray(groups) ? groups : [];
}

function hooksOfGroup(group: unknown): readonly unknown[] {
  const hooks = isRecord(group) ? group["hooks"] : undefined;
  return Array.isArray(hooks) ? hooks : [];
}

/** Where in a group our hooks are. */
function ownIn(group: unknown): number[] {
  return hooksOfGroup(group).flatMap((hook, index) => (isOwnHook(hook) ? [index] : []));
}

/** What comes and goes, a line each: only what is ours, for settings hold secrets. */
export function settingsDiff(
  { path, list }: { readonly path: string; readonly list: EntryList },
  before: string,
  after: string,
): string {
  const [was, is] = [before, after].map((text) => ownLines(text || noSettings, list));
  const gone = was?.filter((line) => !is?.includes(line)).map((line) => `- ${line}`) ?? [];
  const added = is?.filter((line) => !was?.includes(line)).map((line) => `+ ${line}`) ?? [];
  return `${[path, ...gone, ...added].join("\n")}\n`;
}

function ownLines(text: string, list: EntryList): string[] {
  const entries = listAt(text, list.path).filter(isOwnEntry);
  const hooks = ownHooks(valueAt(text, ["hooks"]));
  return [
    ...entries.map((entry) => `${list.path.join(".")}: ${JSON.stringify(entry)}`),
    ...hooks.map(([event, hook]) => `hooks.${event}: ${JSON.stringify(hook)}`),
  ];
}

/** The commands of our hooks, in all events of settings. */
export function ownCommands(hooks: unknown): string[] {
  return ownHooks(hooks).map(([, hook]) => String(isRecord(hook) && hook["command"]));
}

function ownHooks(hooks: unknown): [event: string, hook: unknown][] {
  return Object.keys(isRecord(hooks) ? hooks : {}).flatMap((event) =>
    groupsOf(hooks, event).flatMap((group) =>
      hooksOfGroup(group).flatMap((hook): [string, unknown][] =>
        isOwnHook(hook) ? [[event, hook]] : [],
      ),
    ),
  );
}
