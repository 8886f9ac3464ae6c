import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { hookCommand, hooksOf, isOwnHook, projectVariables } from "../core/hook-entries.ts";
import { noSettings, settingsFault, withHooks, withoutHooks } from "../core/hook-settings.ts";
import { limits } from "../core/limits.ts";
import { blockBetween, type TextBlock } from "../core/text-block.ts";
import { readBytesIfPresent } from "../store/atomic-file.ts";
import { writeFault } from "../store/project-file.ts";
import type { Installed, SettingsFile } from "./installed.ts";
import { isHome } from "./workspace.ts";

export interface SettingsChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** What takes it back, to the byte; undefined where that would keep words of the user. */
  readonly block: TextBlock | undefined;
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

/** Puts our hooks in; `folder` holds the scripts, below the project. */
export function planHooks(
  { cli, path }: SettingsFile,
  project: string,
  folder: string | undefined,
  record: Installed | undefined,
): SettingsPlan {
  if (isHome(project)) {
    const reason =
      "in the home folder these are the settings of all projects, and each event of the";
    const advice = "install into a project, or use the plugin or extension";
    return { fault: { path, reason: `${reason} others would fail; ${advice}` } };
  }
  const command = hookCommand(`${projectVariables[cli]}/${folder}`, cli);
  if (folder === undefined || !isOwnHook({ command })) {
    const reason = "the scripts lie outside of the project, or where no hook of ours is looked for";
    return { fault: { path, reason: `${reason}; run dist/install.cjs of the whole pack` } };
  }
  const lines = JSON.stringify({ hooks: hooksOf(cli, command) }, undefined, 2);
  const read = readSettings(project, path);
  if ("reason" in read) return { fault: { path, reason: read.reason, lines } };
  const before = read.text ?? "";
  const { base, after } = withHooks(read.text ?? noSettings, cli, command, record?.settings[path]);
  if (before === after) return {};
  // A file that was not there is gone again afterwards.
  const block = blockBetween(read.text === undefined ? "" : base, after);
  return { change: { path, before, after, block } };
}

/** Takes our hooks out; a file without any is not looked at closer. */
export function planNoHooks(
  { path }: SettingsFile,
  project: string,
  record: Installed | undefined,
): SettingsPlan {
  const read = readSettings(project, path);
  const reason = "reason" in read && read.mayBeOurs ? read.reason : undefined;
  if (reason !== undefined) {
    return {
      fault: { path, reason: `${reason}; take the entries that name hook.cjs out by hand` },
    };
  }
  if ("reason" in read || !read.text?.includes("hook.cjs")) return {};
  const after = withoutHooks(read.text, record?.settings[path]);
  if (after === read.text) return {};
  return { change: { path, before: read.text, after, block: undefined } };
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
