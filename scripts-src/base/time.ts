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

const dayMs = 86_400_000;

/**
 * A date and a time with its offset, in extended or basic form, with any sign between them: what
 * people and the originals write into logs. A group of the date's dashes and one of the time's colons.
 */
const form =
  /^(\d{4})(-?)(\d\d)\2(\d\d).([01]\d|2[0-3])(?:(:?)([0-5]\d)(?:\6([0-5]\d)(?:[.,](\d+))?)?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d)(?::?([0-5]\d))?)?)$/su;

/** UTC as all scripts write it, with at most nine digits of a second: no more than the form, not that it is a time. */
export function isUtcForm(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(text);
}

/** A `Date` has no more digits. */
const millisecondLength = "2026-04-22T14:35:00.123Z".length;

function instantOfUtc(text: string): number | undefined {
  const date = new Date(text);
  // It takes the 31st of June for the 1st of July, and hour 24 for the next day.
  const isThatDay = date.getUTCDate() === Number(text.slice(8, 10));
  const isThatHour = date.getUTCHours() === Number(text.slice(11, 13));
  return isThatDay && isThatHour && text >= "0001" ? date.getTime() : undefined;
}

/** Milliseconds since 1970, microseconds as fractions; undefined for what is no time with offset. */
export function instantOf(text: string): number | undefined {
  // A start seldom meets another form, and takes long to compile `form`.
  if (text.length <= millisecondLength && isUtcForm(text)) return instantOfUtc(text);
  const found = form.exec(text);
  if (found === null) return undefined;
  const [, year, , month, day, hour, , minute = "0", second = "0", fraction = ""] = found;
  const [sign, hours = "0", minutes = "0", seconds = "0"] = found.slice(10);
  const start = dayStart(Number(year), Number(month), Number(day));
  if (start === undefined) return undefined;
  const offset = inSeconds(hours, minutes, seconds);
  const inDay = inSeconds(hour, minute, second) - (sign === "-" ? -offset : offset);
  const micros = Number(fraction.slice(0, 6).padEnd(6, "0"));
  return start + inDay * 1_000 + micros / 1_000;
}

function inSeconds(hours = "0", minutes: string, seconds: string): number {
  return (60 * Number(hours) + Number(minutes)) * 60 + Number(seconds);
}

/** When a day begins; undefined for a date that the calendar lacks. */
function dayStart(year: number, month: number, day: number): number | undefined {
  if (year < 1 || month < 1 || month > 12 || day < 1) return undefined;
  // `Date.UTC` takes years below 100 for others; the calendar is the same every 400 years.
  const first = Date.UTC(year + 400, month - 1) - 146_097 * dayMs;
  const next = Date.UTC(year + 400, month) - 146_097 * dayMs;
  const start = first + (day - 1) * dayMs;
  return start < next ? start : undefined;
}
