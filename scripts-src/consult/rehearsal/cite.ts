import { join } from "node:path";
import { shortLine } from "../../clis/short-line.ts";
import { readFileIfPresent } from "../../files/atomic-file.ts";
import { projectTexts } from "./survey.ts";

/** A claim that any script can check again: a line of the project. */
export interface CitedClaim {
  readonly text: string;
  readonly check: string;
  readonly expect: string;
}

const fileBytesMax = 262_144;

/** A line that says something about the words, the first word first; nothing where there is none. */
export function citeProject(project: string, terms: readonly string[]): CitedClaim[] {
  for (const term of terms) {
    for (const { path, text } of projectTexts(project, "")) {
      const at = text.split("\n").findIndex((line) => line.includes(term.toLowerCase()));
      const claim = at < 0 ? undefined : claimAt(project, path, at, `${path} speaks of "${term}"`);
      if (claim !== undefined) return [claim];
    }
  }
  return [];
}

function claimAt(project: string, path: string, at: number, text: string) {
  const whole = readFileIfPresent(join(project, path), fileBytesMax) ?? "";
  const line = whole.split("\n")[at] ?? "";
  const expect = shortLine(line.trim(), 80).replace(/(?:\.\.\.|\u2026)$/, "");
  const isPlain = /^[\w./-]+$/.test(path) && /[\p{L}\p{N}]/u.test(expect);
  return isPlain ? { text, check: `${path}:${at + 1}`, expect } : undefined;
}
