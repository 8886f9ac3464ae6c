import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { plainPlace } from "../base/quote-text.ts";
import { readCitedLines } from "../evidence/read-cited-file.ts";
import { onlyPlaceOf } from "../evidence/recheck.ts";
import { lstatSync, orNothing } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { type ProjectPaths, pathInProject } from "./project-paths.ts";
import type { CitedLines } from "./rules/finding-content.ts";

/** `gone`: there is no file; `unreadable`: a link, no text, secret; `unread`: too much was read before. */
type Lines = readonly string[] | "gone" | "unreadable" | "unread";

/** The files that reports cite, each read once: many reports cite the same few. */
export class CitedFiles {
  readonly #known = new Map<string, Lines>();
  /** What may still be read, compared and searched. */
  #left = limits.citedFilesBytes;

  /** The lines of a file below a folder, which no link leads to. */
  linesOf(folder: string, path: string): Lines {
    const key = `${folder}\n${path}`;
    const known = this.#known.get(key) ?? this.#read(folder, path);
    this.#known.set(key, known);
    return known;
  }

  #read(folder: string, path: string): Lines {
    const found = orNothing(() => lstatSync(`${folder}/${path}`));
    if (!this.takes(found?.size ?? 0)) return "unread";
    try {
      return readCitedLines(folder, path) ?? "gone";
    } catch {
      return "unreadable";
    }
  }

  /** Whether so much may still be looked at; what may not leaves room for less. */
  takes(size: number): boolean {
    if (size > this.#left) return false;
    this.#left -= size;
    return true;
  }
}

/** The lines from one to another, 1-based and inclusive; undefined beyond the end. */
export function textOfLines(lines: Lines, from: number, to: number): string | undefined {
  if (typeof lines === "string" || from < 1 || to < from || to > lines.length) return undefined;
  return lines.slice(from - 1, to).join("\n");
}

/** Tells what has become of cited lines, in one line each, as far as the reader's project goes; undefined for nothing. */
export function citationCheck(
  paths: ProjectPaths,
  project: string,
): (citation: CitedLines) => string | undefined {
  const files = new CitedFiles();
  return ({ file = "", shown, from, to, sha256: wanted, text: said }) => {
    // Its author did not find it, or has not recorded it.
    if (wanted === undefined) return undefined;
    const cited = plainPlace(shown);
    const told = (fault: string) =>
      said === undefined ? fault : `${fault}; it said ${inline(said)}`;
    const here = paths.here(file);
    const path = pathInProject(project, here);
    if (path === undefined) return `not compared: ${cited}, it lies outside of your project`;
    const lines = files.linesOf(project, path);
    if (lines === "gone") return told(`gone: ${cited}`);
    if (lines === "unreadable") return told(`stale: ${cited} can no longer be read`);
    const now = textOfLines(lines, from, to);
    if (lines === "unread" || !files.takes(now?.length ?? 0))
      return `not compared: ${cited}, too much is cited on this board`;
    if (now !== undefined && sha256(now) === wanted) return undefined;
    const count = to - from + 1;
    const size = count * lines.reduce((sum, line) => sum + line.length + 1, 0);
    const place = files.takes(size) ? onlyPlaceOf(lines, count, wanted) : undefined;
    if (place !== undefined) return told(`moved: ${cited} is at line ${place} now`);
    // Its author may have changed on another machine what nobody has changed here.
    return told(
      `stale: ${cited} ${here === file ? "has changed since" : "is different in your clone"}`,
    );
  };
}
