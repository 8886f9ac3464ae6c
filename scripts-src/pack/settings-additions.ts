import { parse } from "jsonc-parser";
import { isRecord } from "../base/json.ts";
import { lineDiff } from "../base/line-diff.ts";
import {
  type HookGroup,
  hookEnvironments,
  hookedClis,
  hooksOf,
  isOwnHook,
} from "../clis/hook-entries.ts";
import { sha256 } from "../files/hash.ts";
import { valueIn } from "./diagnosis.ts";
import { isOwnEntry } from "./permission-rules.ts";
import {
  type Edit,
  edited,
  insertion,
  inverse,
  isEmpty,
  isEvent,
  isSameMeaning,
  listAt,
  settingsTextFault,
  valueAt,
  without,
} from "./settings-text.ts";

/** What settings get from install: hooks, and entries of a list of what the CLI may do. */
export interface Additions {
  readonly list: readonly string[];
  readonly entries: readonly string[];
  readonly hooks: Readonly<Record<string, readonly HookGroup[]>> | undefined;
}

/** What install remembers of settings that it edited. */
export interface SettingsRecord {
  /** The file was not there before. */
  readonly isNew: boolean;
  /** What install put into the list: the same entry may as well be the user's own. */
  readonly entries: readonly string[];
  /** The file as install left it, and the edits that lead from there to what it was. */
  readonly sha256: string;
  readonly undo: readonly Edit[];
}

/** A settings file before anything is set. */
export const noSettings = "{}\n";

/** Whether all additions are there once, and nothing else of ours. */
export function holds(text: string, { list, entries, hooks }: Additions): boolean {
  const present = listAt(text, list);
  if (!entries.every((entry) => present.includes(entry))) return false;
  const events = hooks === undefined ? [] : [...eventsIn(text), ...Object.keys(hooks)];
  return events.every((event) => {
    const own = groupsOf(text, event).filter((group) => ownIn(group).length > 0);
    return JSON.stringify(own) === JSON.stringify(hooks?.[event] ?? []);
  });
}

/** Puts the additions into settings that have none of ours. */
export function withAdditions(base: string, additions: Additions) {
  const { list, entries, hooks = {} } = additions;
  let text = base === "" ? noSettings : base;
  const undo: Edit[] = [];
  const put = (path: readonly (string | number)[], value: unknown) => {
    const depth = path.findIndex((_, at) => valueAt(text, path.slice(0, at + 1)) === undefined);
    const missing = path.slice(0, depth + 1);
    const whole = path.slice(depth + 1).reduceRight(wrapped, value);
    const edit = insertion(text, missing, whole);
    undo.unshift(inverse(text, edit));
    text = edited(text, edit);
  };
  const fresh = entries.filter((entry) => !listAt(text, list).includes(entry));
  if (valueAt(text, list) === undefined && fresh.length > 0) put(list, fresh);
  else for (const entry of fresh) put([...list, listAt(text, list).length], entry);
  if (valueAt(text, ["hooks"]) === undefined && !isEmpty(hooks)) put(["hooks"], hooks);
  else
    for (const [event, groups] of Object.entries(hooks)) {
      const at = groupsOf(text, event).length;
      if (valueAt(text, ["hooks", event]) === undefined) put(["hooks", event], groups);
      else put(["hooks", event, at], groups[0]);
    }
  const record = { isNew: base === "", entries: fresh, sha256: sha256(text), undo };
  return { text, record };
}

function wrapped(value: unknown, name: string | number): unknown {
  return typeof name === "number" ? [value] : { [name]: value };
}

/**
 * Takes our hooks and the entries that install put there out. A file that is as install left it
 * becomes what it was; "" where install made the file and nothing else is in it.
 */
export function withoutAdditions(
  text: string,
  list: readonly string[],
  record: SettingsRecord | undefined,
): string {
  const stripped = withoutHooks(withoutEntries(text, list, record?.entries ?? []));
  if (record?.isNew === true && /^\s*\{\s*\}\s*$/.test(stripped)) return "";
  if (record?.sha256 !== sha256(text)) return stripped;
  const before = record.undo.reduce((it, edit) => edited(it, edit), text);
  const isSound = settingsTextFault(before) === undefined && isSameMeaning(before, stripped);
  return isSound ? before : stripped;
}

export function withoutEntries(
  text: string,
  list: readonly string[],
  entries: readonly string[],
): string {
  const own = [...listAt(text, list).entries()].filter(
    ([, entry]) => typeof entry === "string" && isOwnEntry(entry) && entries.includes(entry),
  );
  return own.reverse().reduce((rest, [index]) => without(rest, [...list, index]), text);
}

/** Without our hooks: the last first, so that places stay. */
function withoutHooks(text: string): string {
  const paths = eventsIn(text).flatMap((event) =>
    groupsOf(text, event).flatMap((group, index) => {
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
  return eventsIn(text).some((event) =>
    groupsOf(text, event).some((group) => ownIn(group).length > 0),
  );
}

function eventsIn(text: string): string[] {
  const hooks = valueAt(text, ["hooks"]);
  return isRecord(hooks) ? Object.keys(hooks) : [];
}

function groupsOf(text: string, event: string): readonly unknown[] {
  return listAt(text, ["hooks", event]);
}

function hooksOfGroup(group: unknown): readonly unknown[] {
  const hooks = isRecord(group) ? group["hooks"] : undefined;
  return Array.isArray(hooks) ? hooks : [];
}

/** Where in a group our hooks are. */
function ownIn(group: unknown): number[] {
  return hooksOfGroup(group).flatMap((hook, index) => (isOwnHook(hook) ? [index] : []));
}

/** What an edit changed, without a word of the user's: only lines that are wholly ours are shown as they are. */
export function settingsDiff(path: string, before: string, after: string): string {
  return lineDiff(path, before, after, 0, shownLine);
}

function shownLine(line: string): string {
  const [, name, value = line.trim()] = /^\s*"(\w+)": (.*)$/.exec(line.trimEnd()) ?? [];
  const bared = value.replace(/,$/, "");
  const isFrame = name === undefined || frames.has(name) || isEvent(name);
  const isOurs = isFrame
    ? /^[\s{}[\]]*$/.test(bared) || (name === undefined && isOwnEntry(parse(bared)))
    : isOwnField(name, bared);
  // A line that only gets a comma has changed as well.
  const comma = line.trimEnd().endsWith(",") ? "," : "";
  return isOurs ? line.trimEnd() : `(a line of yours)${comma}`;
}

/** Names of what holds entries of ours. */
const frames: ReadonlySet<string> = new Set("hooks permissions allow policyPaths env".split(" "));

/** Whether a field of a hook says what one of ours does. */
function isOwnField(name: string, value: string): boolean {
  if (name === "timeout") return /^\d+$/.test(value);
  if (name === "command") return isOwnHook({ command: parse(value) });
  const groups = hookedClis.flatMap((cli) => Object.values(hooksOf(cli, "")).flat());
  const ours = groups.flatMap(({ matcher, hooks }) => [{ matcher }, ...hooks]);
  return [...ours, ...Object.values(hookEnvironments)].some(
    (it) => JSON.stringify(valueIn(it, name)) === value,
  );
}
