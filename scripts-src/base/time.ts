import { instantOf } from "./parse-offset-time.ts";

/**
 * Milliseconds since 1970 of an ISO-8601 time; NaN when it is none, or one that no calendar has, which
 * `Date.parse` takes for another day. Pure: no clock is read.
 */
export function millisecondsOf(isoTime: string): number {
  return instantOf(isoTime) ?? Number.NaN;
}

/** Whether a message may carry a time: after the last year of four digits nothing could follow it. */
export function isMessageTime(isoTime: string): boolean {
  return instantOf(isoTime) !== undefined && isoTime < "9999";
}

/** 9999-12-31T23:59:59Z: a year of five digits is written in another form. */
const lastMs = 253_402_300_799_000;

/** `2026-04-22T14:35:00Z`: UTC, whole seconds; the nearest that has this form. */
export function isoSecond(milliseconds: number): string {
  return `${isoTime(milliseconds).slice(0, 19)}Z`;
}

/**
 * `2026-04-22T14:35:00.123Z`; the nearest time that has this form. Not by `toISOString`, which looks
 * up the machine's time zone the first time, at every start.
 */
export function isoTime(milliseconds: number): string {
  if (Number.isNaN(milliseconds)) throw new RangeError("expected milliseconds, got NaN");
  const it = new Date(Math.min(Math.max(milliseconds, 0), lastMs + 999));
  const date = [digits(it.getUTCFullYear(), 4), it.getUTCMonth() + 1, it.getUTCDate()];
  const clock = [it.getUTCHours(), it.getUTCMinutes(), it.getUTCSeconds()];
  const [day, time] = [date, clock].map((parts) => parts.map((part) => digits(part, 2)));
  return `${day?.join("-")}T${time?.join(":")}.${digits(it.getUTCMilliseconds(), 3)}Z`;
}

function digits(value: number | string, count: number): string {
  return String(value).padStart(count, "0");
}

/** What is said of a stored time that nobody can read: others write logs as well. */
export const unreadableTime = "an unreadable time";

export function isTime(isoTime: string): boolean {
  return !Number.isNaN(millisecondsOf(isoTime));
}

/** `20260422T143500Z`: the form that file names carry (seed 000). */
export function fileStamp(isoTime: string): string {
  return isoTime.replace(/[-:]/g, "").replace(/\.\d+/, "");
}

/**
 * `at`, or `last` where a clock behind the log would make time run backward; both ISO in UTC. A
 * `last` that is no time holds nobody back.
 */
export function notBefore(last: string, at: string): string {
  return at < last && isTime(last) ? last : at;
}

/** The ISO time of the stamp that a message's file name carries, or undefined. */
export function stampIn(fileName: string): string | undefined {
  const found = /^.*-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-/.exec(fileName);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second] = found;
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  return isMessageTime(time) ? time : undefined;
}

/** A second of its own for every message of a session keeps file names unique and sorted. */
export function nextStamp(lastStamp: string, at: string): string {
  const after = isTime(lastStamp) ? millisecondsOf(lastStamp) + 1_000 : 0;
  return isoSecond(Math.max(millisecondsOf(at), after));
}

/** `0.4 s`, `40 s`, `12 min`, `3 h`, `2 days`. */
export function durationText(seconds: number): string {
  if (Number.isNaN(seconds)) return unreadableTime;
  if (seconds < 10) return `${Math.round(10 * seconds) / 10} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
