import type { Told } from "./live-story.ts";
import type { Item, PersonModel } from "./page/model.ts";

/** What the person can do in a session now, and what it waits for from them. */
export function personModel({ machine }: Told): PersonModel {
  const { ended, needsPerson, paused } = machine.standing();
  const isOpen = !ended;
  return {
    maySay: isOpen,
    mayPause: isOpen,
    mayEnd: isOpen && machine.closing("user", "-") !== undefined,
    wanted: needsPerson && { wants: needsPerson.wants, text: needsPerson.text },
    pause: paused && { at: paused.at, notYet: paused.stillBusy },
  };
}

/** What the person said and did beside a log that cannot hold it, each after the event that it followed. */
export function asideItems({ aside }: Told): Item[] {
  return aside.flatMap(({ seq, at, event, from, to, text, because, after }): Item[] => {
    if (from !== "user") return [];
    const said = [text, because].find((it) => typeof it === "string") ?? "";
    const whom = Array.isArray(to) ? to.join(", ") : "";
    // Between two events of the session's log, in the order of its own.
    const place = Number(after ?? 0) + seq / 100_000;
    return [{ as: "person", seq: place, at, what: event, to: whom, text: String(said) }];
  });
}
