import { isRecord, type JsonObject, type JsonValue } from "../base/json.ts";
import type { LogEvent } from "../log/event.ts";
import type { DeliveryNote } from "./delivery-note.ts";
import type {
  ClaimMade,
  Closing,
  Conclusion,
  Decision,
  Delivery,
  EvidenceNeeded,
  Files,
  FileWanted,
  Guidance,
  Inspection,
  KindTraits,
  Noticed,
  Payoff,
  Pending,
  Protocol,
  Purpose,
  Report,
  ReportWants,
  SeenBefore,
  SessionStatus,
  SettingsReader,
  Submission,
  View,
} from "./protocol.ts";

/** A session at one point of its log, whatever its kind: what stores, verbs and views work with. */
export interface Machine {
  readonly kind: string;
  evolve(event: LogEvent): Machine;
  audit(event: LogEvent): string[];
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
  nextAction(participant: string, files: Files): Guidance;
  standing(): SessionStatus;
  isNewTo(participant: string): boolean;
  conclusions(events: readonly LogEvent[], files: Files): Conclusion[];
  filesWanted(purpose: Purpose): FileWanted[];
  /** See `Protocol.notice`; undefined where nobody but our scripts makes events. */
  readonly notice: undefined | ((files: Files) => Noticed[]);
  /** See `Protocol.inspected`. */
  inspected(files: Files): (event: LogEvent) => boolean;
  inspect(events: readonly LogEvent[], files: Files, logFaults: readonly string[]): Inspection;
  /** See `Protocol.unkept`. */
  readonly unkept:
    | undefined
    | {
        isStrict(): boolean;
        advice(participant: string, inspection: Inspection): string[];
        fault(event: LogEvent, before: Inspection, after: Inspection): string | undefined;
      };
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
    return (state: State) => machineOf(protocol, state, settingsText);
  };
  return {
    name: kind,
    traits: protocol.traits,
    sharedLog,
    isOpen: protocol.isOpen ?? false,
    heedsPerson: protocol.heedsPerson ?? false,
    settings: protocol.settings,
    mayLackLog: protocol.notice !== undefined,
    start: (settings) => startWith(settings)(protocol.initialState(settings)),
    restore(snapshot, settings) {
      if (!isRecord(snapshot) || snapshot["kind"] !== kind) return undefined;
      const { version, settings: text, state } = snapshot;
      if (version !== stateVersion || text !== JSON.stringify(settings)) return undefined;
      if (!isRecord(state)) return undefined;
      // The store has proved that a script of this user wrote what `snapshot` gave at this version.
      return startWith(settings)({ ...protocol.initialState(settings), ...state });
    },
  };
}

function machineOf<State extends JsonObject>(
  protocol: Protocol<State>,
  state: State,
  settings: string,
): Machine {
  const { kind, stateVersion: version, mail, notice, unkept } = protocol;
  return {
    kind,
    evolve: (event) => machineOf(protocol, protocol.evolve(state, event), settings),
    audit: (event) => protocol.audit(state, event),
    decide: (submission) => protocol.decide(state, submission),
    evidenceNeeded: (submission) => protocol.evidenceNeeded?.(state, submission) ?? [],
    claims: () => protocol.claims?.(state),
    marks: () => protocol.marks?.(state) ?? [],
    payoff: () => protocol.payoff?.(state),
    restsOn: () => protocol.restsOn?.(state) ?? [],
    closing: (by, reason) => protocol.closing?.(state, by, reason),
    nextAction: (participant, files) => protocol.nextAction(state, participant, files),
    standing: () => protocol.standing(state),
    isNewTo: (participant) => protocol.isNewTo(state, participant),
    conclusions: (events, files) => protocol.conclusions(state, events, files),
    filesWanted: (purpose) => protocol.filesWanted(state, purpose),
    notice: notice && ((files) => notice(state, files)),
    inspected: (files) => protocol.inspected?.(files) ?? (() => false),
    inspect: (events, files, logFaults) => protocol.inspect(state, events, files, logFaults),
    unkept: unkept && {
      isStrict: () => unkept.isStrict(state),
      advice: (participant, inspection) => unkept.advice(state, participant, inspection),
      fault: unkept.fault,
    },
    mail: mail && {
      unanswered: (participant) => mail.unanswered(state, participant),
      letter: (delivery, event) => mail.letter(state, delivery, event),
      pending: (participant) => mail.pending(state, participant),
      note: (note) => mail.note(state, note),
    },
    views: (event) => protocol.views(state, event),
    report: (events, files, wants) =>
      protocol.report(events.reduce(protocol.evolve, state), events, files, state, wants),
    snapshot: () => ({ kind, version, settings, state }),
  };
}
