import type { JsonObject } from "../core/json.ts";
import { attend } from "./attend.ts";
import { mailFor } from "./deliver.ts";
import type { Clock } from "./foreign-mail.ts";
import { take } from "./mailbox.ts";
import type { Place } from "./place.ts";
import { type Submitted, submit } from "./submit.ts";

/**
 * Appends an event as a participant submitted it: completes, judges and stores it, and writes what
 * follows from it; in a dialogue, takes the mail that it answers. The same message again is
 * recognised and not sent twice.
 * @throws ConsultaError REFUSED with the reason and the way out; nothing was written.
 */
export async function appendEvent(
  place: Place,
  participant: string,
  fields: JsonObject,
  clock: Clock,
): Promise<Submitted> {
  const { session } = await attend(place, participant, clock);
  const by = { participant, origin: "script" as const };
  const submission = { ...by, fields, at: clock.now(), id: clock.newId() };
  const submitted = await submit(session, submission);
  const [before, after] = [submitted.before, submitted.session].map((it) =>
    mailFor(it, participant).map(({ file }) => file),
  );
  const answered = before?.filter((file) => !after?.includes(file)) ?? [];
  if (place.workspace !== undefined && answered.length > 0)
    take(place.workspace, participant, answered);
  return submitted;
}
