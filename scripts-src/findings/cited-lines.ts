import { plainPlace } from "../base/escape-untrusted-text.ts";
import { limits } from "../base/limits.ts";
import { readCitedLines } from "../evidence/read-cited-file.ts";
import { onlyPlaceOf } from "../evidence/recheck.ts";
import { lstatSync } from "../files/disk.ts";
import { orNothing } from "../files/errno.ts";
import { sha256 } from "../files/hash.ts";
import type { ProjectPaths } from "./project-paths.ts";
import type { CitedLines } from "./rules/finding-content.ts";
import { pathInProject } from "./working-directories.ts";

/** `gone`: there is no file; `unreadable`: a link, no text, secret; `unread`: too much was read before. */
export type Lines = readonly string[] | "gone" | "unreadable" | "unread";

/** The files that reports cite, each read once: many reports cite the same few. */
export class CitedFiles {
  readonly #known = new Map<string, Lines>();
  #bytesLeft = limits.citedFilesBytes;

  /** The lines of a file below a folder, which no link leads to. */
  linesOf(folder: string, path: string): Lines {
    const key = `${folder}\n${path}`;
    const known = this.#known.get(key) ?? this.#read(folder, path);
    this.#known.set(key, known);
    return known;
  }

  #read(folder: string, path: string): Lines {
    const found = orNothing(() => lstatSync(`${folder}/${path}`, { throwIfNoEntry: false }));
    const size = found?.size ?? 0;
    if (size > this.#bytesLeft) return "unread";
    this.#bytesLeft -= size;
    try {
      return readCitedLines(folder, path) ?? "gone";
    } catch {
      return "unreadable";
    }
  }
}

/** SHA-256 of the lines from one to another, 1-based and inclusive; undefined beyond the end. */
export function hashOfLines(lines: Lines, from: number, to: number): string | undefined {
  if (typeof lines === "string" || from < 1 || to < from || to > lines.length) return undefined;
  return sha256(lines.slice(from - 1, to).join("\n"));
}

/** Compares what reports cite with the files as they are now, within the reader's own project. */
export class CitationCheck {
  readonly #paths: ProjectPaths;
  readonly #project: string;
  readonly #files = new CitedFiles();
  /** What may still be compared and searched: characters, counted against the limit of bytes. */
  #charactersLeft = limits.citedFilesBytes;

  constructor(paths: ProjectPaths, project: string) {
    this.#paths = paths;
    this.#project = project;
  }

  /** What has become of cited lines, in one line; undefined when they are as they were. */
  faultOf({ file, shown, from, to, sha256 }: CitedLines): string | undefined {
    const cited = plainPlace(shown);
    const here = this.#paths.here(file);
    const path = pathInProject(this.#project, here);
    if (path === undefined) return `not compared: ${cited}, it lies outside of your project`;
    const lines = this.#files.linesOf(this.#project, path);
    if (lines === "gone") return `gone: ${cited}`;
    if (lines === "unreadable") return `stale: ${cited} can no longer be read`;
    if (lines === "unread" || !this.#takes(lines.slice(from - 1, to), 1))
      return `not compared: ${cited}, too much is cited on this board`;
    if (hashOfLines(lines, from, to) === sha256) return undefined;
    const count = to - from + 1;
    const place = this.#takes(lines, count) ? onlyPlaceOf(lines, count, sha256) : undefined;
    if (place !== undefined) return `moved: ${cited} is at line ${place} now`;
    // Its author may have changed on another machine what nobody has changed here.
    return `stale: ${cited} ${here === file ? "has changed since" : "is different in your clone"}`;
  }

  /** Whether so much may still be looked at, so many times. */
  #takes(lines: readonly string[], times: number): boolean {
    this.#charactersLeft -= times * lines.reduce((size, line) => size + line.length + 1, 0);
    return this.#charactersLeft >= 0;
  }
}
