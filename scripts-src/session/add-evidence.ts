import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import type { EvidenceProcess, EvidenceRecord } from "../protocol/evidence.ts";
import type { Session } from "./session.ts";
import { type Submitted, submit } from "./submit.ts";

/** Enters a record for a participant. It changes no turn, and no other event depends on it. */
export function addEvidence(
  session: Session,
  participant: string,
  record: EvidenceRecord,
  clock: Clock,
): Promise<Submitted> {
  const evidence = JSON.parse(JSON.stringify(record));
  const by = { participant, origin: "script" as const };
  return submit(session, { ...by, fields: { evidence }, at: clock.now(), id: clock.newId() });
}

/**
 * Enters what the script saw for the new claims of a message that is stored. The message stands whatever
 * becomes of its records: the same command again, or `check --claim`, makes them.
 */
export async function addClaimEvidence(
  message: Submitted,
  participant: string,
  clock: Clock,
): Promise<Submitted> {
  let { session } = message;
  const remarks = [...message.remarks];
  for (const { claim, record } of message.evidence) {
    if (typeof claim !== "number") continue;
    const id = `C${message.seq}.${claim + 1}`;
    if (isLookedAt(session, id, participant)) continue;
    try {
      ({ session } = await addEvidence(session, participant, { ...record, claim: id }, clock));
    } catch (cause) {
      if (!(cause instanceof ConsultaError)) throw cause;
      remarks.push(`what was seen for ${id} is not stored; check --claim ${id}: ${cause.message}`);
    }
  }
  return { ...message, session, remarks };
}

function isLookedAt({ kind, state }: Session, id: string, participant: string): boolean {
  const claim = kind.claims?.(state)?.find((it) => it.id === id);
  return claim?.lookedAtBy.includes(participant) === true;
}

/** What an event is made for, where its author's CLI does not run the script. */
export interface MadeFor {
  readonly cli?: EvidenceProcess | undefined;
}
