import type { Clock } from "../base/clock.ts";
import { refused } from "../base/errors.ts";
import type { AuditRecord, AuditSubject } from "../protocol/audit.ts";
import { openSession } from "./open.ts";
import { personSubmission } from "./person-steps.ts";
import type { Place } from "./place.ts";
import { readStory } from "./replay.ts";
import { type Submitted, submit } from "./submit.ts";

/**
 * What an auditor is to read of a session.
 * @throws ConsultaError REFUSED where nothing is decided, or the session is no dialogue.
 */
export async function auditable(place: Place): Promise<AuditSubject> {
  const session = await openSession(place, { fetch: "must" });
  const { kind, state } = session;
  const none = `${place.id} is ${kind.traits.called}: an audit reads what a dialogue has decided`;
  const subject = kind.auditSubject?.(state, (await readStory(session)).events) ?? none;
  if (typeof subject === "string") throw refused(subject);
  return subject;
}

/** Enters an audit that the person had made. */
export async function enterAudit(
  place: Place,
  record: AuditRecord,
  clock: Clock,
): Promise<Submitted> {
  const session = await openSession(place, { fetch: "must", changes: "enter" });
  // Without what is absent, as the log will have it.
  const audit = JSON.parse(JSON.stringify(record));
  return submit(session, { ...personSubmission(clock), fields: { audit } });
}
