import type { LogEvent } from "./event.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** What a file that a submission names looks like now; absent from the facts when there is none. */
export interface FileFact {
  readonly sha256: string;
  readonly bytes: number;
}

/** Where a submission came from: our script, a foreign colleague's file, or the conductor. */
export type Origin = "script" | "inbox" | "conductor";

/** One attempt to add an event to a session, as a participant made it. */
export interface Submission {
  /** Who submits: known from the store or the command line, never from a message's body. */
  readonly participant: string;
  readonly origin: Origin;
  readonly message?: JsonValue;
  readonly event?: string;
  readonly summary?: string;
  /** ISO-8601 time with milliseconds. */
  readonly at: string;
  /** Made by the writer, different for every submission. */
  readonly id: string;
  readonly files: ReadonlyMap<string, FileFact>;
}

/**
 * What a protocol makes of a submission: an event to append, the seq under which the very same
 * submission already stands, or the reason why not.
 */
export type Decision =
  | { readonly ok: true; readonly event: LogEvent }
  | { readonly ok: true; readonly already: number }
  | { readonly ok: false; readonly reason: string; readonly later?: boolean };

/** `later`: nothing is wrong with the submission but its time. */
export function refuse(reason: string, later = false): Decision {
  return { ok: false, reason, later };
}

/** A message on its way to a participant: the file that its inbox must hold, or has held. */
export interface Delivery {
  readonly seq: number;
  readonly to: string;
  readonly from: string;
  /** Name of the file in the inbox and later in the archive. */
  readonly file: string;
}

/** What one participant must do now, computed by the decider that will judge the answer. */
export interface Guidance {
  readonly turn: "yours" | "theirs" | "ended";
  /** Where the session stands, one fact a line. */
  readonly standing: string[];
  /** What was said to this participant and not answered yet, oldest first. */
  readonly received: Delivery[];
  /** Earlier unanswered mail that is only counted, never forgotten. */
  readonly receivedEarlier: number;
  /** What the next event must carry, one obligation a line. */
  readonly obligations: string[];
  /** What the participant may do, in words. */
  readonly advice: string[];
  /** A draft to fill in; absent when there is nothing to send. */
  readonly draft?: JsonObject;
}

/** What lists and pages show of a session. */
export interface Standing {
  readonly id: string;
  readonly kind: string;
  readonly topic: string;
  readonly participants: string[];
  readonly initiator: string;
  readonly startedAt: string;
  readonly lastAt: string;
  readonly seq: number;
  readonly phase: string;
  readonly ended: boolean;
  readonly waitingFor: string[];
  readonly round: number;
  /** A line for people: mode, budget, confidence, agreements. */
  readonly summary: string;
}

/** A file that follows from the log: where it lies in the workspace, what it holds. */
export interface View {
  readonly folder: readonly string[];
  readonly name: string;
  readonly text: string;
}

export interface ReportSection {
  readonly heading: string;
  readonly lines: string[];
}

/** The user report of a session, ready to be written as Markdown. */
export interface Report {
  readonly title: string;
  readonly verdict: string;
  readonly facts: string[];
  readonly sections: ReportSection[];
}

/**
 * One kind of session as a decider (DESIGN section 3). All functions are pure. `State` is plain
 * JSON: a checkpoint keeps it.
 */
export interface Protocol<State extends JsonObject> {
  readonly kind: string;
  /** Raised when `State` changes its shape; older checkpoints are then rebuilt from the log. */
  readonly stateVersion: number;
  /** Whether a log that begins with this event is one of this kind. */
  opens(event: LogEvent): boolean;
  initialState(): State;
  decide(state: State, submission: Submission): Decision;
  evolve(state: State, event: LogEvent): State;
  /** Which rules a stored event breaks at its place in the log; empty when none. */
  audit(state: State, event: LogEvent): string[];
  nextAction(state: State, participant: string): Guidance;
  standing(state: State): Standing;
  /** Files of the project that `decide` wants facts about, as relative paths. */
  filesNamed(submission: Pick<Submission, "message">): string[];
  /** The text of a delivery that `nextAction` lists, from the event with its seq. */
  letter(state: State, delivery: Delivery, event: LogEvent): string;
  /** Files to write after this event; `artifacts` stands for the configured folder. */
  views(after: State, event: LogEvent): View[];
  /** The user report, from the state and the whole log. */
  report(state: State, events: readonly LogEvent[]): Report;
}
