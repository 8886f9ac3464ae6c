/** So many random plays; CONSULTA_RANDOM times as many where there is the time, as in `.ci/all`. */
export function randomRuns(count: number): number {
  return count * Number(process.env["CONSULTA_RANDOM"] ?? 1);
}
