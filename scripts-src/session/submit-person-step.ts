import type { Clock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";
import { personName } from "../protocol/person-step.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import { closeSession, personSubmission } from "./close-session.ts";
import { openSession } from "./open.ts";
import { appendAside } from "./person-log.ts";
import type { Place } from "./place.ts";
import { type Session, standingOf } from "./session.ts";
import { submit } from "./submit.ts";

/**
 * What the person does in a session. `key` is made once for a click or a try, so that the same one,
 * come twice, acts once; what says the same as stands already is known without one.
 */
export type StepIn = { readonly key?: string } & (
  | { readonly verb: "say"; readonly text: string; readonly to?: string }
  | { readonly verb: "answer"; readonly text: string }
  | { readonly verb: "decide"; readonly text: string }
  | { readonly verb: "judge"; readonly says: string; readonly because?: string }
  | { readonly verb: "pause"; readonly because?: string }
  | { readonly verb: "resume" }
  | { readonly verb: "end"; readonly reason: string }
);

/** What became of it. */
export interface SteppedIn {
  readonly place: Place;
  /** Of the event in the log that holds it; see `isAside`. */
  readonly seq: number;
  /** It stood there before: nothing was written. */
  readonly repeated: boolean;
  /** The event is in the person's own log beside the session's. */
  readonly isAside: boolean;
  /** The session after it. */
  readonly standing: SessionStatus & { readonly id: string };
}

/**
 * Stores what the person does: the only way, of every script and page. Its caller has seen that
 * no agent does.
 * @throws ConsultaError REFUSED with the reason, when nothing is written; UNAVAILABLE when the disk
 * refuses: the same step again, with its key, is safe.
 */
export async function stepIn(place: Place, step: StepIn, clock: Clock): Promise<SteppedIn> {
  if (step.verb === "end") {
    const closed = await closeSession(place, personName, step.reason, clock);
    return resultOf(closed.session, closed.seq, closed.repeated, false);
  }
  // A step is for the session as all machines have it; where they cannot be reached it is not stored.
  const session = await openSession(place, { fetch: "must", changes: "enter" });
  const submission = { ...personSubmission(clock), fields: fieldsOf(step) };
  const isAside = !session.kind.takesPersonSteps && isStep(step);
  if (isAside) {
    const appended = await appendAside(session, submission);
    return resultOf(appended.session, appended.seq, appended.repeated, true);
  }
  const { session: after, seq, repeated } = await submit(session, submission);
  return resultOf(after, seq, repeated, false);
}

function isStep({ verb }: StepIn): boolean {
  return verb === "say" || verb === "pause" || verb === "resume";
}

function fieldsOf(step: StepIn): JsonObject {
  const key = defined({ key: step.key });
  switch (step.verb) {
    case "say":
      return { step: "say", text: step.text, ...defined({ to: step.to }), ...key };
    case "pause":
      return { step: "pause", ...defined({ text: step.because }), ...key };
    case "resume":
      return { step: "resume", ...key };
    case "answer":
      return { answer: step.text, ...key };
    case "decide":
      return { decision: step.text, ...key };
    case "judge":
      return { verdict: step.says, ...defined({ because: step.because }), ...key };
    case "end":
      return {};
  }
}

function resultOf(session: Session, seq: number, repeated: boolean, isAside: boolean): SteppedIn {
  return { place: session.place, seq, repeated, isAside, standing: standingOf(session) };
}
