import { existsSync } from "node:fs";
import { parse } from "jsonc-parser";
import { ConsultaError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { readFileIfPresent } from "../store/atomic-file.ts";

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
export function settingsAt(path: string): Record<string, unknown> {
  try {
    const text = existsSync(path) ? readFileIfPresent(path, settingsBytes) : undefined;
    const value: unknown = text === undefined ? undefined : parse(text);
    return isRecord(value) ? value : {};
  } catch (cause) {
    // A link to settings elsewhere, or no permission: nothing is known, and nothing is claimed.
    if (cause instanceof ConsultaError) return {};
    throw cause;
  }
}

/** A user's history of projects grows. */
const settingsBytes = 16 * limits.messageBytes;

/** What stands at the end of a path of names; undefined where one is missing. */
export function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((it, name) => (isRecord(it) ? it[name] : undefined), value);
}
