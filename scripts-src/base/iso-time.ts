/**
 * Reads the times that stand in events. The original reads them as Python 3.11 does: extended and
 * basic form, week dates, any separator, fractions, and an offset, which must be there.
 */

const dayMs = 86_400_000;

/** Milliseconds since 1970, microseconds as fractions; undefined for what is no time with offset. */
export function instantOf(text: string): number | undefined {
  return usualInstant(text) ?? instantInAnyForm(text);
}

/** The form that ours have, read in one step; undefined for every other. */
function usualInstant(text: string): number | undefined {
  const [, year, month, day, hours, minutes, seconds, fraction = "0"] =
    /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{3}))?Z$/.exec(
      text,
    ) ?? [];
  if (year === undefined) return undefined;
  const days = civilDays(Number(year), Number(month), Number(day));
  if (days === undefined) return undefined;
  const inDay = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return days * dayMs + inDay * 1_000 + Number(fraction);
}

function instantInAnyForm(text: string): number | undefined {
  const length = dateLength(text);
  const days = daysOf(text.slice(0, length));
  const separator = String.fromCodePoint(text.codePointAt(length) ?? 0);
  const [, clock = "", offset = ""] =
    /^([0-9:.,]+)(Z|[+-][0-9:.,]+)$/.exec(text.slice(length + separator.length)) ?? [];
  const [time, shift] = [microsecondsOf(clock), offsetOf(offset)];
  if (days === undefined || time === undefined || shift === undefined) return undefined;
  const micros = time - shift;
  const wholeMs = Math.floor(micros / 1_000);
  return days * dayMs + wholeMs + (micros - wholeMs * 1_000) / 1_000;
}

/** Where the date ends; a week date may be told from its time only by what follows. */
function dateLength(text: string): number {
  const isDigit = (at: number) => /^[0-9]$/.test(text[at] ?? "");
  if (text[4] === "-") {
    if (text[5] !== "W" || (text[8] === "-" && !isDigit(10))) return 10;
    return 8;
  }
  if (text[4] !== "W") return 8;
  let end = 7;
  while (isDigit(end)) end += 1;
  if (end < 9) return end;
  return end % 2 === 0 ? 7 : 8;
}

function daysOf(date: string): number | undefined {
  const [, year, month, day] =
    /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(date) ??
    /^([0-9]{4})([0-9]{2})([0-9]{2})$/.exec(date) ??
    [];
  if (year !== undefined) return civilDays(Number(year), Number(month), Number(day));
  const [, weekYear, week, weekday = "1"] =
    /^([0-9]{4})-W([0-9]{2})(?:-([0-9]))?$/.exec(date) ??
    /^([0-9]{4})W([0-9]{2})([0-9])?$/.exec(date) ??
    [];
  if (weekYear === undefined) return undefined;
  return weekDays(Number(weekYear), Number(week), Number(weekday));
}

/** Days since 1970-01-01; undefined for a date that the calendar lacks. */
function civilDays(year: number, month: number, day: number): number | undefined {
  if (year < 1 || month < 1 || month > 12 || day < 1) return undefined;
  const first = monthStart(year, month);
  const next = month === 12 ? monthStart(year + 1, 1) : monthStart(year, month + 1);
  return first + day > next ? undefined : first + day - 1;
}

const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const;

function monthStart(year: number, month: number): number {
  const before = year - 1;
  const leaps = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const leapDay = isLeap && month > 2 ? 1 : 0;
  // 719162 days lie between 0001-01-01 and 1970-01-01.
  return before * 365 + leaps + (daysBefore[month - 1] ?? 0) + leapDay - 719_162;
}

/** The first week of a year is the one with its first Thursday. */
function weekDays(year: number, week: number, weekday: number): number | undefined {
  if (year < 1 || week < 1 || weekday < 1 || weekday > 7) return undefined;
  const [start, end] = [weekOne(year), weekOne(year + 1)];
  const day = start + (week - 1) * 7 + weekday - 1;
  const isInWeeks = start + week * 7 <= end;
  return isInWeeks && day >= monthStart(1, 1) && day < monthStart(10_000, 1) ? day : undefined;
}

function weekOne(year: number): number {
  const first = monthStart(year, 1);
  // 1970-01-01 was a Thursday: 0 is Monday here.
  const weekday = (((first + 3) % 7) + 7) % 7;
  return weekday <= 3 ? first - weekday : first + 7 - weekday;
}

/** Microseconds of `hh[:mm[:ss[.f]]]` or `hhmmss`; what is finer is cut off. */
function microsecondsOf(clock: string): number | undefined {
  const [, hour, minute = "0", second = "0", fraction = ""] =
    /^([0-9]{2})(?::([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?)?$/.exec(clock) ??
    /^([0-9]{2})(?:([0-9]{2})(?:([0-9]{2})(?:[.,]([0-9]+))?)?)?$/.exec(clock) ??
    [];
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)];
  if (hour === undefined || hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const micros = Number(fraction.slice(0, 6).padEnd(6, "0"));
  return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros;
}

function offsetOf(offset: string): number | undefined {
  if (offset === "Z") return 0;
  const size = microsecondsOf(offset.slice(1));
  return size === undefined ? undefined : offset.startsWith("-") ? -size : size;
}
