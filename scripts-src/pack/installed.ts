import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, isStringArray, parseStrictJson } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { HookedCli } from "../clis/hook-entries.ts";
import { skillNames } from "../clis/skill-names.ts";
import { readFileIfPresent } from "../files/atomic-file.ts";
import { safeJoin } from "../files/safe-path.ts";
import { commandFolders, skillFolders } from "./pack.ts";
import type { SettingsRecord } from "./settings-additions.ts";

/** What `install` has put into a project, so that `--remove` takes out that and nothing else. */
export interface InstalledPack {
  readonly version: string;
  /** Copied files by their paths below the project, with the SHA-256 of what was written. */
  readonly files: Readonly<Record<string, string>>;
  /** Folders that were made for them. */
  readonly folders: readonly string[];
  /** What was edited, by its path. */
  readonly edited: Readonly<Record<string, SettingsRecord>>;
}

export const recordPath = ".consulta/installed.json";

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

/**
 * A record may come with a project that somebody else made, so it can name nothing but what install
 * writes: it says what may be removed.
 * @throws ConsultaError REFUSED when the record is not one of ours.
 */
export function readInstalled(project: string): InstalledPack | undefined {
  safeJoin(project, ".consulta", "installed.json");
  const text = readFileIfPresent(join(project, recordPath), limits.messageBytes);
  if (text === undefined) return undefined;
  const value = parseStrictJson(text, recordPath);
  if (isRecord(value)) {
    const { version, files, folders, edited } = value;
    if (typeof version === "string" && isTexts(files) && isFolders(folders) && isEdited(edited))
      return { version, files, folders, edited };
  }
  const reason = `${recordPath} is not a record of install, or names files that install never writes`;
  throw new ConsultaError("REFUSED", `${reason}: move it away and run this again`);
}

const settingsFiles = [...sharedSettings, localSettings].map(({ path }) => path);

/** Where install writes files, each with what a path goes on with there. */
const places: readonly (readonly [folder: string, rest: RegExp])[] = [
  ...Object.values(skillFolders).flatMap((folder) =>
    skillNames.map((name) => [`${folder}/${name}`, /./] as const),
  ),
  ...commandFolders.map((folder) => [folder, /^consulta-[a-z-]+\.(?:md|toml)$/] as const),
  [".consulta", /^PROTOCOL\.md$/],
  [".consulta/scripts", /^(?:watcher\.(?:sh|ps1)|wait-for-message\.sh|\.gitattributes)$/],
];

/** Plain names only: what one file system or another takes for a dot, a separator or nothing is none. */
const plainName = /^(?:\w(?:[\w.-]*[\w-])?|\.gitattributes)$/;

function isOurFile(path: string): boolean {
  return places.some(([folder, rest]) => {
    const below = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : "";
    return rest.test(below) && below.split("/").every((name) => plainName.test(name));
  });
}

/** On the way to a file of ours. */
function isOurFolder(path: string): boolean {
  const targets = [recordPath, ...settingsFiles, ...places.map(([folder]) => `${folder}/x`)];
  return isOurFile(path) || targets.some((target) => target.startsWith(`${path}/`));
}

function isFolders(value: unknown): value is string[] {
  return isStringArray(value) && value.every(isOurFolder);
}

function isTexts(value: unknown): value is Record<string, string> {
  return (
    isRecord(value) &&
    Object.entries(value).every(([path, it]) => isOurFile(path) && typeof it === "string")
  );
}

function isEdited(value: unknown): value is Record<string, SettingsRecord> {
  return (
    isRecord(value) &&
    Object.entries(value).every(
      ([path, it]) => settingsFiles.includes(path) && isSettingsRecord(it),
    )
  );
}

function isSettingsRecord(value: unknown): value is SettingsRecord {
  if (!isRecord(value)) return false;
  const { isNew, entries, sha256, undo } = value;
  const isNamed = typeof isNew === "boolean" && typeof sha256 === "string";
  return isNamed && isStringArray(entries) && Array.isArray(undo) && undo.every(isWordlessEdit);
}

/** An edit may put nothing but brackets and blanks back: words would be somebody's, or a command. */
function isWordlessEdit(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { offset, length, content } = value;
  const isPlace = [offset, length].every((it) => Number.isSafeInteger(it) && Number(it) >= 0);
  return isPlace && typeof content === "string" && /^[\s{}[\],:]*$/.test(content);
}
