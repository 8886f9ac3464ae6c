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
