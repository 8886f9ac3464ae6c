import { durationText, millisecondsOf } from "../../base/time.ts";

/** `3 min ago`, or the time where nobody knows what now is. */
export function since(at: string, now: number | undefined): string {
  const then = millisecondsOf(at);
  if (Number.isNaN(then)) return "";
  if (now === undefined) return timeText(at);
  const seconds = Math.max(0, (now - then) / 1_000);
  return seconds < 5 ? "just now" : `${durationText(Math.round(seconds))} ago`;
}

/** `for 3 min`, or since when where nobody knows what now is. */
export function lasting(at: string, now: number | undefined): string {
  const then = millisecondsOf(at);
  if (Number.isNaN(then)) return "";
  if (now === undefined) return `since ${timeText(at)}`;
  return `for ${durationText(Math.max(0, Math.round((now - then) / 1_000)))}`;
}

/** `in 3 min`, `passed 3 min ago`; "" where nobody knows what now is. */
export function until(at: string, now: number | undefined): string {
  const seconds = (millisecondsOf(at) - (now ?? Number.NaN)) / 1_000;
  if (Number.isNaN(seconds)) return "";
  const text = durationText(Math.round(Math.abs(seconds)));
  return seconds > 0 ? `in ${text}` : `passed ${text} ago`;
}

/** `2026-04-22 14:35:07`: as logs have it, in UTC. */
export function timeText(at: string): string {
  return Number.isNaN(millisecondsOf(at)) ? "" : `${at.slice(0, 10)} ${at.slice(11, 19)}`;
}

export function phaseText(phase: string): string {
  return phase.replaceAll("_", " ");
}
