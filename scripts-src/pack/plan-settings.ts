import { isUtf8 } from "node:buffer";
import { limits } from "../base/limits.ts";
import { cliFacts, hooksOf, type SettingsCli } from "../clis/hook-entries.ts";
import { projectScripts } from "../clis/opencode-plugin.ts";
import type { SkillName } from "../clis/skill-names.ts";
import { readBytesIfPresent } from "../files/atomic-file.ts";
import { orNothing } from "../files/disk.ts";
import { isHome } from "../files/home-folder.ts";
import { realPlace, writeFault } from "../files/project-file.ts";
import { type EntryList, entriesFor, entryLists } from "./permission-rules.ts";
import {
  firstComment,
  hasOldHooks,
  type OwnSettings,
  settingsFault,
  settingsIn,
  withOwn,
} from "./settings-text.ts";

export interface CliSettingsFile {
  readonly cli: SettingsCli;
  readonly path: string;
}

export const settingsFiles: readonly CliSettingsFile[] = [
  { cli: "claude", path: ".claude/settings.json" },
  { cli: "gemini", path: ".gemini/settings.json" },
  { cli: "codex", path: ".codex/hooks.json" },
];

/** Of the user alone, who may have moved our entries there: a removal takes them out. */
export const localSettings: CliSettingsFile = {
  cli: "claude",
  path: ".claude/settings.local.json",
};

export interface SettingsChange {
  readonly path: string;
  /** Where in the file the list of our entries is. */
  readonly list: EntryList;
  readonly before: string;
  /** "" where nothing is left. */
  readonly after: string;
}

/** A file that cannot be changed, why, and what a person can put there by hand. */
export interface PlanFault {
  readonly path: string;
  readonly reason: string;
  readonly lines?: string;
}

/** "ignored": its CLI reads nothing of the file, so that nothing put there could help. */
interface SettingsPlan {
  readonly change?: SettingsChange;
  readonly fault?: PlanFault;
  readonly ignored?: PlanFault;
}

/** What settings are to hold; undefined leaves what is there, and false and no skills take ours out. */
interface WantedSettings {
  readonly hooks: boolean | undefined;
  readonly skills: readonly SkillName[] | undefined;
}

/**
 * What to do with one settings file, so that it holds what the CLI may do without asking, and our hooks, or
 * no longer: `{}` where there is nothing to do.
 */
export function planSettings(
  { cli, path }: CliSettingsFile,
  project: string,
  { hooks, skills }: WantedSettings,
): SettingsPlan {
  const list = entryLists[cli];
  const entries = skills && (skills.length > 0 ? entriesFor(cli, skills) : []);
  const isAdding = hooks === true || (entries !== undefined && entries.length > 0);
  if (isAdding && isHome(project)) {
    const reason =
      "in the home folder these settings count for all projects, and our hooks would fail in every other one; " +
      "install into a project, or use the plugin or extension";
    return { fault: { path, reason } };
  }
  const scripts = `${cliFacts[cli].projectPrefix}${projectScripts}`;
  const { text, fault } = readSettings(project, path, list);
  const comments = fault === undefined && isAdding ? commentsFault(cli, text) : undefined;
  if (comments !== undefined) return { ignored: { path, reason: `${comments}; ${withoutThem}` } };
  // Those of an older version would run what is no longer there.
  const isAged = fault === undefined && hooks === undefined && hasOldHooks(cli, settingsIn(text));
  const own: OwnSettings = {
    list,
    entries,
    hooks: isAged || hooks === true ? hooksOf(cli, scripts) : hooks === false ? {} : undefined,
  };
  if (fault !== undefined && isAdding)
    return { fault: { path, reason: fault, lines: withOwn("", own).trimEnd() } };
  // A file that cannot be changed is a fault only where it may hold some of ours.
  const isWanted = hooks !== undefined || skills !== undefined;
  if (fault !== undefined && !(isWanted && text.includes(projectScripts))) return {};
  if (fault !== undefined) {
    const way = "take the entries that name our scripts, policies or bell.sh out by hand";
    return { fault: { path, reason: `${fault}; ${way}` } };
  }
  const rest = withOwn(text, own);
  if (rest === text) return {};
  // Nobody keeps a file of settings without any.
  const after = /^\s*\{\s*\}\s*$/.test(rest) ? "" : rest;
  return { change: { path, list, before: text, after } };
}

/** Why a CLI reads nothing of settings with this text; undefined where it reads them. */
export function commentsFault(cli: SettingsCli, text: string): string | undefined {
  const { readsComments, title } = cliFacts[cli];
  const line = readsComments === true ? undefined : firstComment(text);
  if (line === undefined) return undefined;
  return `${title} ignores this file because of its comments (the first is in line ${line})`;
}

const withoutThem = "take the comments out and run the same command again";

/** The text of settings, "" where there are none, and why they cannot be changed. */
function readSettings(project: string, path: string, list: EntryList) {
  const place = realPlace(project, path);
  const fault = writeFault(project, path);
  const read = () => readBytesIfPresent(place, limits.messageBytes);
  // A link, a folder, or unreadable: nothing that install could have left.
  const bytes = fault === undefined ? read() : orNothing(read);
  const text = bytes?.toString("utf8") ?? "";
  if (fault !== undefined || bytes === undefined) return { text, fault };
  return { text, fault: isUtf8(bytes) ? settingsFault(text, list) : "it is not UTF-8 text" };
}
