import { parse } from "jsonc-parser";
import { ConsultaError } from "../base/errors.ts";
import { isRecord } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { readFileIfPresent } from "../files/atomic-file.ts";
import { existsSync } from "../files/disk.ts";

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

/** The most of one file that is looked at: far more than settings have. */
const settingsBytes = 16 * limits.messageBytes;

/** What a CLI keeps in a JSON file, comments allowed; empty where there is none or it is unreadable. */
export function jsonObjectAt(path: string): Record<string, unknown> {
  try {
    const text = existsSync(path) ? readFileIfPresent(path, settingsBytes) : "";
    const value: unknown = parse(text ?? "");
    return isRecord(value) ? value : {};
  } catch (cause) {
    // A link to settings elsewhere, no permission, nested without end: nothing is known or claimed.
    if (cause instanceof ConsultaError || cause instanceof RangeError) return {};
    throw cause;
  }
}
