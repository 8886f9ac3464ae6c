import { isUtf8 } from "node:buffer";
import { limits } from "../base/limits.ts";
import { type HookedCli, hookCommand, hooksOf, projectPrefix } from "../clis/hook-entries.ts";
import type { SkillName } from "../clis/skill-names.ts";
import { readBytesIfPresent } from "../files/atomic-file.ts";
import { isHome } from "../files/home-folder.ts";
import { realPlace, writeFault } from "../files/project-file.ts";
import { projectScripts } from "./pack.ts";
import { type EntryList, entriesFor, entryLists } from "./permission-rules.ts";
import {
  isHooked,
  noSettings,
  withAdditions,
  withoutEntries,
  withoutHooks,
} from "./settings-additions.ts";
import { listFault, settingsTextFault } from "./settings-text.ts";

export interface CliSettingsFile {
  readonly cli: HookedCli;
  readonly path: string;
}

export const sharedSettings: readonly CliSettingsFile[] = [
  { cli: "claude", path: ".claude/settings.json" },
  { cli: "gemini", path: ".gemini/settings.json" },
];
/** Gemini CLI has no settings of a project that are not shared. */
export const localSettings: CliSettingsFile = {
  cli: "claude",
  path: ".claude/settings.local.json",
};

export interface SettingsChange {
  readonly path: string;
  /** Where in the file the list of our entries is. */
  readonly list: EntryList;
  readonly before: string;
  readonly after: string;
}

/** A file that cannot be changed, why, and what a person can put there by hand. */
export interface PlanFault {
  readonly path: string;
  readonly reason: string;
  readonly lines?: string;
}

/** What to do with one settings file; `{}` where there is nothing to do. */
interface SettingsPlan {
  readonly change?: SettingsChange;
  readonly fault?: PlanFault;
}

/** What settings are to hold: hooks, and rules for the skills that the CLI may use without asking. */
interface WantedSettings {
  readonly hooks: boolean;
  readonly skills: readonly SkillName[];
}

/** Puts in what the CLI may do without asking, and our hooks. */
export function planSettings(
  { cli, path }: CliSettingsFile,
  project: string,
  wanted: WantedSettings,
): SettingsPlan {
  if (isHome(project)) {
    const reason =
      "in the home folder these settings count for all projects, and our hooks would fail in every other one";
    const advice = "install into a project, or use the plugin or extension";
    return { fault: { path, reason: `${reason}; ${advice}` } };
  }
  const list = entryLists[cli];
  const read = readSettings(project, path);
  const before = "reason" in read ? "" : (read.text ?? "");
  // Hooks that are there are brought up to date, whatever else is wanted.
  const isWanted = wanted.hooks || isHooked(before);
  const command = hookCommand(`${projectPrefix[cli]}${projectScripts}`, cli);
  const hooks = isWanted ? hooksOf(cli, command) : {};
  const additions = { list, entries: entriesFor(cli, wanted.skills), hooks };
  const reason = "reason" in read ? read.reason : listFault(before || noSettings, list.path);
  if (reason !== undefined)
    return { fault: { path, reason, lines: withAdditions("", additions).trimEnd() } };
  const after = withAdditions(before, additions);
  return after === before ? {} : { change: { path, list, before, after } };
}

/** What is to be taken out of settings. */
interface UnwantedParts {
  readonly hooks: boolean;
  readonly rules: boolean;
}

/** Takes our hooks and rules out. A file that cannot be changed is a fault only where it may hold some. */
export function planSettingsRemoval(
  { cli, path }: CliSettingsFile,
  project: string,
  unwanted: UnwantedParts,
): SettingsPlan {
  const read = readSettings(project, path);
  if ("reason" in read) {
    if (!read.mayHoldOurs) return {};
    const what = "the entries that name our scripts, policies or hook.cjs";
    return { fault: { path, reason: `${read.reason}; take ${what} out by hand` } };
  }
  const { text: before = "" } = read;
  if (before === "") return {};
  const list = entryLists[cli];
  const bare = unwanted.hooks ? withoutHooks(before) : before;
  const rest = unwanted.rules ? withoutEntries(bare, list) : bare;
  if (rest === before) return {};
  // Nobody keeps a file of settings without any.
  const after = /^\s*\{\s*\}\s*$/.test(rest) ? "" : rest;
  return { change: { path, list, before, after } };
}

/** The text of settings; or why they cannot be changed, and whether they may hold something of ours. */
type Read =
  | { readonly text: string | undefined }
  | { readonly reason: string; readonly mayHoldOurs: boolean };

/** The text of settings that can be edited, with its byte order mark; or why they cannot. */
function readSettings(project: string, path: string): Read {
  const place = realPlace(project, path);
  const blocked = writeFault(project, path);
  if (blocked !== undefined) return { reason: blocked, mayHoldOurs: namesOurs(place) };
  const bytes = readBytesIfPresent(place, limits.messageBytes);
  if (bytes === undefined) return { text: undefined };
  const text = bytes.toString("utf8");
  const reason = isUtf8(bytes) ? settingsTextFault(text) : "it is not UTF-8 text";
  return reason === undefined ? { text } : { reason, mayHoldOurs: text.includes(projectScripts) };
}

/** Whether a file that cannot be changed holds something of ours. */
function namesOurs(place: string): boolean {
  try {
    return readBytesIfPresent(place, limits.messageBytes)?.includes(projectScripts) ?? false;
  } catch {
    // A link, a folder, or unreadable: nothing that install could have left.
    return false;
  }
}
