import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { limits } from "../base/limits.ts";
import { blockBetween, type TextBlock } from "../base/text-block.ts";
import {
  type HookedCli,
  hookCommand,
  hooksOf,
  isOwnHook,
  projectVariables,
} from "../clis/hook-entries.ts";
import type { SkillName } from "../clis/skill-names.ts";
import { readBytesIfPresent } from "../files/atomic-file.ts";
import { isHome } from "../files/home-folder.ts";
import { writeFault } from "../files/project-file.ts";
import { entriesFault, withEntries, withoutEntries } from "./entry-settings.ts";
import { noSettings, settingsFault, withHooks, withoutHooks } from "./hook-settings.ts";
import type { Installed, SettingsFile } from "./installed.ts";
import { entriesFor, entryLists } from "./permission-rules.ts";

export interface SettingsChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** What takes the hooks back, to the byte; undefined where that would keep words of the user. */
  readonly block: TextBlock | undefined;
  /** The same for what the CLI may do without asking. */
  readonly rules: TextBlock | undefined;
}

/** A file that cannot be changed, why, and what a person can put there by hand. */
export interface Fault {
  readonly path: string;
  readonly reason: string;
  readonly lines?: string;
}

export interface SettingsPlan {
  readonly change?: SettingsChange;
  readonly fault?: Fault;
}

/** What settings are to hold. */
export interface Wanted {
  readonly hooks: boolean;
  /** Where the scripts of hooks lie, below the project. */
  readonly folder: string | undefined;
  /** The skills that the CLI may use without asking. */
  readonly skills: readonly SkillName[];
}

/** Puts in what the CLI may do without asking, and our hooks. */
export function planSettings(
  { cli, path }: SettingsFile,
  project: string,
  wanted: Wanted,
  record: Installed | undefined,
): SettingsPlan {
  if (isHome(project)) {
    const reason =
      "in the home folder these are the settings of all projects, and each event of the";
    const advice = "install into a project, or use the plugin or extension";
    return { fault: { path, reason: `${reason} others would fail; ${advice}` } };
  }
  const command = hookCommand(`${projectVariables[cli]}/${wanted.folder}`, cli);
  if (wanted.hooks && (wanted.folder === undefined || !isOwnHook({ command }))) {
    const reason = "the scripts lie outside of the project, or where no hook of ours is looked for";
    return { fault: { path, reason: `${reason}; run dist/install.cjs of the whole pack` } };
  }
  const list = entryLists[cli];
  const entries = entriesFor(cli, wanted.skills);
  const read = readSettings(project, path);
  const reason = "reason" in read ? read.reason : entriesFault(read.text ?? noSettings, list);
  if ("reason" in read || reason !== undefined) {
    const byHand = {
      ...list.reduceRight<object>((it, name) => ({ [name]: it }), entries),
      ...(wanted.hooks ? { hooks: hooksOf(cli, command) } : {}),
    };
    return { fault: { path, reason: reason ?? "", lines: JSON.stringify(byHand, undefined, 2) } };
  }
  const before = read.text ?? "";
  const after = changed(
    cli,
    before,
    { list, entries, command: wanted.hooks ? command : undefined },
    {
      rules: record?.rules[path],
      block: record?.settings[path],
    },
  );
  return after.text === before
    ? {}
    : { change: { path, before, after: after.text, ...after.blocks } };
}

interface Additions {
  readonly list: readonly string[];
  readonly entries: readonly string[];
  readonly command: string | undefined;
}

/** What is new goes behind what is there, rules first: so each can be taken back on its own. */
function changed(
  cli: HookedCli,
  before: string,
  { list, entries, command }: Additions,
  former: Blocks,
) {
  const isPermitted = before !== "" && withEntries(before, list, entries) === before;
  const isHooked = command !== undefined && !isPermitted;
  const unhooked = isHooked ? withoutHooks(before, former.block) : before;
  const bare = isPermitted ? before : withoutEntries(unhooked, list, former.rules);
  const permitted = isPermitted
    ? before
    : withEntries(bare === "" ? noSettings : bare, list, entries);
  const { base, after } =
    command === undefined
      ? { base: permitted, after: permitted }
      : withHooks(permitted, cli, command, former.block);
  // A file that was not there is gone again afterwards.
  const rules = isPermitted ? former.rules : blockBetween(bare, permitted);
  return {
    text: after,
    blocks: { rules, block: base === after ? former.block : blockBetween(base, after) },
  };
}

interface Blocks {
  readonly rules: TextBlock | undefined;
  readonly block: TextBlock | undefined;
}

/** What is to be taken out of settings. */
export interface Unwanted {
  readonly hooks: boolean;
  readonly rules: boolean;
}

/** Takes our hooks and rules out; a file without any is not looked at closer. */
export function planNoSettings(
  { cli, path }: SettingsFile,
  project: string,
  unwanted: Unwanted,
  record: Installed | undefined,
): SettingsPlan {
  const rules = unwanted.rules ? record?.rules[path] : undefined;
  const read = readSettings(project, path);
  const reason = "reason" in read && (read.mayBeOurs || rules) ? read.reason : undefined;
  if (reason !== undefined) {
    const what = "the entries that name our scripts, policies or hook.cjs";
    return { fault: { path, reason: `${reason}; take ${what} out by hand` } };
  }
  if ("reason" in read || read.text === undefined) return {};
  const isHooked = unwanted.hooks && read.text.includes("hook.cjs");
  const unhooked = isHooked ? withoutHooks(read.text, record?.settings[path]) : read.text;
  const after = unhooked === "" ? "" : withoutEntries(unhooked, entryLists[cli], rules);
  if (after === read.text) return {};
  return { change: { path, before: read.text, after, block: undefined, rules: undefined } };
}

type Read =
  | { readonly text: string | undefined }
  | { readonly reason: string; readonly mayBeOurs: boolean };

/** The text of settings that can be edited, with its byte order mark; or why they cannot. */
function readSettings(project: string, path: string): Read {
  const place = join(project, path);
  const blocked = writeFault(project, path);
  if (blocked !== undefined) return { reason: blocked, mayBeOurs: holdsHooks(place) };
  const bytes = readBytesIfPresent(place, limits.messageBytes);
  if (bytes === undefined) return { text: undefined };
  const text = bytes.toString("utf8");
  const reason = isUtf8(bytes) ? settingsFault(text) : "it is not UTF-8 text";
  return reason === undefined ? { text } : { reason, mayBeOurs: text.includes("hook.cjs") };
}

/** Of a file that cannot be written, or not be trusted to be one. */
function holdsHooks(place: string): boolean {
  try {
    return readBytesIfPresent(place, limits.messageBytes)?.includes("hook.cjs") ?? false;
  } catch {
    // A link, a folder, or unreadable: nothing that install could have left.
    return false;
  }
}
