import type { CitedLines } from "../core/findings/content.ts";
import { plainPlace } from "../core/findings/plain-place.ts";
import { limits } from "../core/limits.ts";
import { CitedFiles, hashOfLines } from "./cited-lines.ts";
import type { Scope } from "./scope.ts";

/** Compares what reports cite with the files as they are now, within the reader's own folder. */
export class CitationCheck {
  readonly #scope: Scope;
  readonly #files = new CitedFiles();
  #charactersLeft = limits.citedFilesBytes;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** What has become of cited lines; undefined when they are as they were. */
  faultOf({ shown, file, from, to, sha256 }: CitedLines): string | undefined {
    const cited = plainPlace(shown);
    if (!this.#scope.has(file)) return `not compared: ${cited}, it lies outside of your project`;
    const lines = this.#files.linesOf(file);
    if (lines === "gone") return `gone: ${cited}`;
    if (from === 0) return undefined;
    if (lines === "unreadable") return `stale: ${cited} can no longer be read`;
    if (lines === "unread" || !this.#takes(sizeOf(lines.slice(from - 1, to)))) {
      return `not compared: ${cited}, too much is cited on this board`;
    }
    if (hashOfLines(lines, from, to) === sha256) return undefined;
    const place = this.#onlyPlaceOf(lines, to - from + 1, sha256);
    if (place === undefined) return `stale: ${cited} has changed since`;
    return `moved: ${cited} is at line ${place} now`;
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
