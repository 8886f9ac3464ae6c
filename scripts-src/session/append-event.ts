import type { Clock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { addClaimEvidence, type MadeFor } from "./add-evidence.ts";
import { mailFor } from "./inbox/deliver.ts";
import { claimMessages } from "./inbox/mailbox.ts";
import { openSession } from "./open.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";
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
  made: MadeFor = {},
): Promise<Submitted> {
  const session = await openSession(place, {
    fetch: "must",
    changes: "enter",
    participant,
    clock,
  });
  return appendTo(session, participant, fields, clock, made);
}

/** Like `appendEvent`, to a session that is open for the participant. */
export async function appendTo(
  session: Session,
  participant: string,
  fields: JsonObject,
  clock: Clock,
  { cli }: MadeFor = {},
): Promise<Submitted> {
  const { workspace } = session.place;
  const by = { participant, origin: "script" as const };
  const submission = { ...by, fields, at: clock.now(), id: clock.newId(), cli };
  const sent = await submit(session, submission);
  const submitted =
    sent.evidence.length === 0 ? sent : await addClaimEvidence(sent, participant, clock);
  const [before, after] = [submitted.before, submitted.session].map((it) =>
    mailFor(it, participant).map(({ file }) => file),
  );
  const answered = before?.filter((file) => !after?.includes(file)) ?? [];
  if (workspace !== undefined && answered.length > 0)
    claimMessages(workspace, participant, answered);
  return submitted;
}
