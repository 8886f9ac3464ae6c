import { inline, type JsonObject, type JsonValue } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { defined } from "../base/omit-undefined.ts";
import { notBefore } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import {
  type DeliveryNote,
  endedNote,
  evolveActs,
  evolveAside,
  evolvePerson,
  heardNote,
  initialPerson,
  type PersonState,
  personName,
  readPersonStep,
  stillBusy,
  wordsFor,
} from "./person-step.ts";
import {
  type Decision,
  type Guidance,
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
  const evolveUser = kind.takesPersonSteps === true ? evolvePerson : evolveActs;
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
    decide(state, submission) {
      const view = personView(kind, state);
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
    },
    eventFaults: (state, event) =>
      stepOf(event) === undefined
        ? kind.eventFaults(state, event)
        : personStepFaults(personView(kind, state), event),
    intakeFault(state, event) {
      const step = stepOf(event);
      if (step === undefined) return kind.intakeFault(state, event);
      const isKnown =
        step.event !== "heard" || kind.standing(state).participants.includes(event.from);
      return isKnown ? undefined : takesNoPart(event.from);
    },
    nextAction: (state, participant, files, pausedBy) =>
      heldGuidance(kind.nextAction(state, participant, files), state.user, pausedBy),
    standing: (state) => heldStatus(kind.standing(state), state.user),
  };
}

function personView<State extends JsonObject>(
  kind: Pick<Kind<State>, "takesPersonSteps" | "standing">,
  state: State & { readonly user: PersonState },
): PersonView {
  const standing = kind.standing(state);
  const isAside = kind.takesPersonSteps !== true;
  const end = isAside ? state.user.own : { seq: standing.seq, at: standing.lastAt };
  return { person: state.user, standing, end, isAside };
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

/** Folds an event of the person's own log, where the session has one: see `Kind.takesPersonSteps`. */
export function stateAfterPerson({ kind, state }: SessionState, event: LogEvent): SessionState {
  return { kind, state: { ...state, user: evolveAside(state.user, event) } };
}

/** A session before the person: what all kinds have. */
interface PersonView {
  readonly person: PersonState;
  readonly standing: SessionStatus;
  /** Where the log that takes the event ends. */
  readonly end: { readonly seq: number; readonly at: string };
  /** The event is for a log beside the session's own. */
  readonly isAside: boolean;
}

/**
 * Decides on what the person does in a session of any kind: words, a pause, its end. Undefined for what
 * the kind itself decides on.
 */
function decidePersonStep(view: PersonView, submission: Submission): Decision | undefined {
  const { fields } = submission;
  const known = knownKey(view.person, fields["key"]);
  if (known !== undefined) return known;
  switch (fields["step"]) {
    case "say":
      return decideWords(view, submission);
    case "pause":
      return decidePause(view, submission);
    case "resume":
      return decideResume(view, submission);
    case "end":
      return decideEnd(view, submission);
    default:
      return undefined;
  }
}

/** The same click, of two tabs or of a try whose answer was lost. */
function knownKey({ keys }: PersonState, key: JsonValue | undefined): Decision | undefined {
  if (key === undefined) return undefined;
  const isKey = typeof key === "string" && /^[\w.-]+$/.test(key);
  if (!isKey || key.length > limits.keyCharacters)
    return refuse(`the key is no word of at most ${limits.keyCharacters} letters, digits, - and _`);
  const known = keys.find((it) => it.key === key);
  return known === undefined ? undefined : { ok: true, already: known.seq };
}

function decideWords(view: PersonView, submission: Submission): Decision {
  const { standing, person } = view;
  const { id = "it", ended, hasTurns, needsPerson, participants, phase } = standing;
  const text = personText(submission.fields["text"], "what you say");
  if (typeof text !== "string") return text;
  if (ended && hasTurns && needsPerson?.wants !== "way out")
    return refuse(`session ${id} has ended (${phase}): nobody has a next turn${wayOf(standing)}`);
  const to = addressees(submission.fields["to"], participants);
  if (typeof to === "string") return refuse(to);
  const full = to.find((name) => wordsFor(person, name).length >= limits.wordsWaiting);
  if (full !== undefined || person.words.length >= limits.wordsWaiting)
    return refuse(
      `${limits.wordsWaiting} words of yours wait for ${full ?? to.join(", ")} already; wait for the next turn, or end the session`,
    );
  return stored(view, submission, "said", `the user to ${to.join(", ")}: ${text}`, { to, text });
}

function wayOf({ needsPerson }: SessionStatus): string {
  if (needsPerson?.wants === "answer") return "; it waits for your answer: use answer";
  return needsPerson?.wants === "decision" ? "; it waits for your decision: use decide" : "";
}

function addressees(to: JsonValue | undefined, participants: readonly string[]): string[] | string {
  if (participants.length === 0) return "nobody takes part yet: there is nobody to say it to";
  if (to === undefined) return [...participants];
  if (typeof to === "string" && participants.includes(to)) return [to];
  return `${JSON.stringify(to)} takes no part; say it to ${participants.join(", ")}, or to all by leaving --to out`;
}

/** The words of a step, or why they cannot be taken. */
export function personText(value: JsonValue | undefined, what: string): string | Decision {
  const text = typeof value === "string" ? value.trim() : "";
  if (text !== "" && text.length <= limits.itemCharacters) return text;
  return refuse(
    `${what} has ${text.length} characters, expected 1 to ${limits.itemCharacters}: put more into a file and name it`,
  );
}

function decidePause(view: PersonView, submission: Submission): Decision {
  const { standing, person } = view;
  const { id = "it", ended, hasTurns, phase, waitingFor, participants } = standing;
  if (person.pause !== undefined && !ended) return { ok: true, already: person.pause.seq };
  if (ended && hasTurns)
    return refuse(`session ${id} has ended (${phase}): there is nothing to pause`);
  const given = submission.fields["text"];
  const because = given === undefined ? "" : personText(given, "the reason");
  if (typeof because !== "string") return because;
  // Without turns a participant that has not finished is at work.
  const busy = waitingFor.filter((name) => participants.includes(name));
  const why = because === "" ? {} : { because };
  const summary = `paused by the user${because === "" ? "" : `: ${because}`}`;
  return stored(view, submission, "paused", summary, { busy, ...why });
}

function decideResume(view: PersonView, submission: Submission): Decision {
  const { standing, person } = view;
  if (person.pause !== undefined)
    return stored(view, submission, "resumed", "resumed by the user", {});
  const { id = "it", phase } = standing;
  return refuse(`session ${id} is not paused (${phase}); status says who has the turn`);
}

/** The session's own log has ended already. */
function decideEnd(view: PersonView, submission: Submission): Decision {
  const closing = submission.fields["closing"] ?? 0;
  if (view.person.closing === closing) return { ok: true, already: view.person.own.seq };
  return stored(view, submission, endedNote, "ended by the user", { closing });
}

function stored(
  { end, isAside, standing }: PersonView,
  submission: Submission,
  event: string,
  summary: string,
  fields: JsonObject,
): Decision {
  const more = isAside ? { ...fields, after: standing.seq } : fields;
  return { ok: true, event: personEvent(end, submission, { event, summary, ...more }) };
}

/** An event of the person, after the end of its log. */
export function personEvent(
  end: PersonView["end"],
  { at, id, fields: { key } }: Submission,
  { event, summary, ...fields }: JsonObject & { readonly event: string; readonly summary: string },
): LogEvent {
  return {
    seq: end.seq + 1,
    from: personName,
    event,
    at: notBefore(end.at, at),
    summary: summary.slice(0, limits.summaryCharacters).toWellFormed(),
    id,
    ...fields,
    ...defined({ key }),
  };
}

/** Why nobody but who had the turn may act while the person has paused; undefined where it may. */
function pauseFault(
  { person, standing }: Pick<PersonView, "person" | "standing">,
  { participant, origin, fields }: Submission,
): string | undefined {
  const { pause } = person;
  const isTurn = (origin === "script" || origin === "inbox") && fields["evidence"] === undefined;
  // Without turns nobody is given one: who is at work goes on.
  if (pause === undefined || standing.ended || !standing.hasTurns || !isTurn) return undefined;
  if (stillBusy(person).includes(participant)) return undefined;
  return `the user has paused the session: nobody is given a turn; keep what you have, run wait-for-turn, and send it when they resume`;
}

/** What a participant that asks is told to do while the person has paused: nothing. */
function heldGuidance(guidance: Guidance, person: PersonState, pausedBy = "the user"): Guidance {
  const { pause } = person;
  if (pause === undefined || guidance.turn === "ended") return guidance;
  const why = pause.because === "" ? "" : ` (${inline(pause.because)})`;
  const told = `paused by ${pausedBy} since ${pause.at}${why}: nobody is given a turn until they resume`;
  const standing = [...guidance.standing, told];
  const { todo: _, toCheck: __, toRun: ___, ...rest } = guidance;
  return {
    ...rest,
    turn: "theirs",
    standing,
    received: [],
    receivedEarlier: 0,
    obligations: [],
    advice: ["Begin nothing: wait until the user resumes."],
    moves: [],
    documents: [],
  };
}

/**
 * The event which records that a participant has been shown words of the person, or the pause; undefined
 * where there is nothing new to record.
 */
export function heardEvent(
  { kind, state }: SessionState,
  { participant, messages, by, at, id }: Omit<DeliveryNote, "stage">,
): LogEvent | undefined {
  const { person, end, isAside, standing } = personView(kind, state);
  const news = new Set([
    ...wordsFor(person, participant).flatMap(({ seq, heard }) =>
      heard[participant] === undefined ? [seq] : [],
    ),
    ...(person.pause?.told.includes(participant) === false ? [person.pause.seq] : []),
  ]);
  const words = messages.filter((seq) => news.has(seq));
  if (words.length === 0) return undefined;
  return {
    seq: end.seq + 1,
    from: participant,
    event: heardNote,
    at: notBefore(end.at, at),
    summary: `the user's ${words.join(", ")} to ${participant}: seen (${by})`,
    id,
    words,
    by,
    ...(isAside ? { after: standing.seq } : {}),
  };
}

/** Which rules a stored step breaks at its place; empty when none. */
function personStepFaults({ person, standing, end }: PersonView, event: LogEvent): string[] {
  const late = event.at < end.at ? [`at ${event.at} is earlier than the event before`] : [];
  const strangers = strangersIn(event, standing.participants);
  const stray =
    event.event === "resumed" && person.pause === undefined ? ["the session was not paused"] : [];
  return [...late, ...strangers, ...stray];
}

function strangersIn({ from, to, busy }: LogEvent, participants: readonly string[]): string[] {
  const named = [to, busy].flatMap((names) => (Array.isArray(names) ? names.map(String) : []));
  const all = from === personName ? named : [from];
  return all
    .filter((name) => !participants.includes(name))
    .map((name) => `${JSON.stringify(name)} is not a participant`);
}
