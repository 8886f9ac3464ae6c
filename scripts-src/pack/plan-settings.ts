import { isUtf8 } from "node:buffer";
import { limits } from "../base/limits.ts";
import { hookCommand, hooksOf, isOwnHook, projectPrefix } from "../clis/hook-entries.ts";
import type { SkillName } from "../clis/skill-names.ts";
import { readBytesIfPresent } from "../files/atomic-file.ts";
import { isHome } from "../files/home-folder.ts";
import { realPlace, writeFault } from "../files/project-file.ts";
import {
  type CliSettingsFile,
  type InstalledPack,
  localSettings,
  sharedSettings,
} from "./installed.ts";
import { entriesFor, entryLists, isOwnEntry } from "./permission-rules.ts";
import {
  holds,
  isHooked,
  noSettings,
  type SettingsRecord,
  withAdditions,
  withoutAdditions,
  withoutEntries,
} from "./settings-additions.ts";
import { listAt, listFault, settingsTextFault } from "./settings-text.ts";

export interface SettingsChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** What takes the change back; undefined where nothing of ours is left in the file. */
  readonly record: SettingsRecord | undefined;
}

/** A file that cannot be changed, why, and what a person can put there by hand. */
export interface PlanFault {
  readonly path: string;
  readonly reason: string;
  readonly lines?: string;
}

/** What to do with one settings file; `{}` where there is nothing to do. */
export interface SettingsPlan {
  readonly change?: SettingsChange;
  readonly fault?: PlanFault;
}

/** What settings are to hold. */
export interface WantedSettings {
  readonly hooks: boolean;
  /** Where the scripts of hooks lie, below the project. */
  readonly folder: string | undefined;
  /** The skills that the CLI may use without asking. */
  readonly skills: readonly SkillName[];
}

/** Puts in what the CLI may do without asking, and our hooks. */
export function planSettings(
  { cli, path }: CliSettingsFile,
  project: string,
  wanted: WantedSettings,
  record: InstalledPack | undefined,
): SettingsPlan {
  if (isHome(project)) {
    const reason =
      "in the home folder these settings count for all projects, and our hooks would fail in every other one";
    const advice = "install into a project, or use the plugin or extension";
    return { fault: { path, reason: `${reason}; ${advice}` } };
  }
  const command = hookCommand(`${projectPrefix[cli]}${wanted.folder}`, cli);
  if (wanted.hooks && (wanted.folder === undefined || !isOwnHook({ command }))) {
    const reason =
      "the scripts lie outside of the project, or their path has a sign that shells act on";
    return { fault: { path, reason: `${reason}; run dist/install.cjs of the whole pack` } };
  }
  const list = entryLists[cli];
  const entries = entriesFor(cli, wanted.skills);
  const read = readSettings(project, path);
  const before = "reason" in read ? "" : (read.text ?? "");
  // Hooks that are there are brought up to date, whatever else is wanted.
  const hooks = wanted.hooks || isHooked(before) ? hooksOf(cli, command) : undefined;
  const additions = { list, entries, hooks };
  const reason = "reason" in read ? read.reason : listFault(before || noSettings, list);
  if (reason !== undefined) {
    const lines = JSON.parse(withAdditions("", additions).text);
    return { fault: { path, reason, lines: JSON.stringify(lines, undefined, 2) } };
  }
  if (before !== "" && holds(before, additions)) return {};
  const base = withoutAdditions(before, list, record?.edited[path]);
  const { text: after, record: made } = withAdditions(base, additions);
  return { change: { path, before, after, record: made } };
}

/** What settings of a project have of ours, where nobody remembers who put it there. */
export function foundSettings(project: string): InstalledPack["edited"] {
  const found = [...sharedSettings, localSettings].flatMap(({ cli, path }) => {
    const read = readSettings(project, path);
    const text = ("text" in read && read.text) || noSettings;
    const entries = listAt(text, entryLists[cli]).filter(isOwnEntry);
    if (entries.length === 0 && !isHooked(text)) return [];
    return [[path, { isNew: true, entries, sha256: "", undo: [] }] as const];
  });
  return Object.fromEntries(found);
}

/** What is to be taken out of settings. */
export interface UnwantedParts {
  readonly hooks: boolean;
  readonly rules: boolean;
}

/** Takes our hooks and rules out. A file that cannot be changed is a fault only where it may hold some. */
export function planSettingsRemoval(
  { cli, path }: CliSettingsFile,
  project: string,
  unwanted: UnwantedParts,
  record: InstalledPack | undefined,
): SettingsPlan {
  const known = record?.edited[path];
  const read = readSettings(project, path);
  const hasRules = unwanted.rules && (known?.entries.length ?? 0) > 0;
  if ("reason" in read) {
    if (!read.mayHoldHooks && !hasRules) return {};
    const what = "the entries that name our scripts, policies or hook.cjs";
    return { fault: { path, reason: `${read.reason}; take ${what} out by hand` } };
  }
  if (read.text === undefined) return {};
  const list = entryLists[cli];
  const after = unwanted.hooks
    ? withoutAdditions(read.text, list, known)
    : withoutEntries(read.text, list, known?.entries ?? []);
  if (after === read.text) return {};
  const left = unwanted.hooks || known === undefined ? undefined : { ...known, entries: [] };
  return { change: { path, before: read.text, after, record: left } };
}

/** The text of settings; or why they cannot be changed, and whether they may hold hooks of ours. */
type Read =
  | { readonly text: string | undefined }
  | { readonly reason: string; readonly mayHoldHooks: boolean };

/** The text of settings that can be edited, with its byte order mark; or why they cannot. */
function readSettings(project: string, path: string): Read {
  const place = realPlace(project, path);
  const blocked = writeFault(project, path);
  if (blocked !== undefined) return { reason: blocked, mayHoldHooks: holdsHooks(place) };
  const bytes = readBytesIfPresent(place, limits.messageBytes);
  if (bytes === undefined) return { text: undefined };
  const text = bytes.toString("utf8");
  const reason = isUtf8(bytes) ? settingsTextFault(text) : "it is not UTF-8 text";
  return reason === undefined ? { text } : { reason, mayHoldHooks: text.includes("hook.cjs") };
}

/** Whether a file that cannot be changed holds hooks of ours. */
function holdsHooks(place: string): boolean {
  try {
    return readBytesIfPresent(place, limits.messageBytes)?.includes("hook.cjs") ?? false;
  } catch {
    // A link, a folder, or unreadable: nothing that install could have left.
    return false;
  }
}
