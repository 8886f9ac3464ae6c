import { isUtf8 } from "node:buffer";
import { limits } from "../base/limits.ts";
import { type HookedCli, hookCommand, hooksOf, projectPrefix } from "../clis/hook-entries.ts";
import type { SkillName } from "../clis/skill-names.ts";
import { readBytesIfPresent } from "../files/atomic-file.ts";
import { orNothing } from "../files/errno.ts";
import { isHome } from "../files/home-folder.ts";
import { realPlace, writeFault } from "../files/project-file.ts";
import { projectScripts } from "./pack.ts";
import { type EntryList, entriesFor, entryLists } from "./permission-rules.ts";
import { type OwnSettings, settingsFault, withOwn } from "./settings-text.ts";

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

/** What settings are to hold; undefined leaves what is there, and false and no skills take ours out. */
export interface WantedSettings {
  readonly hooks: boolean | undefined;
  readonly skills: readonly SkillName[] | undefined;
}

/** Puts in what the CLI may do without asking, and our hooks, or takes them out. */
export function planSettings(
  { cli, path }: CliSettingsFile,
  project: string,
  { hooks, skills }: WantedSettings,
): SettingsPlan {
  const list = entryLists[cli];
  const isAdding = hooks === true || (skills !== undefined && skills.length > 0);
  if (isAdding && isHome(project)) {
    const reason =
      "in the home folder these settings count for all projects, and our hooks would fail in every other one";
    const advice = "install into a project, or use the plugin or extension";
    return { fault: { path, reason: `${reason}; ${advice}` } };
  }
  const command = hookCommand(`${projectPrefix[cli]}${projectScripts}`, cli);
  const own: OwnSettings = {
    list,
    entries: skills && (skills.length > 0 ? entriesFor(cli, skills) : []),
    hooks: hooks === undefined ? undefined : hooks ? hooksOf(cli, command) : {},
  };
  const read = readSettings(project, path, list);
  if ("reason" in read) {
    const { reason } = read;
    if (isAdding) return { fault: { path, reason, lines: withOwn("", own).trimEnd() } };
    // A file that cannot be changed is a fault only where it may hold some of ours.
    if (!read.mayHoldOurs) return {};
    const what = "the entries that name our scripts, policies or hook.cjs";
    return { fault: { path, reason: `${reason}; take ${what} out by hand` } };
  }
  const before = read.text;
  const rest = withOwn(before, own);
  if (rest === before) return {};
  // Nobody keeps a file of settings without any.
  const after = /^\s*\{\s*\}\s*$/.test(rest) ? "" : rest;
  return { change: { path, list, before, after } };
}

/** The text of settings, "" where there are none; or why they cannot be changed, and whether they may hold something of ours. */
type Read = { readonly text: string } | { readonly reason: string; readonly mayHoldOurs: boolean };

function readSettings(project: string, path: string, list: EntryList): Read {
  const place = realPlace(project, path);
  const blocked = writeFault(project, path);
  const bytes =
    blocked === undefined
      ? readBytesIfPresent(place, limits.messageBytes)
      : // A link, a folder, or unreadable: nothing that install could have left.
        orNothing(() => readBytesIfPresent(place, limits.messageBytes));
  if (bytes === undefined)
    return blocked === undefined ? { text: "" } : { reason: blocked, mayHoldOurs: false };
  const text = bytes.toString("utf8");
  const fault = isUtf8(bytes) ? settingsFault(text, list) : "it is not UTF-8 text";
  const reason = blocked ?? fault;
  return reason === undefined ? { text } : { reason, mayHoldOurs: text.includes(projectScripts) };
}
