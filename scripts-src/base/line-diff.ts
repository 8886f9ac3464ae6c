import { createTwoFilesPatch, diffArrays, FILE_HEADERS_ONLY } from "diff";

/** A line of two versions of a text. */
export interface LineChange {
  readonly as: "same" | "added" | "removed";
  readonly text: string;
}

/** Texts with more edits between them count as replaced: the time to find them grows with their square. */
const editsMax = 2_000;

/** How one text became another: a longest common part stays, the rest was removed or added. */
export function lineChanges(before: string, after: string): LineChange[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const parts = diffArrays(old, now, { maxEditLength: editsMax }) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: now },
  ];
  return parts.flatMap(({ added, removed, value }) =>
    value.map((text) => ({ as: added ? "added" : removed ? "removed" : "same", text }) as const),
  );
}

/** A unified diff with three lines of context. Empty when nothing differs. */
export function lineDiff(path: string, before: string, after: string): string {
  if (before === after) return "";
  const from = before === "" ? "/dev/null" : `a/${path}`;
  return createTwoFilesPatch(from, `b/${path}`, before, after, undefined, undefined, {
    headerOptions: FILE_HEADERS_ONLY,
    context: 3,
  });
}
