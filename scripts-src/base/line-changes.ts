/** A line of two versions of a text. */
export interface LineChange {
  readonly as: "same" | "added" | "removed";
  readonly text: string;
}

/** What is compared line by line: a larger block between two equal ends counts as replaced. */
const cellsMax = 1_000_000;

/** How one text became another: a longest common part stays, the rest was removed or added. */
export function lineChanges(before: string, after: string): LineChange[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
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
