/** A line of two versions of a text. */
export interface LineChange {
  readonly as: "same" | "added" | "removed";
  readonly text: string;
}

/** What is compared line by line: a larger block between two equal ends counts as replaced. */
const cellsMax = 1_000_000;

/** How one text became another: a longest common part stays, the rest was removed or added. */
export function lineChanges(before: string, after: string): LineChange[] {
  return changesOf(before.split("\n"), after.split("\n"));
}

/**
 * A unified diff with one hunk, from the first line that differs to the last: good for texts that
 * differ in one place. Empty when nothing differs.
 */
export function lineDiff(path: string, before: string, after: string): string {
  if (before === after) return "";
  const changes = changesOf(linesOf(before), linesOf(after));
  const isChange = ({ as }: LineChange) => as !== "same";
  const from = Math.max(0, changes.findIndex(isChange) - around);
  const hunk = changes.slice(from, changes.findLastIndex(isChange) + 1 + around);
  const count = (without: LineChange["as"]) => hunk.filter(({ as }) => as !== without).length;
  const signs = { same: " ", added: "+", removed: "-" };
  return [
    `--- ${before === "" ? "/dev/null" : `a/${path}`}`,
    `+++ b/${path}`,
    `@@ -${range(from, count("added"))} +${range(from, count("removed"))} @@`,
    ...hunk.map(({ as, text }) => `${signs[as]}${text}`),
    "",
  ].join("\n");
}

/** Lines of context. */
const around = 3;

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** A side of the hunk: its first line, 1-based, and its length; an empty side names the line before it. */
function range(from: number, count: number): string {
  return `${count === 0 ? from : from + 1},${count}`;
}

function changesOf(old: readonly string[], now: readonly string[]): LineChange[] {
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const [cut, put] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  return [
    ...marked("same", old.slice(0, head)),
    ...(cut.length * put.length > cellsMax
      ? [...marked("removed", cut), ...marked("added", put)]
      : changesBetween(cut, put)),
    ...marked("same", old.slice(old.length - tail)),
  ];
}

function marked(as: LineChange["as"], lines: readonly string[]): LineChange[] {
  return lines.map((text) => ({ as, text }));
}

function changesBetween(old: readonly string[], now: readonly string[]): LineChange[] {
  const width = now.length + 1;
  // The length of the longest common part of what follows line `i` of one and `j` of the other.
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i * width + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const changes: LineChange[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const isSame = i < old.length && j < now.length && old[i] === now[j];
    const isRemoved =
      !isSame && i < old.length && (j >= now.length || at(i + 1, j) >= at(i, j + 1));
    const text = (isSame || isRemoved ? old[i] : now[j]) ?? "";
    changes.push({ as: isSame ? "same" : isRemoved ? "removed" : "added", text });
    if (isSame || isRemoved) i += 1;
    if (isSame || !isRemoved) j += 1;
  }
  return changes;
}
