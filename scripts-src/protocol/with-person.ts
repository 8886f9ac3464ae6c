import type { JsonObject } from "../base/json.ts";
import type { LogEvent } from "../log/event.ts";
import {
  auditPersonStep,
  decidePersonStep,
  heldGuidance,
  noteHeard,
  type PersonView,
  pauseFault,
} from "./decide-person-step.ts";
import type { DeliveryNote } from "./delivery-note.ts";
import {
  evolveActs,
  evolveAside,
  evolvePerson,
  initialPerson,
  type PersonState,
  readPersonStep,
  stillBusy,
} from "./person-step.ts";
import {
  type Decision,
  type Kind,
  refuse,
  type SessionState,
  type SessionStatus,
  type Submission,
  takesNoPart,
} from "./protocol.ts";

/**
 * A kind in whose sessions the user may speak, pause and end: the one place where that is added to what
 * the kind itself decides.
 */
export function withPerson<State extends JsonObject>(
  kind: Kind<State>,
): Kind<State & { readonly user: PersonState }> {
  type Folded = State & { readonly user: PersonState };
  const evolveUser = kind.takesPersonSteps === true ? evolvePerson : evolveActs;
  const known = new WeakMap<Folded, SessionStatus>();
  /** Without the pause; asked for often, so worked out once. */
  const statusOf = (state: Folded) => {
    const status = known.get(state) ?? kind.standing(state);
    known.set(state, status);
    return status;
  };
  const viewOf = (state: Folded) => personView(kind, state, statusOf(state));
  const stepOf = (event: LogEvent) => {
    const step = kind.takesPersonSteps === true ? readPersonStep(event) : undefined;
    // An answer of the person is also about the question that it answers, which only the kind knows.
    return step?.event === "answered" ? undefined : step;
  };
  return {
    ...kind,
    initialState: (settings) => ({ ...kind.initialState(settings), user: initialPerson() }),
    evolve: (state, event) => ({
      ...kind.evolve(state, event),
      user: evolveUser(state.user, event),
    }),
    decide: (state, submission) => decideWith(kind, state, viewOf(state), submission),
    audit: (state, event) =>
      stepOf(event) === undefined
        ? kind.audit(state, event)
        : auditPersonStep(viewOf(state), event),
    intakeFault(state, event) {
      const step = stepOf(event);
      if (step === undefined) return kind.intakeFault(state, event);
      const isKnown = step.event !== "heard" || statusOf(state).participants.includes(event.from);
      return isKnown ? undefined : takesNoPart(event.from);
    },
    nextAction: (state, participant, files, pausedBy) =>
      heldGuidance(kind.nextAction(state, participant, files), state.user, participant, pausedBy),
    standing: (state) => heldStatus(statusOf(state), state.user),
  };
}

function personView<State extends JsonObject>(
  { takesPersonSteps }: Kind<State>,
  { user: person }: { readonly user: PersonState },
  standing: SessionStatus,
): PersonView {
  const isAside = takesPersonSteps !== true;
  const end = isAside ? person.own : { seq: standing.seq, at: standing.lastAt };
  return { person, standing, end, isAside };
}

/** While the person has paused it, nobody is called. */
function heldStatus(status: SessionStatus, person: PersonState): SessionStatus {
  const { needsPerson, ...rest } = status;
  // Who closed the session by that very event needs no call.
  const isClosing = person.closing !== undefined && needsPerson?.seq === person.closing;
  const standing = isClosing ? rest : status;
  const { pause } = person;
  if (pause === undefined || (standing.ended && standing.hasTurns)) return standing;
  const { at, because } = pause;
  const paused = { at, because, held: standing.waitingFor, stillBusy: stillBusy(person) };
  return { ...standing, waitingFor: [], paused };
}

function decideWith<State extends JsonObject>(
  kind: Kind<State>,
  state: State,
  view: PersonView,
  submission: Submission,
): Decision {
  if (submission.origin !== "person") {
    const fault = pauseFault(view, submission);
    const isOnlyTooEarly = true;
    return fault === undefined ? kind.decide(state, submission) : refuse(fault, isOnlyTooEarly);
  }
  const decision = decidePersonStep(view, submission);
  if (decision !== undefined) return decision;
  if (kind.heedsPerson === true) return kind.decide(state, submission);
  return refuse(
    `this is ${kind.traits.called}, which keeps its decisions in its documents; answer, decide and verdict are for dialogues`,
  );
}

/** Folds an event of the person's own log, where the session has one: see `Kind.takesPersonSteps`. */
export function stateAfterPerson({ kind, state }: SessionState, event: LogEvent): SessionState {
  return { kind, state: { ...state, user: evolveAside(state.user, event) } };
}

/**
 * The event which records that a participant has been shown words of the person, or the pause; undefined
 * where there is nothing new to record.
 */
export function heardEvent(
  { kind, state }: SessionState,
  note: Omit<DeliveryNote, "stage">,
): LogEvent | undefined {
  if (note.messages.length === 0) return undefined;
  return noteHeard(personView(kind, state, kind.standing(state)), note);
}
