import { durationText, millisecondsOf } from "../../base/time.ts";
import { oneLine } from "../../base/visible-text.ts";

/** Where and when a component is shown. */
export interface Shown {
  /** Milliseconds since 1970; undefined in a file, which is read at any time. */
  readonly now: number | undefined;
  /** The participants in their order: each has its colour by it. */
  readonly names: readonly string[];
  /** Whether any machine that shares the session may have written what it has as the user's. */
  readonly isUnproven?: boolean;
  /** So many of a long list are drawn, the first of it; all where it is not said. */
  readonly drawnMax?: number | undefined;
}

/** Whose the user's words are. */
export function userLabel({ isUnproven }: Shown): string {
  return isUnproven === true ? "As the user" : "You";
}

/** `3 min ago`, or the time where nobody knows what now is. */
export function since(at: string, { now }: Pick<Shown, "now">): string {
  const then = millisecondsOf(at);
  if (Number.isNaN(then)) return "";
  if (now === undefined) return timeText(at);
  const seconds = Math.max(0, (now - then) / 1_000);
  return seconds < 5
    ? "just now"
    : `${durationText(seconds < 10 ? Math.round(seconds) : seconds)} ago`;
}

/** `for 3 min`, or since when where nobody knows what now is. */
export function lasting(at: string, { now }: Pick<Shown, "now">): string {
  const then = millisecondsOf(at);
  if (Number.isNaN(then)) return "";
  if (now === undefined) return `since ${timeText(at)}`;
  return `for ${durationText(Math.max(0, Math.round((now - then) / 1_000)))}`;
}

/** `in 3 min`, `3 min ago`; "" where nobody knows what now is. */
export function until(at: string, { now }: Pick<Shown, "now">): string {
  const seconds = (millisecondsOf(at) - (now ?? Number.NaN)) / 1_000;
  if (Number.isNaN(seconds)) return "";
  const text = durationText(Math.round(Math.abs(seconds)));
  return seconds > 0 ? `in ${text}` : `passed ${text} ago`;
}

/** `2026-04-22 14:35:07`: as logs have it, in UTC. */
export function timeText(at: string): string {
  return Number.isNaN(millisecondsOf(at)) ? "" : `${at.slice(0, 10)} ${at.slice(11, 19)}`;
}

/** The colour of a participant: one of six, by its place. */
export function colourOf(name: string, names: readonly string[]): string {
  const place = names.indexOf(name);
  return place < 0 ? "who-none" : `who-${place % 6}`;
}

export function phaseText(phase: string): string {
  return phase.replaceAll("_", " ");
}

/** What a message of a type does, as a verb of its sender. */
const deeds: Readonly<Record<string, string>> = {
  REQUEST: "asks",
  RESPONSE: "answers",
  EVALUATE: "evaluates",
  COUNTER_PROPOSE: "proposes otherwise",
  CLARIFY: "asks back",
  AGREE: "agrees",
  CONSENSUS: "closes with",
  ESCALATE: "escalates",
  TASK_ASSIGN: "gives a task",
  TASK_RESULT: "brings a result",
};

export function deedText(type: string): string {
  return deeds[type] ?? oneLine(type);
}
