import { isStringArray } from "../base/json.ts";
import type { LogEvent } from "../log/event.ts";
import { personName } from "../protocol/person-step.ts";
import type { Happening } from "./kind-page.ts";
import type { PersonItem, PersonModel } from "./page/model.ts";
import type { StoryPoint } from "./session-timeline.ts";

/** What the person can do in a session now, and what it waits for from them. */
export function personModel({ machine }: StoryPoint): PersonModel {
  const { ended, needsPerson, paused } = machine.standing();
  const isOpen = !ended;
  return {
    maySay: isOpen,
    mayPause: isOpen,
    mayEnd: isOpen && machine.closing(personName, "-") !== undefined,
    wanted: needsPerson && {
      wants: needsPerson.wants,
      text: needsPerson.text,
      since: needsPerson.since,
    },
    pause: paused && { notYet: paused.stillBusy, at: paused.at, because: paused.because },
  };
}

/** What the person said and did beside a log that cannot hold it, each after the event that it followed. */
export function asideHappenings({ aside }: StoryPoint): Happening[] {
  return aside.flatMap((step): Happening[] => {
    const { seq, at, event, from: by, to, text, because, after } = step;
    if (by !== personName) return [];
    const said = [text, because].find((it) => typeof it === "string") ?? "";
    const whom = Array.isArray(to) ? to.join(", ") : "";
    // Between two events of the session's log, in the order of its own.
    const place = Number(after ?? 0) + seq / 100_000;
    const item = {
      as: "person",
      seq: place,
      at,
      what: event,
      to: whom,
      text: String(said),
      seenBy: seenBy(step, aside),
    } as const;
    return [{ seq: place, at, by, moment: personMoment(event), item: () => item }];
  });
}

/** Before whom a step of the person was put, by the notes of it; all whom it is for, and who was told of a pause. */
export function seenBy(step: LogEvent, events: readonly LogEvent[]): PersonItem["seenBy"] {
  const notes = events.filter(
    ({ event, from, words }) =>
      event === "heard" && from !== personName && Array.isArray(words) && words.includes(step.seq),
  );
  const told = notes.map(({ from: name, at }) => ({ name, at }));
  const to = isStringArray(step["to"]) ? step["to"] : [];
  const ahead = to.filter((name) => !told.some((it) => it.name === name));
  return [...told, ...ahead.map((name) => ({ name, at: "" }))];
}

/** What the person did, as the scrubber tells it. */
export function personMoment(event: string): Happening["moment"] {
  return { what: "person", text: `you: ${event.replaceAll("_", " ")}` };
}
