import { quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import type { MarkdownLine } from "../../base/markdown.ts";

export interface Relations {
  /** As written: `bob/01`, `bob/01-x.md`. */
  readonly confirms: readonly string[];
  readonly supersedes: readonly string[];
  readonly faults: readonly string[];
}

/** Reads the lines `Confirms: bob/01, cy/02` and `Supersedes: alice/02`, wherever they stand. */
export function relationsIn(lines: readonly MarkdownLine[]): Relations {
  const confirms = new Set<string>();
  const supersedes = new Set<string>();
  const strange = new Set<string>();
  for (const { text, fenced } of lines) {
    const [, kind, rest = ""] =
      fenced || !text.includes(":") ? [] : (relationLine.exec(text) ?? []);
    if (kind === undefined) continue;
    const known = kind.toLowerCase() === "confirms" ? confirms : supersedes;
    for (const reference of referencesIn(rest)) {
      if (isReference(reference)) known.add(reference);
      else strange.add(reference);
    }
  }
  const kept = [...confirms].slice(0, limits.relations);
  const count = confirms.size + supersedes.size;
  return {
    confirms: kept,
    supersedes: [...supersedes].slice(0, limits.relations - kept.length),
    faults: [...strangeFaults([...strange]), ...countFaults(count)],
  };
}

const relationLine = /^\s*(?:[-*]\s+)?\**(confirms|supersedes)\**:\**(.*)$/is;
const noReference = /^\(?(?:none|n\/a|nothing|-*)\)?$/i;

function referencesIn(rest: string): string[] {
  const words = rest.replace(/\s+/g, " ").replace(/ (?:--|-|\u2013|\u2014|\() .*$| \(.*$/s, "");
  return words
    .split(/[,;]| and /)
    .map((it) => it.replace(/[`*]/g, "").trim().replace(/\.$/, ""))
    .filter((it) => !noReference.test(it));
}

/** A path before the agent's name is fine: it is what `post` prints. */
function isReference(reference: string): boolean {
  return /^(?:[^\s/]*\/)*[a-z][a-z0-9-]*\/(?:\d[^\s/]*|[^\s/]+\.md)$/.test(reference);
}

function strangeFaults(strange: readonly string[]): string[] {
  if (strange.length === 0) return [];
  const shown = strange.slice(0, 3).map(quote).join(", ");
  const more = strange.length > 3 ? ` and ${strange.length - 3} more` : "";
  return [`${shown}${more} names no finding; write agent/number, such as: Confirms: bob/01`];
}

function countFaults(count: number): string[] {
  if (count <= limits.relations) return [];
  return [
    `the report confirms or supersedes ${count} findings, expected at most ${limits.relations}; ` +
      "name the most important",
  ];
}
