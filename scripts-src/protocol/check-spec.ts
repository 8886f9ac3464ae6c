import { hasHidden } from "../base/visible-text.ts";

/** Bounds of what a script looks at and of what it keeps of it. Units come last in the names. */
export const evidenceLimits = {
  /** Lines of one citation: nobody can look at more. */
  citedLines: 2_000,
  /** The highest number of a line. */
  lineNumber: 99_999_999,
  pathCharacters: 1_024,
  /** The text that a search looks for: with fewer characters it finds anything. */
  searchCharactersMin: 3,
  searchCharacters: 500,
  searchPaths: 16,
  /** Words of a command, and characters of a whole check of any kind. */
  commandWords: 100,
  specCharacters: 4_000,
  /** The words that the lines or the output are expected to hold. */
  expectCharacters: 1_000,
  /** A record keeps so much of the beginning of what was seen, and so much of its end. */
  partCharacters: 1_024,
  /** So many files that differ from the commit are named in a record; of more, their number. */
  dirtyFiles: 20,
  /** What a record names of what its claim says and nobody saw; and lines that may hold what it expects. */
  lacks: 8,
  placesFew: 5,
} as const;

/** What to look at. Parsed from a claim's `check`, or from the options of the script `check`. */
export type CheckSpec =
  | {
      readonly kind: "lines";
      readonly path: string;
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: "search"; readonly text: string; readonly paths: readonly string[] }
  | { readonly kind: "run"; readonly argv: readonly string[] };

/**
 * Reads `src/a.ts:10-20`, `src/a.ts:10` or `find "TEXT" path...`; anything else is a command, split
 * into words without a shell: prose is a command that nothing allows.
 */
export function parseCheckSpec(check: string): CheckSpec | { readonly fault: string } {
  if (check.length > evidenceLimits.specCharacters) {
    return { fault: `a check has at most ${evidenceLimits.specCharacters} characters` };
  }
  if (hasHidden(check)) return { fault: "a check holds a sign that cannot be seen" };
  const found = wordsOf(check.trim());
  const [first, second] = found;
  if (first === undefined) return { fault: "a check names lines, a search or a command" };
  if (found.length === 1) {
    const cited = /^(.*):(\d+)(?:-(\d+))?$/s.exec(first.word);
    if (cited !== null)
      return linesSpec(cited[1] ?? "", Number(cited[2]), Number(cited[3] ?? cited[2]));
  }
  if (first.word === "find" && !first.quoted && second?.quoted === true) {
    return searchSpec(
      second.word,
      found.slice(2).map(({ word }) => word),
    );
  }
  return runSpec(found.map(({ word }) => word));
}

/** The words of a command line, without a shell. */
export function parseCommandWords(line: string): string[] {
  return wordsOf(line.trim()).map(({ word }) => word);
}

/** Lines from one to another, 1-based and inclusive. */
export function linesSpec(path: string, from: number, to: number): CheckSpec | { fault: string } {
  const fault = pathFault(path);
  if (fault !== undefined) return { fault };
  const { citedLines, lineNumber } = evidenceLimits;
  if (from < 1 || to < from || to > lineNumber) {
    return { fault: `lines ${from}-${to} are no lines: write path:first-last, counted from 1` };
  }
  if (to - from >= citedLines) return { fault: `a citation has at most ${citedLines} lines` };
  return { kind: "lines", path, from, to };
}

/** A text that stands on one line, in files or folders. */
export function searchSpec(
  wanted: string,
  paths: readonly string[],
): CheckSpec | { fault: string } {
  const { searchCharactersMin, searchCharacters, searchPaths } = evidenceLimits;
  const signs = Array.from(wanted.trim()).length;
  if (signs < searchCharactersMin) {
    return {
      fault: `a search looks for at least ${searchCharactersMin} signs, or it finds anything`,
    };
  }
  if (signs > searchCharacters || /[\n\r]/.test(wanted) || hasHidden(wanted)) {
    return { fault: `a search looks for one line of at most ${searchCharacters} signs` };
  }
  if (paths.length === 0) return { fault: 'a search names where: find "TEXT" path...' };
  if (paths.length > searchPaths) return { fault: `a search names at most ${searchPaths} paths` };
  const fault = paths.map(pathFault).find((it) => it !== undefined);
  return fault === undefined ? { kind: "search", text: wanted, paths } : { fault };
}

export function runSpec(argv: readonly string[]): CheckSpec | { fault: string } {
  const { commandWords, specCharacters } = evidenceLimits;
  if (argv.length === 0 || argv[0] === "") return { fault: "a command has at least one word" };
  if (argv.length > commandWords) return { fault: `a command has at most ${commandWords} words` };
  if (argv.some((word) => word.includes("\0"))) return { fault: "a command has no zero bytes" };
  if (argv.join(" ").length > specCharacters) {
    return { fault: `a command has at most ${specCharacters} characters` };
  }
  return { kind: "run", argv };
}

/** What is wrong with the words of a path; where it leads is checked when it is opened. */
function pathFault(path: string): string | undefined {
  const shown = JSON.stringify(path.slice(0, 80));
  if (path === "" || path.length > evidenceLimits.pathCharacters || hasHidden(path)) {
    return `${shown} is no path below the project`;
  }
  if (/^[/\\~]|^[A-Za-z]:|^\w+:\/\//.test(path)) {
    return `${shown} is not relative to the project's root`;
  }
  return path.split(/[/\\]/).includes("..") ? `${shown} leads out of the project` : undefined;
}

/** The spec as `parseCheckSpec` reads it back. */
export function specText(spec: CheckSpec): string {
  switch (spec.kind) {
    case "lines": {
      const { path, from, to } = spec;
      return asWord(`${path}:${from === to ? from : `${from}-${to}`}`);
    }
    case "search":
      return ["find", quoted(spec.text), ...spec.paths.map(asWord)].join(" ");
    case "run":
      return spec.argv.map(asWord).join(" ");
  }
}

function asWord(word: string): string {
  return /^[^\s"'\\]+$/.test(word) ? word : quoted(word);
}

function quoted(word: string): string {
  return `"${word.replace(/["\\]/g, "\\$&")}"`;
}

interface Word {
  readonly word: string;
  /** Begins with a quote. */
  readonly quoted: boolean;
}

/**
 * Splits a line into words at blanks. Text between quotes keeps its blanks. A backslash makes a quote, a
 * blank or a backslash after it an ordinary character; between double quotes only a double quote or a
 * backslash, between single quotes nothing. Where a quote is never closed, as in prose, only blanks count.
 */
function wordsOf(line: string): Word[] {
  const found: Word[] = [];
  let word = "";
  let begun: { readonly quoted: boolean } | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    const next = line.charAt(at + 1);
    if (/\s/.test(sign)) {
      if (begun !== undefined) found.push({ word, ...begun });
      begun = undefined;
      word = "";
    } else if (sign === '"' || sign === "'") {
      begun ??= { quoted: true };
      const end = endOfQuote(line, at);
      if (end === -1) return line.split(/\s+/).map((it) => ({ word: it, quoted: false }));
      const inside = line.slice(at + 1, end);
      word += sign === '"' ? inside.replace(/\\(["\\])/g, "$1") : inside;
      at = end;
    } else {
      begun ??= { quoted: false };
      const isEscape = sign === "\\" && /["'\\\s]/.test(next);
      word += isEscape ? next : sign;
      if (isEscape) at += 1;
    }
  }
  return begun === undefined ? found : [...found, { word, ...begun }];
}

/** Where the quote that opens at a place is closed; -1 where it is not. */
function endOfQuote(line: string, start: number): number {
  const sign = line.charAt(start);
  for (let at = start + 1; at < line.length; at += 1) {
    if (line.charAt(at) === sign) return at;
    if (sign === '"' && line.charAt(at) === "\\") at += 1;
  }
  return -1;
}

/** Which files and folders of the project a check reads; none for a command, which reads anything. */
export function citedPaths(spec: CheckSpec): readonly string[] {
  if (spec.kind === "run") return [];
  return spec.kind === "lines" ? [spec.path] : spec.paths;
}
