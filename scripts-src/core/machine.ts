import { dialogue } from "./dialogue/dialogue.ts";
import type { LogEvent } from "./event.ts";
import { isRecord, type JsonObject, type JsonValue } from "./json.ts";
import type {
  Decision,
  Delivery,
  Guidance,
  Protocol,
  Report,
  Standing,
  Submission,
  View,
} from "./protocol.ts";

/** A session at one point of its log, whatever its kind: what stores, verbs and views work with. */
export interface Machine {
  readonly kind: string;
  evolve(event: LogEvent): Machine;
  audit(event: LogEvent): string[];
  decide(submission: Submission): Decision;
  nextAction(participant: string): Guidance;
  standing(): Standing;
  filesNamed(submission: Pick<Submission, "message">): string[];
  /** The text of a delivery that `nextAction` lists, from the event with its seq. */
  letter(delivery: Delivery, event: LogEvent): string;
  /** What this event, the last one folded, changes on disk. */
  views(event: LogEvent): View[];
  report(events: readonly LogEvent[]): Report;
  /** The state for a checkpoint, with its kind and version. */
  snapshot(): JsonValue;
}

/** The protocols that Consulta knows. A new kind of session is added here and nowhere else. */
const kinds = [kindOf(dialogue)];

interface Kind {
  opens(event: LogEvent): boolean;
  start(): Machine;
  restore(snapshot: Record<string, unknown>): Machine | undefined;
}

/** The machine before the first event of a log that begins with `event`; undefined when unknown. */
export function machineFor(event: LogEvent): Machine | undefined {
  return kinds.find((kind) => kind.opens(event))?.start();
}

/** The machine that a checkpoint holds; undefined when it is of another version or kind. */
export function restoreMachine(snapshot: JsonValue): Machine | undefined {
  if (!isRecord(snapshot)) return undefined;
  for (const kind of kinds) {
    const machine = kind.restore(snapshot);
    if (machine !== undefined) return machine;
  }
  return undefined;
}

function kindOf<State extends JsonObject>(protocol: Protocol<State>): Kind {
  const run = (state: State): Machine => ({
    kind: protocol.kind,
    evolve: (event) => run(protocol.evolve(state, event)),
    audit: (event) => protocol.audit(state, event),
    decide: (submission) => protocol.decide(state, submission),
    nextAction: (participant) => protocol.nextAction(state, participant),
    standing: () => protocol.standing(state),
    filesNamed: (submission) => protocol.filesNamed(submission),
    letter: (delivery, event) => protocol.letter(state, delivery, event),
    views: (event) => protocol.views(state, event),
    report: (events) => protocol.report(state, events),
    snapshot: () => ({ kind: protocol.kind, version: protocol.stateVersion, state }),
  });
  return {
    opens: (event) => protocol.opens(event),
    start: () => run(protocol.initialState()),
    restore: ({ kind, version, state }) => {
      if (kind !== protocol.kind || version !== protocol.stateVersion || !isRecord(state))
        return undefined;
      // The store has proved by checksum that these are bytes which `snapshot` wrote at this version.
      return run({ ...protocol.initialState(), ...state });
    },
  };
}
