import { limits } from "../base/limits.ts";

/** One line for each of the first points, and one for all others together. */
export function listFirst<Point>(
  points: readonly Point[],
  lineOf: (point: Point) => string,
  moreOf: (rest: readonly Point[]) => string,
): string[] {
  const rest = points.slice(limits.pointsShown);
  const lines = points.slice(0, limits.pointsShown).map(lineOf);
  return rest.length === 0 ? lines : [...lines, moreOf(rest)];
}

/** Ids in few words: `Q2.1 to Q2.200, Q4.1`; their words are in the messages of these numbers. */
export function idsShort(points: readonly { id: string }[]): string {
  const runs: { first: string; last: string }[] = [];
  for (const { id } of points) {
    const run = runs.at(-1);
    if (run !== undefined && id === idAfter(run.last)) run.last = id;
    else runs.push({ first: id, last: id });
  }
  return runs.map(({ first, last }) => (first === last ? first : `${first} to ${last}`)).join(", ");
}

/** `Q2.13` is the 13th question of message 2. */
function idAfter(id: string): string {
  const dot = id.lastIndexOf(".");
  return `${id.slice(0, dot + 1)}${Number(id.slice(dot + 1)) + 1}`;
}
