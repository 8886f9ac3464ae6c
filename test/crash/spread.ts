/** So many, evenly spread over all; all of them where there are no more. */
export function spread<T>(all: readonly T[], count: number): T[] {
  if (all.length <= count) return [...all];
  return Array.from({ length: count }, (_, index) =>
    all.at(Math.floor((index * all.length) / count)),
  ).filter((it) => it !== undefined);
}

/** Of the points of a sweep all, or the CONSULTA_CRASH_POINTS of a bounded run. */
export function pointsToTry<T>(all: readonly T[]): T[] {
  return spread(all, Number(process.env["CONSULTA_CRASH_POINTS"] ?? Number.POSITIVE_INFINITY));
}
