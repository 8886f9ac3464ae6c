/** Milliseconds since 1970 of an ISO-8601 time; NaN when it is none. Pure: no clock is read. */
export function millisecondsOf(isoTime: string): number {
  // biome-ignore lint/style/noRestrictedGlobals: parsing a given time reads no clock.
  return Date.parse(isoTime);
}

/** `2026-04-22T14:35:00Z`: UTC, whole seconds. */
export function isoSecond(milliseconds: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: formatting a given time reads no clock.
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** `2026-04-22T14:35:00.123Z`: UTC, milliseconds. */
export function isoMillisecond(milliseconds: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: formatting a given time reads no clock.
  return new Date(milliseconds).toISOString();
}

/** `20260422T143500Z`: the form that file names carry (seed 000). */
export function fileStamp(isoTime: string): string {
  return isoTime.replace(/[-:]/g, "").replace(/\.\d+/, "");
}

/** `at`, or `last` where a clock behind the log would make time run backward; both ISO in UTC. */
export function notBefore(last: string, at: string): string {
  return at < last ? last : at;
}
