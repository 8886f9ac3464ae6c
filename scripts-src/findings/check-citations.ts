import { limits } from "../base/limits.ts";
import { plainPlace } from "../base/quote.ts";
import { CitedFiles, hashOfLines } from "./cited-lines.ts";
import type { CitedLines } from "./rules/content.ts";
import type { Scope } from "./scope.ts";

/** Why cited lines are not as they were, or nobody can tell. */
export interface CitationFault {
  readonly code: "gone" | "stale" | "moved" | "not compared";
  readonly text: string;
}

/** Compares what reports cite with the files as they are now, within the reader's own folder. */
export class CitationCheck {
  readonly #scope: Scope;
  readonly #files = new CitedFiles();
  #charactersLeft = limits.citedFilesBytes;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** What has become of cited lines; undefined when they are as they were. */
  faultOf({ shown, file, from, to, sha256 }: CitedLines): CitationFault | undefined {
    const cited = plainPlace(shown);
    if (!this.#scope.has(file)) {
      return { code: "not compared", text: `${cited}, it lies outside of your project` };
    }
    const lines = this.#files.linesOf(file);
    if (lines === "gone") return { code: "gone", text: cited };
    if (from === 0) return undefined;
    if (lines === "unreadable") return { code: "stale", text: `${cited} can no longer be read` };
    if (lines === "unread" || !this.#takes(sizeOf(lines.slice(from - 1, to)))) {
      return { code: "not compared", text: `${cited}, too much is cited on this board` };
    }
    if (hashOfLines(lines, from, to) === sha256) return undefined;
    const place = this.#onlyPlaceOf(lines, to - from + 1, sha256);
    if (place === undefined) return { code: "stale", text: `${cited} has changed since` };
    return { code: "moved", text: `${cited} is at line ${place} now` };
  }

  /** Whether so much may still be looked at. */
  #takes(characters: number): boolean {
    this.#charactersLeft -= characters;
    return this.#charactersLeft >= 0;
  }

  /** Where these very lines stand now; undefined when nowhere, at several places, or too far to look. */
  #onlyPlaceOf(lines: readonly string[], count: number, sha256: string): number | undefined {
    const work = (sizeOf(lines) + lines.length) * count;
    if (work > limits.movedSearchCharacters || !this.#takes(work)) return undefined;
    let found: number | undefined;
    for (let from = 1; from + count - 1 <= lines.length; from += 1) {
      if (hashOfLines(lines, from, from + count - 1) !== sha256) continue;
      if (found !== undefined) return undefined;
      found = from;
    }
    return found;
  }
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((size, line) => size + line.length, 0);
}
