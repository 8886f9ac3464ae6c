import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";

/** Texts with more edits between them count as replaced: the time to find them grows with their square. */
const editsMax = 2_000;

/** A unified diff with three lines of context. Empty when nothing differs. */
export function lineDiff(path: string, before: string, after: string): string {
  if (before === after) return "";
  const [from, to] = [before === "" ? "/dev/null" : `a/${path}`, `b/${path}`];
  const options = { headerOptions: FILE_HEADERS_ONLY, context: 3, maxEditLength: editsMax };
  const found = createTwoFilesPatch(from, to, before, after, undefined, undefined, options);
  if (found !== undefined) return found;
  const [old, now] = [before.split("\n"), after.split("\n")];
  const head = [`--- ${from}`, `+++ ${to}`, `@@ -1,${old.length} +1,${now.length} @@`];
  const lines = [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)];
  return `${[...head, ...lines].join("\n")}\n`;
}
