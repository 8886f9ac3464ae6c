/**
 * A unified diff of one replaced block, with lines of context: enough for texts that differ in one
 * place. Empty when nothing differs.
 */
export function lineDiff(path: string, before: string, after: string, around = 3): string {
  if (before === after) return "";
  const old = linesOf(before);
  const now = linesOf(after);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  ) {
    tail += 1;
  }
  const from = Math.max(0, head - around);
  const context = old.slice(from, head);
  const rest = old.slice(old.length - tail, old.length - tail + around);
  const removed = old.slice(head, old.length - tail);
  const added = now.slice(head, now.length - tail);
  const count = (changed: string[]) => context.length + changed.length + rest.length;
  return [
    `--- ${before === "" ? "/dev/null" : `a/${path}`}`,
    `+++ b/${path}`,
    `@@ -${range(from, count(removed))} +${range(from, count(added))} @@`,
    ...context.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...rest.map((line) => ` ${line}`),
    "",
  ].join("\n");
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function range(from: number, count: number): string {
  return `${count === 0 ? from : from + 1},${count}`;
}
