import type { Clock } from "../base/clock.ts";
import { isStringArray } from "../base/json.ts";
import type { LogEvent } from "../log/event.ts";
import { personName } from "../protocol/person-step.ts";
import type { Item, Part, PersonItem } from "./page/model.ts";
import type { StoryPoint } from "./session-timeline.ts";

/** What the page shows of one kind of session beside what all kinds have. */
export interface KindPage {
  /** Returns what makes the item of an event; undefined for an event that is no item. Else each is a step. */
  itemsAt?(point: StoryPoint): (event: LogEvent) => Item | undefined;
  part(point: StoryPoint, clock: Clock): Promise<Part>;
}

/** A kind without a page of its own: who takes part, and what happened. */
export const plainPage: KindPage = { part: async () => ({ of: "plain" }) };

/** An event as its writer summed it up. */
export function stepItem({ seq, at, from: by, event, summary }: LogEvent): Item {
  return { as: "step", seq, at, by, what: event.replaceAll("_", " "), text: summary };
}

/** An event of the person: what they did is its name, what they said is its text. */
export function personItem(step: LogEvent, events: readonly LogEvent[]): PersonItem {
  const { seq, at, event, verdict, decision, answer, text, because } = step;
  const said = [verdict, decision, answer, text, because].filter((it) => typeof it === "string");
  const to = isStringArray(step["to"]) ? step["to"] : [];
  const notes = events.filter(
    ({ event: name, from, words }) =>
      name === "heard" && from !== personName && Array.isArray(words) && words.includes(seq),
  );
  const told = notes.map((note) => ({ name: note.from, at: note.at }));
  const ahead = to.filter((name) => !told.some((it) => it.name === name));
  return {
    ...{ as: "person", seq, at, by: personName, what: event.replaceAll("_", " ") },
    ...{ to: to.join(", "), text: said.join(": ") },
    seenBy: [...told, ...ahead.map((name) => ({ name, at: "" }))],
  };
}
