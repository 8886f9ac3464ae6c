import assert from "node:assert/strict";
import type { Mind, Seen, Step } from "./scripted-model.ts";
import { asksToBegin } from "./talk.ts";
import { printedIn, type Voice } from "./voices.ts";

/** What a model of an open window does; whatever it reads, it acts by what the scripts print. */
export interface Part {
  /** The line to run when the user asks for a consultation. */
  readonly begin?: string;
  readonly voice: Voice;
  /** What it does between reading its turn and taking it. */
  readonly onTurn?: (seen: Seen) => readonly Step[];
}

/**
 * A model that keeps no list of its own: it runs the line that a hook points to, takes a turn by what
 * was printed, ends its own turn after a message, and answers whatever else the user types.
 */
export function follows(part: Part): Mind {
  const planned: Step[] = [];
  return (seen) => {
    if (!seen.called) planned.length = 0;
    if (planned.length === 0) planned.push(...(seen.called ? next(part, seen) : start(part, seen)));
    const step = planned.shift();
    assert(step);
    return step;
  };
}

/** What the user types comes first, whatever hooks say beside it. */
function start({ begin }: Part, seen: Seen): Step[] {
  // What an earlier session was asked is told as a quotation: nobody asks for it now.
  const since = seen.since.replace(/\[brain (\w+): [\s\S]*?\[brain \1: end\]/g, "");
  if (begin !== undefined && since.includes(asksToBegin)) return [{ run: begin }];
  const asked = /Unrelated: [^\n<]*/.exec(since)?.[0];
  if (asked !== undefined) return [{ say: `You asked: ${asked}` }];
  const pointed = /node \S*(?:next-action|report)\.cjs[^\n<&`]*/.exec(since)?.[0];
  return [pointed === undefined ? { say: "There is nothing to do." } : { run: pointed }];
}

function next(part: Part, seen: Seen): Step[] {
  const { latest } = seen;
  if (/session \S+: YOUR TURN/.test(latest))
    return [...(part.onTurn?.(seen) ?? []), ...turn(part, latest)];
  if (/^\*\*(?:CONSENSUS|RECOMMENDATION|ESCALATED)/m.test(latest)) return [{ say: latest }];
  if (/appended seq \d+: \w+\s+phase: consensus|^session \S+: ENDED/m.test(latest)) {
    const report = /node \S*report\.cjs.*/.exec(latest)?.[0];
    assert(report, `no line for the report in:\n${latest}`);
    return [{ run: report }];
  }
  if (/appended seq \d+/.test(latest)) return [{ say: "I sent it and wait." }];
  if (/session \S+: .*TURN|waiting for/.test(latest)) return [{ say: "It is not my turn." }];
  const line = /next:.*\n(node .*)/.exec(latest)?.[1];
  assert(line, `nothing to run in:\n${latest}`);
  return [{ run: line }];
}

/** Writes what was drafted, filled in, and runs the line below it. */
function turn({ voice }: Part, text: string): Step[] {
  const { draft, file, command, accepts } = printedIn(text);
  return [{ write: file, text: JSON.stringify(voice(draft, accepts)) }, { run: command }];
}
