import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** A text on at most so many lines of a width; what is left out shows as an ellipsis. */
export function wrapped(
  text: string,
  width: number,
  linesMax = Number.POSITIVE_INFINITY,
): string[] {
  const lines = wrapAnsi(text, Math.max(1, width), { hard: true }).split("\n");
  if (lines.length <= linesMax) return lines;
  const kept = lines.slice(0, linesMax);
  return [...kept.slice(0, -1), cutTo(`${kept.at(-1) ?? ""}\u2026`, width)];
}

/** A text in one line of a width. */
export function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const [first = ""] = wrapAnsi(text, Math.max(1, width - 1), {
    hard: true,
    wordWrap: false,
  }).split("\n");
  return `${first.trimEnd()}\u2026`;
}

/** A text filled up with blanks to a width, or cut to it. */
export function padded(text: string, width: number): string {
  const cut = cutTo(text, width);
  return cut + " ".repeat(Math.max(0, width - stringWidth(cut)));
}

/** Two texts at the ends of one line. */
export function atEnds(left: string, right: string, width: number): string {
  const kept = cutTo(left, Math.max(1, width - stringWidth(right) - 1));
  const blanks = Math.max(1, width - stringWidth(kept) - stringWidth(right));
  return `${kept}${" ".repeat(blanks)}${right}`;
}

/** How many rows of a terminal a line takes that was written for another width. */
export function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(stringWidth(line) / Math.max(1, columns)));
}
