import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { LogEvent } from "../log/event.ts";
import type { Machine } from "../protocol/machine.ts";
import { personName } from "../protocol/person-step.ts";
import type { SessionStatus, Submission } from "../protocol/protocol.ts";
import { closeSession } from "./close-session.ts";
import { appendAside } from "./person-log.ts";
import type { Place } from "./place.ts";
import { loadSession, type Session, standingOf } from "./session.ts";
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
 * Stores what the person does: the only way, of every script and page. Whoever calls this has seen that
 * no agent does.
 * @throws ConsultaError REFUSED with the reason, when nothing is written; UNAVAILABLE when the disk
 * refuses: the same step again, with its key, is safe.
 */
export async function stepIn(place: Place, step: StepIn, clock: Clock): Promise<SteppedIn> {
  if (step.verb === "end") {
    const closed = await closeSession(place, personName, step.reason, clock);
    return resultOf(closed.session, closed.seq, closed.repeated, false);
  }
  const session = await loadSession(place);
  const submission = {
    participant: personName,
    origin: "person" as const,
    byPerson: true as const,
    fields: fieldsOf(step),
    at: clock.now(),
    id: clock.newId(),
  };
  const isAside = !session.kind.takesPersonSteps && isStep(step);
  if (isAside) {
    const appended = await appendAside(session, (it) => decideAside(it, submission));
    return resultOf(appended.session, appended.seq, appended.repeated, true);
  }
  const { session: after, seq, repeated } = await submit(session, submission);
  return resultOf(after, seq, repeated, false);
}

function isStep({ verb }: StepIn): boolean {
  return verb === "say" || verb === "pause" || verb === "resume";
}

function fieldsOf(step: StepIn): JsonObject {
  const key = step.key === undefined ? {} : { key: step.key };
  switch (step.verb) {
    case "say":
      return { step: "say", text: step.text, ...optional("to", step.to), ...key };
    case "pause":
      return { step: "pause", ...optional("text", step.because), ...key };
    case "resume":
      return { step: "resume", ...key };
    case "answer":
      return { answer: step.text, ...key };
    case "decide":
      return { decision: step.text, ...key };
    case "judge":
      return { verdict: step.says, ...optional("because", step.because), ...key };
    case "end":
      return {};
  }
}

function optional(name: string, value: string | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value };
}

function resultOf(session: Session, seq: number, repeated: boolean, isAside: boolean): SteppedIn {
  return { place: session.place, seq, repeated, isAside, standing: standingOf(session) };
}

function decideAside(machine: Machine, submission: Omit<Submission, "files">): LogEvent | number {
  const decision = machine.decide({ ...submission, files: new Map() });
  if (!decision.ok) throw new ConsultaError("REFUSED", decision.reason);
  return "already" in decision ? decision.already : decision.event;
}
