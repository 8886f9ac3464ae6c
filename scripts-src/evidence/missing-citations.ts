import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { textIfSound } from "../files/atomic-file.ts";
import { resolveProjectFile } from "../files/safe-path.ts";
import { citationsIn, citedPlace } from "../protocol/citations.ts";
import { readCitedLines } from "./read-cited-file.ts";

/**
 * What is not there of what a text cites: a line below the project, or of a document in the session's
 * folder. What nobody may look at, such as a path that leads out of both, is not there either.
 */
export function absentCitations(
  project: string,
  folder: string,
  lines: readonly string[],
): string[] {
  const lengths = new Map<string, number>();
  const linesIn = (path: string): number => {
    const known = lengths.get(path);
    if (known !== undefined) return known;
    const length = Math.max(
      lengthOf(() => readCitedLines(project, path)?.length),
      lengthOf(() => documentLines(folder, path)),
    );
    lengths.set(path, length);
    return length;
  };
  const cited = citationsIn(lines, new Set());
  const absent = cited.filter(({ path, to }) => linesIn(path) < to);
  return absent.slice(0, limits.absentCitations).map(citedPlace);
}

function documentLines(folder: string, path: string): number | undefined {
  const text = textIfSound(resolveProjectFile(folder, path), limits.messageBytes);
  return text?.replace(/\r?\n$/, "").split("\n").length;
}

/** A disk that fails says nothing of what is there. */
function lengthOf(read: () => number | undefined): number {
  try {
    return read() ?? 0;
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return cause.code === "REFUSED" ? 0 : Number.POSITIVE_INFINITY;
  }
}
