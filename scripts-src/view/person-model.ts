import { personName } from "../protocol/person-step.ts";
import type { Happening } from "./kind-page.ts";
import type { StoryPoint } from "./live-story.ts";
import type { PersonModel } from "./page/model.ts";

/** What the person can do in a session now, and what it waits for from them. */
export function personModel({ machine }: StoryPoint): PersonModel {
  const { ended, needsPerson, paused } = machine.standing();
  const isOpen = !ended;
  return {
    maySay: isOpen,
    mayPause: isOpen,
    mayEnd: isOpen && machine.closing(personName, "-") !== undefined,
    wanted: needsPerson && { wants: needsPerson.wants, text: needsPerson.text },
    pause: paused && { notYet: paused.stillBusy },
  };
}

/** What the person said and did beside a log that cannot hold it, each after the event that it followed. */
export function asideHappenings({ aside }: StoryPoint): Happening[] {
  return aside.flatMap(({ seq, at, event, from: by, to, text, because, after }): Happening[] => {
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
    } as const;
    return [{ seq: place, at, by, moment: personMoment(event), item: () => item }];
  });
}

/** What the person did, as the scrubber tells it. */
export function personMoment(event: string): Happening["moment"] {
  return { what: "person", text: `you: ${event.replaceAll("_", " ")}` };
}
