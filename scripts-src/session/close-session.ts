import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { singleLine } from "../base/visible-text.ts";
import { personName } from "../protocol/person-step.ts";
import { openSession } from "./open.ts";
import { appendAside } from "./person-log.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";
import { standingOf } from "./session.ts";
import { type Submitted, submit } from "./submit.ts";

/**
 * Ends a session that nobody goes on with, without a result: a dialogue is closed, a collaboration
 * blocked. `by` is its initiator, or `personName`.
 * @throws ConsultaError REFUSED for anybody else, an empty reason, a session that has ended, or a board.
 */
export async function closeSession(
  place: Place,
  by: string,
  given: string,
  clock: Clock,
): Promise<Submitted> {
  const reason = singleLine(given).trim();
  if (reason === "" || reason.length > limits.topicCharacters) {
    throw new ConsultaError(
      "REFUSED",
      `the reason has ${reason.length} characters, expected 1 to ${limits.topicCharacters}: say why the session ends`,
    );
  }
  const session = await openSession(place, { fetch: "must", changes: "enter" });
  const { initiator } = standingOf(session);
  const closing = session.kind.closing?.(session.state, by, reason);
  if (closing === undefined) {
    throw new ConsultaError(
      "REFUSED",
      `${place.id} is ${session.kind.traits.called}, which keeps nobody from opening another; remove its folder if you want it gone`,
    );
  }
  if (by !== personName && by !== initiator) {
    throw new ConsultaError(
      "REFUSED",
      `${by} did not open session ${place.id}: only ${initiator} or the user can close it; ` +
        "send ESCALATE (in a collaboration: blocked) to hand it to the user",
    );
  }
  const own = by === personName ? ({ byPerson: true } as const) : {};
  const closed = await submit(session, { ...closing, ...own, at: clock.now(), id: clock.newId() });
  if (by !== personName || session.kind.takesPersonSteps) return closed;
  return { ...closed, session: await noteEnded(closed, clock) };
}

/** In a log that others write as well nothing shows that it was the person who ended it. */
async function noteEnded({ session, seq }: Submitted, clock: Clock): Promise<Session> {
  const submission = { ...personSubmission(clock), fields: { step: "end", closing: seq } };
  try {
    return (await appendAside(session, submission)).session;
  } catch (cause) {
    // Where no log can be shown to be this user's, the session is not either, and calls nobody.
    if (cause instanceof ConsultaError && cause.code === "REFUSED") return session;
    throw cause;
  }
}

/** What all submissions of the person have. */
export function personSubmission(clock: Clock) {
  const by = { participant: personName, origin: "person", byPerson: true } as const;
  return { ...by, at: clock.now(), id: clock.newId() };
}
