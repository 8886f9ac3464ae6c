import { plainPlace } from "../base/escape-untrusted-text.ts";
import { limits } from "../base/limits.ts";
import { readFileIfPresent } from "../files/atomic-file.ts";
import { lstatSync } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import type { ProjectPaths } from "./project-paths.ts";
import type { CitedLines, Root } from "./rules/finding-content.ts";
import type { Scope } from "./working-directories.ts";

/** `gone`: there is no file; `unreadable`: no text or too large; `unread`: too much was read before. */
export type Lines = readonly string[] | "gone" | "unreadable" | "unread";

/** The files that reports cite, each read once: many reports cite the same few. */
export class CitedFiles {
  readonly #known = new Map<string, Lines>();
  #bytesLeft = limits.citedFilesBytes;

  linesOf(file: string): Lines {
    const known = this.#known.get(file) ?? this.#read(file);
    this.#known.set(file, known);
    return known;
  }

  #read(file: string): Lines {
    try {
      const size = lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size > this.#bytesLeft) return "unread";
      this.#bytesLeft -= size;
      const text = readFileIfPresent(file, limits.citedFileBytes);
      // A line feed ends the last line; no empty one follows.
      return text?.replace(/\r?\n$/, "").split(/\r?\n/) ?? "gone";
    } catch {
      // A link, a folder, a device, below a file, no text: for whatever reason, it cannot be watched.
      return "unreadable";
    }
  }
}

/** SHA-256 of the lines from one to another, 1-based and inclusive; undefined beyond the end. */
export function hashOfLines(
  lines: readonly string[],
  from: number,
  to: number,
): string | undefined {
  if (from < 1 || to < from || to > lines.length) return undefined;
  return sha256(lines.slice(from - 1, to).join("\n"));
}

/** Why cited lines are not as they were, or nobody can tell. */
export interface CitationFault {
  readonly code: "gone" | "stale" | "moved" | "not compared";
  readonly text: string;
}

/** Compares what reports cite with the files as they are now, within the reader's own folder. */
export class CitationCheck {
  readonly #paths: ProjectPaths;
  readonly #scope: Scope;
  readonly #files = new CitedFiles();
  /** What may still be compared and searched: characters, counted against the limit of bytes. */
  #charactersLeft = limits.citedFilesBytes;

  constructor(paths: ProjectPaths, scope: Scope) {
    this.#paths = paths;
    this.#scope = scope;
  }

  /** What has become of lines that a report with these roots cites; undefined when they are as they were. */
  faultOf(citation: CitedLines, roots: readonly Root[]): CitationFault | undefined {
    const file = this.#paths.here(citation.file);
    const fault = this.#faultIn(file, citation);
    const differs = fault?.code === "gone" || fault?.code === "stale";
    if (!differs || !this.#paths.isOfOtherCommits(citation.file, roots)) return fault;
    const reason =
      "your project does not have the commit that it was posted at: git fetch, or ask its author to push";
    return { code: "not compared", text: `${plainPlace(citation.shown)}, ${reason}` };
  }

  #faultIn(file: string, citation: CitedLines): CitationFault | undefined {
    const { shown, from, to, sha256 } = citation;
    const cited = plainPlace(shown);
    // Its author may have changed on another machine what nobody has changed here.
    const how = citation.file === file ? "has changed since" : "is different in your clone";
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
    if (place === undefined) return { code: "stale", text: `${cited} ${how}` };
    return { code: "moved", text: `${cited} is at line ${place} now` };
  }

  /** Whether so much may still be looked at. */
  #takes(characters: number): boolean {
    this.#charactersLeft -= characters;
    return this.#charactersLeft >= 0;
  }

  /**
   * The line at which these very lines begin now; undefined when they are nowhere or at several places, or when
   * the search would cost too much.
   */
  #onlyPlaceOf(lines: readonly string[], count: number, sha256: string): number | undefined {
    // The characters that the search hashes at most: each line, with its end, is in up to `count` places.
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
