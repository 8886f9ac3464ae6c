import type { Clock } from "../base/clock.ts";
import { ConsultaError, refused } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { defined } from "../base/omit-undefined.ts";
import { singleLine } from "../base/visible-text.ts";
import { personName } from "../protocol/person-step.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import { openSession } from "./open.ts";
import { appendAside } from "./person-log.ts";
import type { Place } from "./place.ts";
import { type Session, standingOf } from "./session.ts";
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
    throw refused(
      `the reason has ${reason.length} characters, expected 1 to ${limits.topicCharacters}: say why the session ends`,
    );
  }
  const session = await openSession(place, { fetch: "must", changes: "enter" });
  const { initiator } = standingOf(session);
  const closing = session.kind.closing?.(session.state, by, reason);
  if (closing === undefined) {
    throw refused(
      `${place.id} is ${session.kind.traits.called}, which keeps nobody from opening another; remove its folder if you want it gone`,
    );
  }
  if (by !== personName && by !== initiator) {
    throw refused(
      `${by} did not open session ${place.id}: only ${initiator} or the user can close it; ` +
        "send ESCALATE (in a collaboration: blocked) to hand it to the user",
    );
  }
  const own = by === personName ? ({ byPerson: true } as const) : {};
  const closed = await submit(session, { ...closing, ...own }, clock);
  if (by !== personName || session.kind.takesPersonSteps) return closed;
  return { ...closed, session: await noteEnded(closed, clock) };
}

/** In a log that others write as well nothing shows that it was the person who ended it. */
async function noteEnded({ session, seq }: Submitted, clock: Clock): Promise<Session> {
  const submission = { ...asPerson, fields: { step: "end", closing: seq } };
  try {
    return (await appendAside(session, submission, clock)).session;
  } catch (cause) {
    // Where no log can be shown to be this user's, the session is not either, and calls nobody.
    if (cause instanceof ConsultaError && cause.code === "REFUSED") return session;
    throw cause;
  }
}

/** What all submissions of the person have. */
export const asPerson = { participant: personName, origin: "person", byPerson: true } as const;

/** What a person does in the page, or by `step-in`. */
export const verbs = ["say", "answer", "decide", "pause", "resume", "end"] as const;

/**
 * What the person does in a session: `text` is what they say, decide or judge, or why they pause or end it. `key` is
 * made once for a click or a try, so that the same one, come twice, acts once; what says the same as stands already is
 * known without one.
 */
export interface StepIn {
  readonly verb: (typeof verbs)[number] | "judge";
  readonly text?: string | undefined;
  readonly to?: string | undefined;
  readonly because?: string | undefined;
  readonly key?: string | undefined;
}

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
    const closed = await closeSession(place, personName, step.text ?? "", clock);
    return resultOf(closed.session, closed.seq, closed.repeated, false);
  }
  // A step is for the session as all machines have it; where they cannot be reached it is not stored.
  const session = await openSession(place, { fetch: "must", changes: "enter" });
  const submission = { ...asPerson, fields: fieldsOf(step) };
  const isAside = !session.kind.takesPersonSteps && isStep(step);
  if (isAside) {
    const appended = await appendAside(session, submission, clock);
    return resultOf(appended.session, appended.seq, appended.repeated, true);
  }
  const { session: after, seq, repeated } = await submit(session, submission, clock);
  return resultOf(after, seq, repeated, false);
}

function isStep({ verb }: StepIn): boolean {
  return verb === "say" || verb === "pause" || verb === "resume";
}

function fieldsOf({ verb, text, to, because, key }: StepIn): JsonObject {
  const fields: Record<StepIn["verb"], JsonObject> = {
    say: { step: verb, text, to },
    pause: { step: verb, text },
    resume: { step: verb },
    answer: { answer: text ?? "" },
    decide: { decision: text ?? "" },
    judge: { verdict: text, because },
    end: {},
  };
  return defined({ ...fields[verb], key });
}

function resultOf(session: Session, seq: number, repeated: boolean, isAside: boolean): SteppedIn {
  return { place: session.place, seq, repeated, isAside, standing: standingOf(session) };
}
