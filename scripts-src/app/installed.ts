import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { isRecord, isStringArray, parseStrictJson } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import type { TextBlock } from "../core/text-block.ts";
import { readFileIfPresent } from "../store/atomic-file.ts";
import { safeJoin } from "../store/safe-path.ts";

/** What `install` has put into a project, so that `--remove` takes out that and nothing else. */
export interface Installed {
  readonly version: string;
  /** Copied files by their paths below the project, with the SHA-256 of what was written. */
  readonly files: Readonly<Record<string, string>>;
  /** Folders that were made for them. */
  readonly folders: readonly string[];
  /** What each settings file got, and what stood there before. */
  readonly settings: Readonly<Record<string, TextBlock>>;
}

export const recordPath = ".consulta/installed.json";

/** @throws ConsultaError REFUSED when the record is not one of ours. */
export function readInstalled(project: string): Installed | undefined {
  safeJoin(project, ".consulta", "installed.json");
  const text = readFileIfPresent(join(project, recordPath), limits.messageBytes);
  if (text === undefined) return undefined;
  const value = parseStrictJson(text, recordPath);
  if (isRecord(value)) {
    const { version, files, folders, settings } = value;
    if (typeof version === "string" && isTexts(files) && isPaths(folders) && isBlocks(settings)) {
      return { version, files, folders, settings };
    }
  }
  const reason = `${recordPath} is not a record of install`;
  throw new ConsultaError("REFUSED", `${reason}: move it away and run this again`);
}

/** Of hand-made records only those are taken that stay inside the project. */
function isPath(path: string): boolean {
  return path.split("/").every((name) => !["", ".", ".."].includes(name) && !/[\\:\0]/.test(name));
}

function isPaths(value: unknown): value is string[] {
  return isStringArray(value) && value.every(isPath);
}

function isTexts(value: unknown): value is Record<string, string> {
  return (
    isRecord(value) &&
    Object.entries(value).every(([path, it]) => isPath(path) && typeof it === "string")
  );
}

function isBlocks(value: unknown): value is Record<string, TextBlock> {
  return (
    isRecord(value) &&
    Object.entries(value).every(
      ([path, it]) =>
        isPath(path) &&
        isRecord(it) &&
        typeof it["before"] === "string" &&
        typeof it["after"] === "string",
    )
  );
}
