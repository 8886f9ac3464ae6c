import { plainWord } from "../../base/escape-untrusted-text.ts";
import { inline } from "../../base/json.ts";
import { isTime, unreadableTime } from "../../base/time.ts";
import type { PauseMark, PersonNeed } from "../../protocol/protocol.ts";

/** What people are told of a pause: by whom, an honest scope, and who has not reached it. */
export function pausedText({ at, because, held, stillBusy }: PauseMark, by = "you"): string {
  const why = because === "" ? "" : ` (${inline(because)})`;
  const next = held.filter((name) => !stillBusy.includes(name));
  const parts = [
    `paused by ${by} since ${minuteText(at)}${why}: no further turn is given`,
    ...(stillBusy.length === 0
      ? []
      : [`not at the pause yet, may end its turn: ${namesText(stillBusy)}`]),
    ...(next.length === 0 ? [] : [`waits for you to resume: ${namesText(next)}`]),
  ];
  return parts.join("; ");
}

/** `2026-04-22 14:35 UTC`: people read no milliseconds. */
function minuteText(at: string): string {
  return isTime(at) ? `${at.slice(0, 10)} ${at.slice(11, 16)} UTC` : unreadableTime;
}

/** What waits for the person, in one line; the words in it are a participant's. */
export function needText({ wants, text }: PersonNeed): string {
  const what = {
    answer: "waits for your answer",
    decision: "waits for your decision",
    "way out": "is blocked and waits for you",
  };
  return text === "" ? what[wants] : `${what[wants]}: ${inline(text)}`;
}

function namesText(names: readonly string[]): string {
  return names.map(plainWord).join(" and ");
}
