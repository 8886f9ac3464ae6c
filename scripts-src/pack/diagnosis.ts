import { parse, stripComments } from "jsonc-parser";
import { ConsultaError } from "../base/errors.ts";
import { isRecord } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { readFileIfPresent } from "../files/atomic-file.ts";
import { existsSync } from "../files/disk.ts";
import { settingsTextFault } from "./settings-text.ts";

/** One thing that `doctor` saw. What is worth fixing comes with the one command that does it. */
export interface Diagnosis {
  readonly level: "ok" | "note" | "fix";
  readonly text: string;
  readonly command?: string;
}

/** Where `doctor` looks. */
export interface Patient {
  /** The project's root. */
  readonly project: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of the running script, and how a command line names its siblings. */
  readonly scripts: string;
  readonly line: (script: string, ...words: string[]) => string;
}

export function ok(text: string): Diagnosis {
  return { level: "ok", text };
}

export function note(text: string, command?: string): Diagnosis {
  return command === undefined ? { level: "note", text } : { level: "note", text, command };
}

export function fix(text: string, command: string): Diagnosis {
  return { level: "fix", text, command };
}

/** What a CLI keeps in a JSON file, comments allowed; empty where there is none or it is unreadable. */
export function jsonObjectAt(path: string): Record<string, unknown> {
  try {
    const value: unknown = parse(fileText(path) ?? "");
    return isRecord(value) ? value : {};
  } catch (cause) {
    // A link to settings elsewhere, no permission, nested without end: nothing is known or claimed.
    if (cause instanceof ConsultaError || cause instanceof RangeError) return {};
    throw cause;
  }
}

/** Why a CLI cannot read its settings; undefined where it can, or nothing can be said. */
export function settingsFaultAt(path: string, mayHoldComments: boolean): string | undefined {
  try {
    const text = fileText(path);
    if (text === undefined) return undefined;
    const hasComments = !mayHoldComments && stripComments(text) !== text;
    return settingsTextFault(text) ?? (hasComments ? "it holds comments" : undefined);
  } catch (cause) {
    if (cause instanceof ConsultaError) return undefined;
    throw cause;
  }
}

/** @throws ConsultaError REFUSED for what is no regular file of text. */
export function fileText(path: string): string | undefined {
  return existsSync(path) ? readFileIfPresent(path, settingsBytes) : undefined;
}

/** The most of one file that is looked at: far more than settings have. */
const settingsBytes = 16 * limits.messageBytes;

/** The value at the end of a path of names; undefined where one is missing. */
export function valueIn(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((it, name) => (isRecord(it) ? it[name] : undefined), value);
}
