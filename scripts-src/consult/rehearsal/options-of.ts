import { shortLine } from "../../clis/short-line.ts";

/** What a question lets one choose between, in short words, and what to look for in the project. */
export interface Options {
  readonly first: string;
  readonly second: string;
  readonly terms: readonly string[];
}

const preposition = /^(?:in|with|by|as|to|on|at|for|from|via|using|use|be|into|through)\s+/i;

/** Takes "X or Y?" apart; a question without "or" is one of doing it or not yet. */
export function optionsOf(question: string): Options {
  const [line = ""] = question.trim().split("\n");
  const parts = line.split(/\s+(?:or|\u0438\u043b\u0438)\s+/i);
  const right =
    parts
      .at(-1)
      ?.split(/[?!;]|\.(?:\s|$)/)[0]
      ?.trim() ?? "";
  const left = parts.at(-2)?.trim() ?? "";
  if (parts.length < 2 || left === "" || right === "" || /^not\b/i.test(right)) {
    return { first: "do it", second: "not yet", terms: tellingWords(line) };
  }
  const first = shorten(lastPhrase(left, right));
  const second = shorten(right.replace(preposition, ""));
  return first === "" || second === "" || first === second
    ? { first: "the first way", second: "the second way", terms: tellingWords(line) }
    : { first, second, terms: [first, second] };
}

/** The words of the left side that stand against the right side: both often begin alike. */
function lastPhrase(left: string, right: string): string {
  const [shared] = preposition.exec(right) ?? [];
  const at = shared === undefined ? -1 : left.toLowerCase().lastIndexOf(` ${shared.toLowerCase()}`);
  if (shared !== undefined && at >= 0) return left.slice(at + shared.length + 1);
  const words = left.split(/\s+/);
  return words.at(-1)?.replace(/^[^\p{L}\p{N}]+/u, "") ?? "";
}

function shorten(text: string): string {
  return shortLine(text.replace(/["\u00ab\u00bb\u201c\u201d`]/g, ""), 60).replace(/[,.:]+$/, "");
}

function tellingWords(line: string): string[] {
  const words = [...new Set(line.toLowerCase().match(/[\p{L}\p{N}]{4,30}/gu) ?? [])];
  return words.sort((one, other) => other.length - one.length).slice(0, 2);
}
