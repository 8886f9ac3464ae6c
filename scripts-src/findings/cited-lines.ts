import { limits } from "../base/limits.ts";
import { readFileIfPresent } from "../files/atomic-file.ts";
import { lstatSync } from "../files/disk.ts";
import { sha256 } from "../files/sha256.ts";

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
      // A link, a folder, a device, behind a file, no text: nobody can watch it, whatever the reason.
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
