import { isRecord } from "../base/json.ts";
import { type TextBlock, withoutBlock } from "../base/text-block.ts";
import { inserted, isSound, settingsIn, without } from "./hook-settings.ts";
import { isOwnEntry } from "./permission-rules.ts";

/** Where a list of texts stands in settings: the names on the way to it. */
type Path = readonly string[];

/** Why entries cannot be put there; undefined when they can. */
export function entriesFault(text: string, path: Path): string | undefined {
  const values = path.map((_, index) => valueAt(text, path.slice(0, index + 1)));
  const wrong = values.findIndex((value, index) => {
    const isLast = index === path.length - 1;
    return value !== undefined && !(isLast ? Array.isArray(value) : isRecord(value));
  });
  if (wrong < 0) return undefined;
  const kind = wrong === path.length - 1 ? "a list" : "an object";
  return `its "${path.slice(0, wrong + 1).join(".")}" is not ${kind}`;
}

/** The settings with these entries at the end of a list; those that are there stay where they are. */
export function withEntries(text: string, path: Path, entries: readonly string[]): string {
  const list = entriesAt(text, path);
  const missing = entries.filter((entry) => !list.includes(entry));
  if (missing.length === 0) return text;
  const made = path.findIndex((_, index) => !valueAt(text, path.slice(0, index + 1)));
  if (made >= 0) {
    const value = path
      .slice(made + 1)
      .reduceRight<unknown>((it, name) => ({ [name]: it }), missing);
    return inserted(text, path.slice(0, made + 1), value);
  }
  return missing.reduce(
    (after, entry) => inserted(after, [...path, entriesAt(after, path).length], entry),
    text,
  );
}

/**
 * The settings without the entries that an install had put there, which its block names. Where the
 * block is still as it was, it goes back to what stood there before, to the byte.
 */
export function withoutEntries(text: string, path: Path, block: TextBlock | undefined): string {
  if (block === undefined) return text;
  const stripped = strip(text, path, block.after);
  const restored = withoutBlock(text, block);
  return restored !== undefined && isSound(restored) && means(restored, stripped, path)
    ? restored
    : stripped;
}

function strip(text: string, path: Path, put: string): string {
  let rest = text;
  for (const [index, entry] of [...entriesAt(text, path).entries()].reverse()) {
    const isOurs = isOwnEntry(entry) && put.includes(JSON.stringify(entry));
    if (isOurs) rest = without(rest, [...path, index]);
  }
  if (rest === text) return text;
  for (
    let depth = path.length;
    depth > 0 && isEmpty(valueAt(rest, path.slice(0, depth)));
    depth -= 1
  )
    rest = without(rest, path.slice(0, depth));
  return rest;
}

/** Whether two settings say the same; an empty list, and what holds nothing else, count as absent. */
function means(one: string, other: string, path: Path): boolean {
  const [first, second] = [one, other].map((text) => {
    const settings = settingsIn(text);
    const found = entriesAt(text, path);
    return JSON.stringify([pruned(settings, path), found]);
  });
  return first === second;
}

/** Without the list at the path and without what is empty then. */
function pruned(value: unknown, [name, ...rest]: Path): unknown {
  if (!isRecord(value) || name === undefined) return undefined;
  const { [name]: inner, ...others } = value;
  const left = pruned(inner, rest);
  const entries = Object.entries(others);
  if (left !== undefined) entries.push([name, left]);
  return entries.length === 0 ? undefined : entries;
}

function entriesAt(text: string, path: Path): readonly unknown[] {
  const value = valueAt(text, path);
  return Array.isArray(value) ? value : [];
}

function valueAt(text: string, path: Path): unknown {
  return path.reduce<unknown>(
    (it, name) => (isRecord(it) ? it[name] : undefined),
    settingsIn(text),
  );
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value)
    ? value.length === 0
    : isRecord(value) && Object.keys(value).length === 0;
}
