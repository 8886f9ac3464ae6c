import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { EvidenceProcess, EvidenceRecord } from "../protocol/evidence.ts";
import { mailFor } from "./inbox/deliver.ts";
import { claimMessages } from "./inbox/mailbox.ts";
import { openSession } from "./open.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";
import { type Submitted, submit } from "./submit.ts";

/** What an event is made for, where its author's CLI does not run the script. */
interface MadeFor {
  readonly cli?: EvidenceProcess | undefined;
}

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
  const opening = { fetch: "must", changes: "enter", participant, clock } as const;
  return appendTo(await openSession(place, opening), participant, fields, clock, made);
}

/** Like `appendEvent`, to a session that is open for the participant. */
export async function appendTo(
  opened: Session,
  participant: string,
  fields: JsonObject,
  clock: Clock,
  { cli }: MadeFor = {},
): Promise<Submitted> {
  const sent = await submit(opened, { participant, origin: "script", fields, cli }, clock);
  const { workspace } = opened.place;
  if (workspace !== undefined) {
    const left = new Set(mailFor(sent.session, participant).map(({ file }) => file));
    const before = mailFor(sent.before, participant).map(({ file }) => file);
    claimMessages(
      workspace,
      participant,
      before.filter((file) => !left.has(file)),
    );
  }
  return sent.evidence.length === 0 ? sent : addClaimEvidence(sent, participant, clock);
}

/** Enters a record for a participant. It changes no turn, and no other event depends on it. */
export function addEvidence(
  session: Session,
  participant: string,
  record: EvidenceRecord,
  clock: Clock,
): Promise<Submitted> {
  return submit(session, { participant, origin: "script", fields: { evidence: record } }, clock);
}

/**
 * Enters what the script saw for the new claims of a message that is stored. The message stands whatever
 * becomes of its records: the same command again, or `check --claim`, makes them.
 */
async function addClaimEvidence(
  message: Submitted,
  participant: string,
  clock: Clock,
): Promise<Submitted> {
  let { session } = message;
  const remarks = [...message.remarks];
  for (const { claim, record } of message.evidence) {
    if (typeof claim !== "number") continue;
    const id = `C${message.seq}.${claim + 1}`;
    const made = session.kind.claims?.(session.state)?.find((it) => it.id === id);
    if (made?.lookedAtBy.includes(participant) === true) continue;
    try {
      ({ session } = await addEvidence(session, participant, { ...record, claim: id }, clock));
    } catch (cause) {
      if (!(cause instanceof ConsultaError)) throw cause;
      remarks.push(`what was seen for ${id} is not stored; check --claim ${id}: ${cause.message}`);
    }
  }
  return { ...message, session, remarks };
}
