import { parse } from "chrono-node/en";

/** What vendors write before the time at which a quota is renewed. */
const announced = /\b(?:resets?|renew(?:s|ed)|retry|try again)\b([^\n]{0,160})/gi;
/** A zone in brackets behind the time, as the IANA names it. */
const namedZone = /\(((?:UTC|GMT)|[A-Z][A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+)\)/;

/** What programs write: seconds from then, and a time in seconds since 1970. */
const secondsFromThen = /\bretry.after\W{1,4}(\d{1,7})(?!\s*[\w:])/i;
const epoch = /\b(?:resets?\w*|retry.after|limit reached)\W{1,4}(1\d{9})(?:\d{3})?\b/i;

const minuteMs = 60_000;
const dayMs = 86_400_000;
const staleMs = 10 * minuteMs;

/**
 * When a vendor's CLI says that its quota is renewed (`resets 11pm (UTC)`, `try again in 2 days 3 hours`);
 * undefined where it names no time. `now` is when it said so; times without a zone are this machine's.
 */
export function quotaRenewal(said: string, now: Date): Date | undefined {
  const [, seconds] = secondsFromThen.exec(said) ?? [];
  if (seconds !== undefined) return new Date(now.getTime() + Number(seconds) * 1_000);
  const [, at] = epoch.exec(said) ?? [];
  if (at !== undefined) return new Date(Number(at) * 1_000);
  for (const [, told = ""] of said.matchAll(announced)) {
    const zone = namedZone.exec(told)?.[1];
    const timezone = zone === undefined ? -now.getTimezoneOffset() : minutesAhead(zone, now);
    if (timezone === undefined) continue;
    const text = told.replace(namedZone, "");
    const [found] = parse(text, { instant: now, timezone }, { forwardDate: true });
    // How often is no time.
    if (found === undefined || /\bevery\b/.test(text)) continue;
    const at = found.date();
    const { start } = found;
    if (start.isCertain("year") || start.isCertain("weekday")) return at;
    // What is said without its day, or its year, may have been shortly before.
    const before = new Date(at);
    if (start.isCertain("day")) before.setFullYear(at.getFullYear() - 1);
    else before.setTime(at.getTime() - dayMs);
    return now.getTime() - before.getTime() < staleMs ? before : at;
  }
  return undefined;
}

/** How far a zone is ahead of UTC at a time; undefined where this system knows no such zone. */
function minutesAhead(timeZone: string, now: Date): number | undefined {
  try {
    // As 11/28/2026, 18:15:00: read back as if it were UTC.
    const there = now.toLocaleString("en-US", { timeZone, hourCycle: "h23" });
    return Math.round((Date.parse(`${there} UTC`) - now.getTime()) / minuteMs);
  } catch {
    return undefined;
  }
}
