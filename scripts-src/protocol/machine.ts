import { isRecord, type JsonObject, type JsonValue } from "../base/json.ts";
import { once } from "../base/once.ts";
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
  type ClaimMade,
  type Closing,
  type Conclusion,
  type Decision,
  type Delivery,
  type DocumentRight,
  type EvidenceNeeded,
  type Files,
  type FileWanted,
  type ForeignChange,
  type Guidance,
  type Inspection,
  type KindTraits,
  type Mail,
  type Payoff,
  type Pending,
  type Protocol,
  type Purpose,
  type Report,
  type ReportWants,
  refuse,
  type SeenBefore,
  type SessionStatus,
  type SettingsReader,
  type Submission,
  takesNoPart,
  type View,
} from "./protocol.ts";

/** A session of any kind, folded up to one point of its log: what code that is not about one kind uses. */
export interface Machine {
  readonly kind: string;
  evolve(event: LogEvent): Machine;
  /** Folds an event of the person's own log, where the session has one: see `Protocol.takesPersonSteps`. */
  evolveAside(event: LogEvent): Machine;
  /** What the person has said and done in the session. */
  person(): PersonState;
  /**
   * The event which records that a participant has been shown words of the person, or the pause; undefined
   * where there is nothing new to record.
   */
  noteHeard(note: Omit<DeliveryNote, "stage">): LogEvent | undefined;
  audit(event: LogEvent): string[];
  /** See `Protocol.intakeFault`. */
  intakeFault(event: LogEvent): string | undefined;
  /** See `Protocol.documentRight`. */
  documentRight(event: LogEvent, path: string): DocumentRight | undefined;
  decide(submission: Submission): Decision;
  /** See `Protocol.evidenceNeeded`. */
  evidenceNeeded(submission: Submission): EvidenceNeeded[];
  /** See `Protocol.claims`; undefined where nothing rests on evidence. */
  claims(): ClaimMade[] | undefined;
  /** See `Protocol.marks`. */
  marks(): string[];
  /** See `Protocol.payoff`. */
  payoff(): Payoff | undefined;
  /** See `Protocol.restsOn`. */
  restsOn(): SeenBefore[];
  /** See `Protocol.closing`. */
  closing(by: string, reason: string): Closing | undefined;
  /** `pausedBy`: who it is, if not the user, that has paused the session. */
  nextAction(participant: string, files: Files, pausedBy?: string): Guidance;
  standing(): SessionStatus;
  isNewTo(participant: string): boolean;
  conclusions(events: readonly LogEvent[], files: Files): Conclusion[];
  filesWanted(purpose: Purpose): FileWanted[];
  /** See `Protocol.notice`; undefined where nobody but our scripts makes events. */
  readonly notice: undefined | ((files: Files) => ForeignChange[]);
  /** See `Protocol.isNeededToInspect`. */
  isNeededToInspect(files: Files): (event: LogEvent) => boolean;
  inspect(events: readonly LogEvent[], files: Files, logFaults: readonly string[]): Inspection;
  /** See `Protocol.onlyWhenValid`. */
  onlyWhenValid(event: string): boolean;
  /** Absent where participants read documents instead of messages. */
  readonly mail:
    | undefined
    | {
        unanswered(participant: string): Delivery[];
        letter(delivery: Delivery, event: LogEvent): string;
        pending(participant: string): Pending[];
        note(note: DeliveryNote): LogEvent | undefined;
      };
  /** What this event, the last one folded, changes on disk; see `Protocol.views`. */
  views(event: LogEvent | undefined): View[];
  /** The report of the session as it stands after these events, which follow this point of its log. */
  report(events: readonly LogEvent[], files: Files, wants: ReportWants): Report;
  /** The state for a checkpoint, with its kind and version. */
  snapshot(): JsonValue;
}

/** A protocol with its state hidden: begins machines and takes them up again. */
export interface Kind {
  readonly name: string;
  readonly traits: KindTraits;
  /** See `Protocol.sharedLog`. */
  readonly sharedLog: boolean;
  /** See `Protocol.isOpen`. */
  readonly isOpen: boolean;
  /** See `Protocol.heedsPerson`. */
  readonly heedsPerson: boolean;
  /** See `Protocol.takesPersonSteps`. */
  readonly takesPersonSteps: boolean;
  /** The file that holds settings which the log lacks, and how to read it. */
  readonly settings: SettingsReader | undefined;
  /** Whether a folder without any log may be a session: others may have made it. */
  readonly mayLackLog: boolean;
  start(settings: JsonObject): Machine;
  /** The machine of a checkpoint; undefined when it is of another kind, version or settings. */
  restore(snapshot: JsonValue, settings: JsonObject): Machine | undefined;
}

export function kindOf<State extends JsonObject>(protocol: Protocol<State>): Kind {
  const { kind, stateVersion, sharedLog } = protocol;
  const startWith = (settings: JsonObject) => {
    const settingsText = JSON.stringify(settings);
    return (state: State, person: PersonState) =>
      machineOf(protocol, { state, person }, settingsText);
  };
  return {
    name: kind,
    traits: protocol.traits,
    sharedLog,
    isOpen: protocol.isOpen ?? false,
    heedsPerson: protocol.heedsPerson ?? false,
    takesPersonSteps: protocol.takesPersonSteps ?? false,
    settings: protocol.settings,
    mayLackLog: protocol.notice !== undefined,
    start: (settings) => startWith(settings)(protocol.initialState(settings), initialPerson()),
    restore(snapshot, settings) {
      if (!isRecord(snapshot) || snapshot["kind"] !== kind) return undefined;
      const { version, settings: text, state, person } = snapshot;
      if (version !== stateVersion || text !== JSON.stringify(settings)) return undefined;
      if (!isRecord(state) || !isRecord(person)) return undefined;
      // The log store has proved that a script of this user wrote this checkpoint, so its fields are not
      // checked; those that it lacks are the initial ones.
      const folded = { ...protocol.initialState(settings), ...state };
      return startWith(settings)(folded, { ...initialPerson(), ...person });
    },
  };
}

/** What a log folds to: the kind's own state, and what the person has said and done, as in any kind. */
interface Folded<State> {
  readonly state: State;
  readonly person: PersonState;
}

/** The folded log and the kind's status: asked for often, so worked out once at most. */
interface FoldedWithStatus<State> extends Folded<State> {
  standing(): SessionStatus;
}

function machineOf<State extends JsonObject>(
  protocol: Protocol<State>,
  { state, person }: Folded<State>,
  settings: string,
): Machine {
  const { kind, stateVersion: version, mail, notice } = protocol;
  const evolvePersonState = protocol.takesPersonSteps === true ? evolvePerson : evolveActs;
  const now = { state, person, standing: once(() => protocol.standing(state)) };
  const next = (after: Folded<State>) => machineOf(protocol, after, settings);
  return {
    kind,
    evolve: (event) =>
      next({ state: protocol.evolve(state, event), person: evolvePersonState(person, event) }),
    evolveAside: (event) => next({ state, person: evolveAside(person, event) }),
    person: () => person,
    noteHeard: (note) =>
      note.messages.length === 0 ? undefined : noteHeard(viewOf(protocol, now), note),
    audit: (event) => auditOf(protocol, now, event),
    intakeFault: (event) => intakeFaultOf(protocol, now, event),
    documentRight: (event, path) => protocol.documentRight?.(state, event, path),
    decide: (submission) => decideOn(protocol, now, submission),
    evidenceNeeded: (submission) => protocol.evidenceNeeded?.(state, submission) ?? [],
    claims: () => protocol.claims?.(state),
    marks: () => protocol.marks?.(state) ?? [],
    payoff: () => protocol.payoff?.(state),
    restsOn: () => protocol.restsOn?.(state) ?? [],
    closing: (by, reason) => protocol.closing?.(state, by, reason),
    nextAction(participant, files, pausedBy) {
      const guidance = protocol.nextAction(state, participant, files);
      if (person.pause === undefined) return guidance;
      return heldGuidance(guidance, person, participant, pausedBy);
    },
    standing: () => standingOf(now),
    isNewTo: (participant) => protocol.isNewTo(state, participant),
    conclusions: (events, files) => protocol.conclusions(state, events, files),
    filesWanted: (purpose) => protocol.filesWanted(state, purpose),
    notice: notice && ((files) => notice(state, files)),
    isNeededToInspect: (files) => protocol.isNeededToInspect?.(files) ?? (() => false),
    inspect: (events, files, logFaults) => protocol.inspect(state, events, files, logFaults),
    onlyWhenValid: (event) => protocol.onlyWhenValid?.(event) ?? false,
    mail: mail && mailAt(mail, state),
    views: (event) => protocol.views(state, event),
    report: (events, files, wants) =>
      protocol.report(events.reduce(protocol.evolve, state), events, files, state, wants),
    snapshot: () => ({ kind, version, settings, state, person }),
  };
}

function mailAt<State>(mail: Mail<State>, state: State): Machine["mail"] {
  return {
    unanswered: (participant) => mail.unanswered(state, participant),
    letter: (delivery, event) => mail.letter(state, delivery, event),
    pending: (participant) => mail.pending(state, participant),
    note: (note) => mail.note(state, note),
  };
}

function viewOf<State extends JsonObject>(
  protocol: Protocol<State>,
  { person, standing: standingNow }: FoldedWithStatus<State>,
): PersonView {
  const standing = standingNow();
  const isAside = protocol.takesPersonSteps !== true;
  const end = isAside ? person.own : { seq: standing.seq, at: standing.lastAt };
  return { person, standing, end, isAside };
}

/** While the person has paused it, nobody is called. */
function standingOf<State>({
  person,
  standing: standingNow,
}: FoldedWithStatus<State>): SessionStatus {
  const standing = withoutClosed(standingNow(), person);
  const { pause } = person;
  if (pause === undefined || (standing.ended && standing.hasTurns)) return standing;
  const { at, because } = pause;
  const paused = { at, because, held: standing.waitingFor, stillBusy: stillBusy(person) };
  return { ...standing, waitingFor: [], paused };
}

/** Drops `needsPerson` where the person closed the session by that very event: they know. */
function withoutClosed(standing: SessionStatus, { closing }: PersonState): SessionStatus {
  if (closing === undefined || standing.needsPerson?.seq !== closing) return standing;
  const { needsPerson: _, ...rest } = standing;
  return rest;
}

function decideOn<State extends JsonObject>(
  protocol: Protocol<State>,
  now: FoldedWithStatus<State>,
  submission: Submission,
): Decision {
  const isHeld = submission.origin !== "person" && now.person.pause !== undefined;
  const fault = isHeld ? pauseFault(viewOf(protocol, now), submission) : undefined;
  if (fault !== undefined) {
    const isOnlyTooEarly = true;
    return refuse(fault, isOnlyTooEarly);
  }
  if (submission.origin !== "person") return protocol.decide(now.state, submission);
  const decision = decidePersonStep(viewOf(protocol, now), submission);
  if (decision !== undefined) return decision;
  if (protocol.heedsPerson === true) return protocol.decide(now.state, submission);
  const { called } = protocol.traits;
  return refuse(
    `this is ${called}, which keeps its decisions in its documents; answer, decide and verdict are for dialogues`,
  );
}

function auditOf<State extends JsonObject>(
  protocol: Protocol<State>,
  now: FoldedWithStatus<State>,
  event: LogEvent,
): string[] {
  const step = readPersonStep(event);
  // An answer of the person is also about the question that it answers, which only the kind knows.
  if (step === undefined || step.event === "answered" || protocol.takesPersonSteps !== true)
    return protocol.audit(now.state, event);
  return auditPersonStep(viewOf(protocol, now), event);
}

function intakeFaultOf<State extends JsonObject>(
  protocol: Protocol<State>,
  { state, standing }: FoldedWithStatus<State>,
  event: LogEvent,
): string | undefined {
  const step = protocol.takesPersonSteps === true ? readPersonStep(event) : undefined;
  if (step === undefined || step.event === "answered") return protocol.intakeFault(state, event);
  const isOfPerson = step.event !== "heard";
  return isOfPerson || standing().participants.includes(event.from)
    ? undefined
    : takesNoPart(event.from);
}
