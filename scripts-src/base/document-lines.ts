/** A line of the form `- [mark] text`. */
export interface Bullet {
  mark: string;
  text: string;
  /** Whether a blank stands between the mark and the text. */
  spaced: boolean;
}

/** The lines of a document, whatever ends them; a byte order mark is no part of the first. */
export function linesOf(text: string): string[] {
  return text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
}

/**
 * All `- [mark] text` lines. The original's patterns run over line ends, so where nothing follows
 * the dash or the mark, the next line that is not blank does. Line by line, since a pattern over
 * the whole text takes time in the square of its blank lines. Unlike the original, a line that
 * served as text of the line before counts as well: an empty item hides no blocker.
 */
export function bulletsOf(text: string): Bullet[] {
  const lines = filledLines(text);
  return lines.flatMap((line, index) => {
    const dash = /^\s*-\s*(.*)$/su.exec(line);
    if (dash === null) return [];
    const at = dash[1] === "" ? index + 1 : index;
    const body = dash[1] === "" ? (lines[at] ?? "").trim() : (dash[1] ?? "");
    const found = /^\[([^[\]]*)\](\s*)(.*)$/su.exec(body);
    if (found === null) return [];
    const [, mark = "", blank = "", same = ""] = found;
    if (same !== "") return [{ mark, text: same.trimEnd(), spaced: blank !== "" }];
    const following = (lines[at + 1] ?? "").trim();
    return [{ mark, text: following, spaced: following !== "" }];
  });
}

/**
 * What follows the mark of every line that begins with it: the rest of the line, or the next line
 * that is not blank where there is no rest.
 */
export function textsAfter(text: string, mark: RegExp): string[] {
  const lines = filledLines(text);
  return lines.flatMap((line, index) => {
    const found = mark.exec(line);
    if (found === null) return [];
    const rest = line.slice(found[0].length).trim();
    return [rest === "" ? (lines[index + 1] ?? "").trim() : rest];
  });
}

function filledLines(text: string): string[] {
  return linesOf(text).filter((line) => /\S/.test(line));
}
