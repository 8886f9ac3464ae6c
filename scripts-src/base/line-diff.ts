/**
 * A unified diff with one hunk, from the first line that differs to the last: good for texts that
 * differ in one place. Empty when nothing differs; `around` is the number of lines of context, `shown` what is
 * printed of a line.
 */
export function lineDiff(
  path: string,
  before: string,
  after: string,
  around = 3,
  shown = (line: string) => line,
): string {
  if (before === after) return "";
  const old = linesOf(before);
  const now = linesOf(after);
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const from = Math.max(0, head - around);
  const [oldEnd, nowEnd] = [old.length - tail, now.length - tail];
  const leading = old.slice(from, head);
  const removed = old.slice(head, oldEnd);
  const added = now.slice(head, nowEnd);
  const trailing = old.slice(oldEnd, oldEnd + around);
  const count = (changed: string[]) => leading.length + changed.length + trailing.length;
  return [
    `--- ${before === "" ? "/dev/null" : `a/${path}`}`,
    `+++ b/${path}`,
    `@@ -${range(from, count(removed))} +${range(from, count(added))} @@`,
    ...leading.map((line) => ` ${shown(line)}`),
    ...removed.map((line) => `-${shown(line)}`),
    ...added.map((line) => `+${shown(line)}`),
    ...trailing.map((line) => ` ${shown(line)}`),
    "",
  ].join("\n");
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** A side of the hunk: its first line, 1-based, and its length; an empty side names the line before it. */
function range(from: number, count: number): string {
  return `${count === 0 ? from : from + 1},${count}`;
}
