import type { JsonObject } from "../base/json.ts";
import type { LogEvent } from "../log/event.ts";
import type { CheckSpec } from "./check-spec.ts";
import type { Citation } from "./citations.ts";
import type { DeliveryNote } from "./delivery-note.ts";
import type { EvidenceRecord } from "./evidence.ts";

/**
 * A file that a rule looks at: its text, its SHA-256 where the bytes are all that counts, or only
 * whether there is one; or the names in a folder.
 */
export interface FileWanted {
  /** With slashes, relative to the session's folder or to one above it. */
  readonly path: string;
  readonly as: "text" | "sha256" | "file" | "names";
  /** How many folders above the session's the path starts; 0 unless said. */
  readonly up?: number;
}

/** What such a file looks like now; absent from the facts when there is none. */
export interface FileFact {
  readonly bytes: number;
  /** There when it was wanted. */
  readonly sha256?: string;
  /** There when it was wanted and is UTF-8 of an allowed size. */
  readonly text?: string;
  /** There when it was wanted and is a folder; in order. */
  readonly names?: readonly string[];
  /** Why there is no text, to follow the path: `is not UTF-8 text: save it as UTF-8`. */
  readonly fault?: string;
}

/** The files that were wanted, by path. */
export type Files = ReadonlyMap<string, FileFact>;

/**
 * Where a submission came from: our script, a foreign colleague's message, what somebody did to the
 * session's files without our scripts, `close`, which ends a session that nobody goes on with, or the
 * `person` at a terminal, who puts on record what they decided.
 */
export type Origin = "script" | "inbox" | "folder" | "close" | "person";

/** One attempt to add an event to a session, as a participant made it. */
export interface Submission {
  /** Who submits: known from the store or the command line, never from a message's body. */
  readonly participant: string;
  readonly origin: Origin;
  /** What was submitted, under the names of `append-event`'s options; not checked yet. */
  readonly fields: JsonObject;
  /** ISO-8601 time with milliseconds. */
  readonly at: string;
  /** Made by the writer, different for every submission. */
  readonly id: string;
  readonly files: Files;
  /** What the script itself saw for `evidenceNeeded`, in that order; absent where nobody looked. */
  readonly evidence?: readonly EvidenceRecord[];
}

/**
 * What the script that submits looks at before anybody decides: lines or a search. A number is the
 * place of a claim in the draft, from 0; an id that of an older claim, whose words must still be there.
 */
export interface EvidenceNeeded {
  readonly claim: number | string;
  readonly spec: CheckSpec;
  readonly expect?: string;
  /** The hash of what an older claim rested on: the same lines at another place of their file are it. */
  readonly sha256?: string;
}

/** As much of a record as it takes to look again. */
export type SeenBefore = Pick<
  EvidenceRecord,
  "claim" | "kind" | "spec" | "expect" | "met" | "sha256"
>;

/** A claim that somebody made in a session, and who has a record of it that met what was expected. */
export interface ClaimMade {
  readonly id: string;
  readonly by: string;
  readonly text: string;
  readonly check: string;
  readonly expect: string;
  readonly withdrawn: boolean;
  /** All who have looked, whatever came out. */
  readonly lookedAtBy: readonly string[];
}

/** What one session adds to the question whether the second model paid. */
export interface Payoff {
  /** Something was decided: by both, or by the person. */
  readonly decided: boolean;
  /** Whether the decision is another than the first blind answer of the session's initiator. */
  readonly changedFirst: boolean | undefined;
  /** Claims that did not hold when the other side looked, or that were taken back. */
  readonly fell: number;
  readonly judged: "kept" | "changed" | "wrong" | undefined;
}

/** The submission that closes a session. */
export type Closing = Pick<Submission, "participant" | "origin" | "fields">;

/**
 * Text that an event brings into the session's files: a `section` or a `line` at the end of a
 * document, which is there when its first line is; or a `file` of its own.
 */
export interface Addition {
  readonly as: "section" | "line" | "file";
  readonly path: string;
  readonly text: string;
}

/**
 * What a protocol makes of a submission: an event to append, the seq under which the very same
 * submission already stands, or the reason why not.
 */
export type Decision =
  | {
      readonly ok: true;
      readonly event: LogEvent;
      readonly additions?: readonly Addition[];
      /** What its sender should know about an event that stands. */
      readonly remarks?: readonly string[];
    }
  | { readonly ok: true; readonly already: number }
  | Refusal;

export interface Refusal {
  readonly ok: false;
  readonly reason: string;
  /** Where there are several: each alone. */
  readonly reasons?: readonly string[];
  /** What the caller makes of it, as an exit code says it; REFUSED unless said. */
  readonly code?: "EXISTS" | "NOT_YET" | undefined;
  /** Nothing is wrong with the submission but its time. */
  readonly later?: boolean;
}

/** `later`: nothing is wrong with the submission but its time. */
export function refuse(reason: string, later = false): Refusal {
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

/** When a message reached a stage, and which script of ours saw to it. */
export type Reached = { at: string; by: string };

/** A delivery that its recipient has not acted on, and how far it has come. */
export interface Pending extends Delivery {
  readonly type: string;
  readonly storedAt: string;
  readonly rung?: Reached;
  readonly inTurn?: Reached;
}

/** An event that a participant may append now. */
export interface Move {
  /** What it is for, in a few words. */
  readonly purpose: string;
  /**
   * The options of `append-event` in their order, beside who and where. `-` stands for the file that
   * holds the draft, filled in.
   */
  readonly options: Readonly<Record<string, string>>;
  /** Another script than `append-event`: it takes folder, participant, these words, the options. */
  readonly script?: { readonly name: string; readonly words: readonly string[] };
  /** A draft to fill in. */
  readonly input?: JsonObject | string;
  /** Which draft of the participant that is: a higher number as soon as the one before is sent. */
  readonly draft?: number;
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
  /** What has to be met before the first move, or in it, one obligation a line. */
  readonly obligations: string[];
  /** What the next event is rejected without, one a line; and what may wait. Absent where `obligations` says all. */
  readonly required?: readonly string[];
  readonly todo?: readonly string[];
  /** Claims that this participant has not checked: each by the script `check`. */
  readonly toCheck?: readonly string[];
  /** Who is shown as `participant`, until both have taken a stand. */
  readonly unnamed?: readonly string[];
  /** What the participant may do, in words. */
  readonly advice: string[];
  /** What it may append: the expected event first. Empty when there is nothing to send. */
  readonly moves: Move[];
  /** Documents of the session's folder that this participant may write now. */
  readonly documents: string[];
}

/** A session that the person has paused: nobody is given a turn. */
export interface Paused {
  readonly at: string;
  /** "" where they gave no reason. */
  readonly because: string;
  /** Who is called when they resume. */
  readonly held: readonly string[];
  /** Who had the turn and has not reached the pause yet: it may still end that turn. */
  readonly stillBusy: readonly string[];
}

/** What a session waits for from the person, however long that takes. */
export interface PersonNeed {
  /** An answer, with which it goes on; a decision, which closes it; or a way out of what blocks it. */
  readonly wants: "answer" | "decision" | "way out";
  /** The words of whoever asks: data. */
  readonly text: string;
  readonly since: string;
  /** The event that brought it about; absent where nothing but a decision of the person ends it. */
  readonly seq?: number;
}

/** What lists and pages show of a session. */
export interface SessionStatus {
  /** Absent where only the folder names the session. */
  readonly id: string | undefined;
  readonly kind: string;
  readonly topic: string;
  readonly participants: readonly string[];
  readonly initiator: string;
  readonly startedAt: string;
  /** When somebody acted last. */
  readonly lastAt: string;
  /** When each participant last acted or read here, where the log tells of reading. */
  readonly signs?: Readonly<Record<string, string>>;
  /** How sure each participant says that it is, where it has said so. */
  readonly confidence?: Readonly<Record<string, number>>;
  /** When each participant last sent something; "" where it has not. */
  readonly spoke?: Readonly<Record<string, string>>;
  readonly seq: number;
  readonly phase: string;
  readonly ended: boolean;
  /** Who is called: nobody while the person has paused it. */
  readonly waitingFor: readonly string[];
  readonly paused?: Paused;
  /** Absent where nothing waits for the person. */
  readonly needsPerson?: PersonNeed;
  /** Whether it calls its participants; where it does not, they look when they like. */
  readonly hasTurns: boolean;
  /** A line for people: how far it has come, in the kind's own terms. */
  readonly summary: string;
  /** Of an ended session: what its decision is worth, in one line of ours. */
  readonly verdict?: string;
  /** Who has not confirmed the text that ended the session; absent where nobody has to. */
  readonly unconfirmedBy?: string;
  /** How long `wait-for-turn` waits unless told; 0 without limit, undefined as the config says. */
  readonly waitSeconds: number | undefined;
}

/** A file that follows from the log: where it lies, what it holds. */
export interface View {
  /** Below which folder: the session's own, the workspace, or its folder for artifacts. */
  readonly within: "session" | "workspace" | "artifacts";
  readonly folder: readonly string[];
  readonly name: string;
  readonly text: string;
  /** What marks such a file as written by us; where another stands there, ours takes another name. */
  readonly ours?: { readonly mark: string; readonly otherwise: string };
  /** Fields of a JSON file that stay as somebody else wrote them. */
  readonly keeps?: readonly string[];
}

export interface ReportSection {
  readonly heading: string;
  readonly lines: string[];
  /** It tells what participants judged; of a dry run it says only that nothing was judged. */
  readonly judges?: true;
}

/** A decision as an architecture decision record tells it; the words are those of the participants named. */
export interface DecisionRecord {
  readonly status: "proposed" | "accepted" | "superseded" | "rejected";
  readonly date: string;
  readonly decisionMakers: readonly string[];
  readonly consulted: readonly string[];
  readonly question: string;
  readonly options: readonly { readonly by: string; readonly text: string }[];
  readonly chosen: string;
  readonly because: readonly string[];
  readonly consequences: readonly string[];
  /** What a look must find again. */
  readonly confirmation: readonly {
    readonly spec: string;
    readonly expect: string;
    readonly claim: string;
  }[];
  /** The newest commit that a look named; "" for none. */
  readonly commit: string;
  readonly verdict: string;
}

/** The user report of a session, ready to be written as Markdown. */
export interface Report {
  readonly title: string;
  readonly verdict: string;
  /** The last line, where there is one to say. */
  readonly closing?: string;
  readonly facts: string[];
  readonly sections: ReportSection[];
  /** What only a script can notice, of all that is no fault: one line each, in our words. */
  readonly marks?: readonly string[];
  /** What is only looked up, after how to check it all. */
  readonly appendix?: readonly ReportSection[];
  /** What a decision record tells; absent where nothing was decided or left to decide. */
  readonly record?: DecisionRecord;
  /** For programs: what a kind tells beside these texts. */
  readonly data?: JsonObject;
}

/**
 * What has become of what a decision rests on: the claims whose lines were looked at again, and those
 * of which something else is there now.
 */
export interface Today {
  readonly looked: readonly string[];
  readonly changed: readonly { readonly claim: string; readonly why: string }[];
}

/** What a report is to tell beside the session itself. */
export interface ReportWants {
  readonly today: Today;
  /** How each message came to its recipient. */
  readonly delivery: boolean;
}

/** What an ended session leaves to those who come to its topic later. */
export interface Conclusion {
  /** Tells it from the others of its session. */
  readonly what: "decision" | "undecided" | "synthesis" | "readiness" | "findings";
  /** How it came about: words of ours. */
  readonly outcome: string;
  /** What the participants said: data wherever it goes. */
  readonly text: string;
}

/** What is wrong with a session. Errors break a rule, warnings should be looked at. */
export interface Inspection {
  readonly errors: string[];
  readonly warnings: string[];
  /** Absent where the protocol has no such rules. */
  readonly unkept?: readonly Unkept[];
  /** Work that rules will ask for and whose time has not come: only those who do it are told. */
  readonly ahead?: readonly Unkept[];
}

/** A stated rule that is not kept, and that others who share the session do not look at. */
export interface Unkept {
  readonly rule: string;
  /** One line. */
  readonly text: string;
  /** Who can put it right; nobody in particular when empty. */
  readonly fixers: readonly string[];
}

/** How a protocol treats rules that are stated and that others who share its sessions do not check. */
export interface UnkeptRules<State> {
  /** Whether the session was begun to reject what breaks them. */
  isStrict(state: State): boolean;
  /** What a participant should know of them now. */
  advice(state: State, participant: string, inspection: Inspection): string[];
  /** Why a strict session rejects an event, given how things stand before and after it. */
  fault(event: LogEvent, before: Inspection, after: Inspection): string | undefined;
}

/** How the messages of a session reach inboxes. */
export interface Mail<State> {
  /** What was said to this participant and not answered yet, oldest first. */
  unanswered(state: State, participant: string): Delivery[];
  /** The text of a delivery that `unanswered` lists, from the event with its seq. */
  letter(state: State, delivery: Delivery, event: LogEvent): string;
  /** What awaits an act of this participant, oldest first. */
  pending(state: State, participant: string): Pending[];
  /** The event that enters a note; undefined when it would say nothing new. */
  note(state: State, note: DeliveryNote): LogEvent | undefined;
}

/** What the files are wanted for. */
export type Purpose =
  | { readonly for: "decision"; readonly participant: string; readonly fields: JsonObject }
  | { readonly for: "guidance"; readonly participant: string }
  | { readonly for: "notice" }
  | { readonly for: "conclusion" }
  | { readonly for: "inspection" };

/** What somebody did to the session's files without our scripts, as the event that it makes. */
export type Noticed = Pick<Submission, "participant" | "fields">;

/** Settings that a session keeps in a file beside its log. */
export interface SettingsReader {
  readonly file: string;
  /** Undefined text when there is no such file. Never throws: `fault` tells. */
  read(text: string | undefined): JsonObject;
  /** Why nobody can work with these settings; undefined when all is well. */
  fault(settings: JsonObject): string | undefined;
  /** What the file says beside the settings that cannot be true of any log. */
  stated?(text: string): string | undefined;
}

/** What a script saw of an event's documents at its time. */
export interface SeenThen {
  /** SHA-256 by name. */
  readonly hashes: Readonly<Record<string, string>>;
  /** What was cited and not there, as `citedPlace` shows it. */
  readonly absent: readonly string[];
}

/** What is noted of the events of a log that others write as well, when a script of ours first meets one. */
export interface FirstSeenNotes {
  /** Beside the log. */
  readonly file: string;
  /** The documents whose SHA-256 is noted with this event. */
  documentsOf(event: LogEvent): readonly string[];
  /** The documents that are kept as they were at this event, and the folder beside the log for them. */
  keptOf(event: LogEvent): readonly string[];
  readonly keptIn: string;
  /** The document that holds what this event cites; undefined for one that cites nothing. */
  citingDocument(event: LogEvent): string | undefined;
  /** What this event cites in that document. */
  citationsOf(event: LogEvent, document: string): readonly Citation[];
  lineOf(event: LogEvent, seen: SeenThen): string;
  /** The newest event that is noted; 0 without any. */
  lastSeq(text: string): number;
}

/** What shared code tells of a kind, or does for it, without knowing which it is. */
export interface KindTraits {
  /** A session of it, in words with an article. */
  readonly called: string;
  /** What `validate --folder` calls what it has looked at. */
  readonly validatedAs: string;
  /** How many turns `consult` gives at most unless told, with so many rounds. */
  turnsMax(maxRounds: number, participants: number): number;
  /** Old sessions that have ended are removed: what the user wants of them lies elsewhere. */
  readonly isRemovedWhenOld?: boolean;
  /** How a participant ends it alone, where the others are gone. */
  readonly wayOut?: string;
  /** What people are told where somebody has the turn and gives no sign. */
  readonly whenSilent?: string;
  /** What to do about a damaged log where the session's other files tell all. */
  readonly damagedLog?: string;
  readonly firstSeen?: FirstSeenNotes;
}

/**
 * One kind of session as a decider (DESIGN section 3). All functions are pure. `State` is plain
 * JSON: a checkpoint keeps it.
 */
export interface Protocol<State extends JsonObject> {
  readonly kind: string;
  readonly traits: KindTraits;
  /** Raised when `State` changes its shape; older checkpoints are then rebuilt from the log. */
  readonly stateVersion: number;
  /** Others than our scripts write this log as well: what is unsound in it is told, not refused. */
  readonly sharedLog: boolean;
  /** It takes the person's answers, decisions and verdicts as events of its log. */
  readonly heedsPerson?: boolean;
  /**
   * What the person says and does in any session stands in its log too: `evolve` passes over such an
   * event. Absent where others read the log as well, or know no such events: then it stands in a log
   * of the person's own beside it.
   */
  readonly takesPersonSteps?: boolean;
  /** One who is no participant yet is told how to become one, instead of being rejected. */
  readonly isOpen?: boolean;
  /** The file that holds settings beside the log. Absent where the log has everything. */
  readonly settings?: SettingsReader;
  /**
   * What the files show that the log does not know yet. Absent where nobody but our scripts makes
   * events; where it is there, a folder without any log is a session as well.
   */
  readonly notice?: (state: State, files: Files) => Noticed[];
  initialState(settings: JsonObject): State;
  decide(state: State, submission: Submission): Decision;
  /** Absent where nothing rests on evidence. */
  evidenceNeeded?(state: State, submission: Submission): EvidenceNeeded[];
  /** The claims that a participant may check; absent where nothing rests on evidence. */
  claims?(state: State): ClaimMade[];
  /** What the decision rests on, or would: each claim's newest record that met what was expected. */
  restsOn?(state: State): SeenBefore[];
  /** What only a script can notice of the session, and what is no fault: one line each, in our words. */
  marks?(state: State): string[];
  /** What a finished session says of whether a second participant paid; absent where nobody can tell. */
  payoff?(state: State): Payoff | undefined;
  /** What ends the session without a result; `by` is a participant or `user`. Absent where it ends by itself. */
  closing?(state: State, by: string, reason: string): Closing;
  evolve(state: State, event: LogEvent): State;
  /** Which rules a stored event breaks at its place in the log; empty when none. */
  audit(state: State, event: LogEvent): string[];
  nextAction(state: State, participant: string, files: Files): Guidance;
  standing(state: State): SessionStatus;
  /** Whether the participant has said nothing yet, and nothing is decided. */
  isNewTo(state: State, participant: string): boolean;
  /**
   * What the session leaves, the most important first; nothing while it is open. Without its events
   * what only they tell is missing.
   */
  conclusions(state: State, events: readonly LogEvent[], files: Files): Conclusion[];
  /** Files that `decide`, `nextAction` or `inspect` wants to know about. */
  filesWanted(state: State, purpose: Purpose): FileWanted[];
  /** The events that `inspect` wants to see, given the files; absent where it looks at none. */
  readonly inspected?: (files: Files) => (event: LogEvent) => boolean;
  /** What is wrong with the session: its documents, given these events, and what the log breaks. */
  inspect(
    state: State,
    events: readonly LogEvent[],
    files: Files,
    logFaults: readonly string[],
  ): Inspection;
  /** Absent where every stated rule is enforced. */
  readonly unkept?: UnkeptRules<State>;
  readonly mail?: Mail<State>;
  /**
   * Files to write after this event, the last one folded; without it those that follow from the
   * state alone.
   */
  views(after: State, event: LogEvent | undefined): View[];
  /** The user report, from the state, the newest events, and the state before these: of all or of many. */
  report(
    state: State,
    events: readonly LogEvent[],
    files: Files,
    before: State,
    wants: ReportWants,
  ): Report;
}
