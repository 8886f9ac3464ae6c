import { type JsonObject, quote } from "../base/json.ts";
import type { LogEvent } from "../log/event.ts";
import type { AuditSubject } from "./audit.ts";
import type { CheckSpec } from "./check-spec.ts";
import type { EvidenceRecord } from "./evidence.ts";
import type { DeliveryNote, PersonState } from "./person-step.ts";

// `Kind`, at the end of this file, is the contract of one kind of session; the types before it are its words.

/**
 * A file that a rule looks at: its text, its SHA-256 where the bytes are all that counts, or only
 * whether there is one; or the names in a folder; or the SHA-256 of a few files anywhere below a folder that
 * were created or changed.
 */
export interface FileWanted {
  /** With slashes, relative to the session's folder or to one above it; "" is that folder. */
  readonly path: string;
  readonly as: "text" | "sha256" | "file" | "names" | "changed";
  /** A file that last changed before this time has no SHA-256. */
  readonly since?: string;
  /** How many folders above the session's the path starts; 0 unless said. */
  readonly foldersUp?: number;
}

/** What such a file looks like now; a file that does not exist has no fact. */
export interface FileFact {
  readonly bytes: number;
  /** Present when it was wanted. */
  readonly sha256?: string;
  /** Present when it was wanted and the file is UTF-8 of an allowed size. */
  readonly text?: string;
  /** Present when they were wanted and the path is a folder; in order. */
  readonly names?: readonly string[];
  /** Why there is no text, worded to follow the path: `is not UTF-8 text: save it as UTF-8`. */
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
  /** What a new claim says. */
  readonly text?: string;
  /** The hash of what an older claim rested on: the same lines at another place of their file are it. */
  readonly sha256?: string;
}

/** As much of a record as it takes to look again. */
export type SeenBefore = Pick<
  EvidenceRecord,
  "claim" | "kind" | "spec" | "expect" | "met" | "sha256" | "files"
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

/** What one session shows of whether a second model was worth its cost. */
export interface Payoff {
  /** Something was decided: by both, or by the person. */
  readonly decided: boolean;
  /** Whether the decision differs from the first blind answer of the session's initiator. */
  readonly changedFirst: boolean | undefined;
  /** Claims that did not hold when the other side looked, or that were taken back. */
  readonly fell: number;
  /** What its newest audit found: claims not shown, and faults of the decision; undefined without one. */
  readonly auditFound: number | undefined;
  /** What the person said later of the decision. */
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
 * What a protocol makes of a submission: an event to append, the seq of the event that the very same
 * submission made earlier, or the reason why it is rejected.
 */
export type Decision =
  | {
      readonly ok: true;
      readonly event: LogEvent;
      readonly additions?: readonly Addition[];
      /** What its sender should know although the event is accepted. */
      readonly remarks?: readonly string[];
    }
  | { readonly ok: true; readonly already: number }
  | Refusal;

export interface Refusal {
  readonly ok: false;
  readonly reason: string;
  /** The reasons one by one, when there are several. */
  readonly reasons?: readonly string[];
  /** The exit code that says it; REFUSED by default. */
  readonly code?: "EXISTS" | "NOT_YET" | undefined;
  /** Nothing is wrong with the submission but its time. */
  readonly later?: boolean;
}

/** What is wrong with an event of a stranger, to follow its name. */
export function takesNoPart(from: string): string {
  return `is from ${quote(from)}, who takes no part`;
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

/** When a message reached a stage of its delivery, and by which script of ours. */
export type Reached = { at: string; by: string };

/** A delivery that its recipient has not acted on; `rung` is when it was notified, `inTurn` when it was seen. */
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
   * The options of `append-event` in their order, without those for the participant and the session.
   * `-` means the file with the draft, filled in.
   */
  readonly options: Readonly<Record<string, string>>;
  /** The script, when it is not `append-event`: it takes the folder, the participant, these words, the options. */
  readonly script?: { readonly name: string; readonly words: readonly string[] };
  /** A draft to fill in. */
  readonly input?: JsonObject | string;
  /** Which draft of the participant this is: the number grows with each one that was sent. */
  readonly draft?: number;
}

/** In a form the folder that its reader works in, which the script that prints it knows. */
export const workingDirectory = "<your working directory>";

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
  /** Obligations that may wait. */
  readonly todo?: readonly string[];
  /** Claims that this participant has to look at first, each by the script `check`; "" is a look of its own. */
  readonly toCheck?: readonly string[];
  /** Claims that only a command shows: to look at as well, where the user allows it. */
  readonly toRun?: readonly { readonly claim: string; readonly argv: readonly string[] }[];
  /** What the person decided about a session that has ended. */
  readonly decided?: { readonly seq: number; readonly at: string; readonly text: string };
  /** What the participant may do, in words. */
  readonly advice: string[];
  /** What it may append: the expected event first. Empty when there is nothing to send. */
  readonly moves: Move[];
  /** Documents of the session's folder that this participant may write now. */
  readonly documents: string[];
}

/** That the person has paused a session: no participant is called until they resume it. */
export interface PauseMark {
  readonly at: string;
  /** "" where they gave no reason. */
  readonly because: string;
  /** Who is called when they resume. */
  readonly held: readonly string[];
  /** Who had the turn when the pause began and may still end that turn. */
  readonly stillBusy: readonly string[];
}

/** What a session waits for from the person, however long that takes. */
export interface PersonNeed {
  /** An answer, with which it goes on; a decision, which closes it; or a way out of what blocks it. */
  readonly wants: "answer" | "decision" | "way out";
  /** The words of the participant that asks: quoted data. */
  readonly text: string;
  readonly since: string;
  /** The event that asked; absent where only a decision of the person ends the session. */
  readonly seq?: number;
}

/** Whoever a participant is told of while names stay out: a vendor's name is no argument. */
export const unnamedPeer = "your peer";

/** A participant as another one of the session is told of it. */
export function shownName({ unnamed }: Pick<SessionStatus, "unnamed">, name: string): string {
  return unnamed === true ? unnamedPeer : name;
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
  /** Who has the turn; empty while the person has paused the session. */
  readonly waitingFor: readonly string[];
  readonly paused?: PauseMark;
  /** Absent where nothing waits for the person. */
  readonly needsPerson?: PersonNeed;
  /** Its participants are not told each other's names yet: some have taken no stand. */
  readonly unnamed?: true;
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

/** A file that is derived from the log. */
export interface View {
  /** The folder that the path starts from: the session's, the workspace, or its folder for artifacts. */
  readonly within: "session" | "workspace" | "artifacts";
  readonly folder: readonly string[];
  readonly name: string;
  readonly text: string;
  /** The mark of a file that we wrote; a file without it is left alone, and ours gets the other name. */
  readonly ours?: { readonly mark: string; readonly otherwise: string };
  /** Fields of a JSON file that keep the values which others wrote. */
  readonly keeps?: readonly string[];
}

export interface ReportSection {
  readonly heading: string;
  readonly lines: string[];
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
  readonly facts: string[];
  readonly sections: ReportSection[];
  /** What only a script can notice and what is no fault: one line each, in our words. */
  readonly marks?: readonly string[];
  /** Sections for reference, at the end. */
  readonly appendix?: readonly ReportSection[];
  /** What a decision record tells; absent where nothing was decided or left to decide. */
  readonly record?: DecisionRecord;
  /** For programs: what a kind tells beside these texts. */
  readonly data?: JsonObject;
}

/** What a decision rests on, looked at again: the claims that were checked, and those that changed. */
export interface Today {
  readonly looked: readonly string[];
  readonly changed: readonly { readonly claim: string; readonly why: string }[];
}

/** What a report needs to tell more than the log says. */
export interface ReportWants<State = JsonObject> {
  readonly files: Files;
  /** The state before the events. */
  readonly before: State;
  readonly today: Today;
  /** How each message came to its recipient. */
  readonly delivery: boolean;
}

/** What an ended session leaves to later sessions on its topic. */
export interface Conclusion {
  /** Unique among the conclusions of a session. */
  readonly what: "decision" | "undecided" | "synthesis" | "readiness" | "findings";
  /** How it was reached, in our words. */
  readonly outcome: string;
  /** What the participants said: shown as quoted data only. */
  readonly text: string;
}

/** What is wrong with a session. Errors break a rule, warnings should be looked at. */
export interface Inspection {
  readonly errors: string[];
  readonly warnings: string[];
  /** Stated rules that are not kept, of those that the original scripts do not check. */
  readonly unkept?: readonly string[];
}

/** The messages of a session on their way to inboxes. */
export interface Mail<State> {
  /** What was said to this participant and not answered yet, oldest first. */
  pending(state: State, participant: string): Pending[];
  /**
   * The text of a delivery that `pending` lists, from the event with its seq; undefined where only the state at that
   * event tells it, and this one has gone on.
   */
  letter(state: State, delivery: Delivery, event: LogEvent): string | undefined;
  /** The event that records a note; undefined when it would say nothing new. */
  note(state: State, note: DeliveryNote): LogEvent | undefined;
}

/** What the files are wanted for. */
export type Purpose =
  | { readonly for: "decision"; readonly participant: string; readonly fields: JsonObject }
  | { readonly for: "guidance"; readonly participant: string }
  | { readonly for: "notice" }
  | { readonly for: "conclusion" }
  | { readonly for: "inspection" };

/** A change to the session's files that no script of ours made, as the event to record for it. */
export type ForeignChange = Pick<Submission, "participant" | "fields">;

/** Settings that a session keeps in a file beside its log. */
export interface SettingsReader {
  readonly file: string;
  /** Undefined text when there is no such file. Never throws: `fault` tells. */
  read(text: string | undefined): JsonObject;
  /** Why these settings cannot be used; undefined when they can. */
  fault(settings: JsonObject): string | undefined;
  /** What the file says, outside the settings, that no log can make true. */
  stated?(text: string): string | undefined;
}

/** What an event may do to a document of its session on the way to other machines. */
export type DocumentRight =
  /** Bring it, whatever was there. */
  | { readonly may: "replace" }
  /** Bring it where none was there. */
  | { readonly may: "begin" }
  /** Add at its end, where nothing is wrong with what it adds. */
  | { readonly may: "add"; readonly fault: (added: string) => string | undefined };

/** What shared code needs to know of a kind without knowing which one it is. */
export interface KindTraits {
  /** What people call a session of it, with its article: `a dialogue`. */
  readonly called: string;
  /** What `validate --folder` calls what it has looked at. */
  readonly validatedAs: string;
  /** The default for the most turns that `consult` gives. */
  turnsMax(maxRounds: number, participants: number): number;
  /** Whether old sessions that have ended are removed, because their results are kept elsewhere. */
  readonly isRemovedWhenOld?: boolean;
  /** How one participant ends it when the others are gone. */
  readonly wayOut?: string;
  /** What people are told when the participant that has the turn is silent. */
  readonly whenSilent?: string;
  /** What to do about a damaged log, where the session's other files hold everything. */
  readonly damagedLog?: string;
}

/**
 * One kind of session as a decider (DESIGN section 3). All functions are pure. `State` is plain
 * JSON: a checkpoint keeps it. What is optional may be absent where a kind has no such thing.
 */
export interface Kind<State extends JsonObject = FoldedState> {
  readonly name: string;
  readonly traits: KindTraits;
  /** Raised when `State` changes its shape; older checkpoints are then rebuilt from the log. */
  readonly stateVersion: number;
  /** Whether other programs write this log as well: its faults are then reported, not rejected. */
  readonly sharedLog: boolean;
  /** It takes the person's answers, decisions and verdicts as events of its log. */
  readonly heedsPerson?: boolean;
  /**
   * Whether the log holds what the person says and does: `evolve` ignores such events. Otherwise, as
   * where other programs read the log, a log of the person beside it holds them.
   */
  readonly takesPersonSteps?: boolean;
  /** Whether one who is no participant yet is told how to become one, instead of being rejected. */
  readonly isOpen?: boolean;
  /** The file that holds settings beside the log. Absent where the log has everything. */
  readonly settings?: SettingsReader;
  initialState(settings: JsonObject): State;
  evolve(state: State, event: LogEvent): State;
  decide(state: State, submission: Submission): Decision;
  /** Which rules a stored event breaks at its place in the log; empty when none. */
  eventFaults(state: State, event: LogEvent): string[];
  /**
   * Why no script of any version would have stored an event at this place, to follow its name; of what
   * other machines send such a one never comes in. `evolve` reads whatever has no such fault.
   */
  intakeFault(state: State, event: LogEvent): string | undefined;
  /** `pausedBy`: who it is, if not the user, that has paused the session. */
  nextAction(state: State, participant: string, files: Files, pausedBy?: string): Guidance;
  standing(state: State): SessionStatus;
  /** Whether the participant has said nothing yet, and nothing is decided. */
  isNewTo(state: State, participant: string): boolean;
  /** Files that `decide`, `nextAction` or `inspect` wants to know about. */
  filesWanted(state: State, purpose: Purpose): FileWanted[];
  /** What is wrong with the session: its documents, given these events, and what the log breaks. */
  inspect(
    state: State,
    events: readonly LogEvent[],
    files: Files,
    logFaults: readonly string[],
  ): Inspection;
  /**
   * Files to write after this event, the last one folded; without it those that follow from the
   * state alone.
   */
  views(after: State, event: LogEvent | undefined): View[];
  /** The user report. `events` are the newest ones, all or many. */
  report(state: State, events: readonly LogEvent[], wants: ReportWants<State>): Report;
  /**
   * What the session leaves, the most important first; nothing while it is open. When no events are
   * given, what only they tell is missing.
   */
  conclusions(state: State, events: readonly LogEvent[], files: Files): Conclusion[];
  /** The messages on their way. Absent where participants read documents instead. */
  readonly mail?: Mail<State>;
  /**
   * What the files show that the log does not say yet. Absent where only our scripts make events; a
   * kind that has it treats a folder without any log as a session too.
   */
  notice?(state: State, files: Files): ForeignChange[];
  /** What the next event may do to a document; undefined where it leaves that alone. */
  documentRight?(state: State, event: LogEvent, path: string): DocumentRight | undefined;
  /** Makes, of the files, the filter of the events that `inspect` needs; absent where it needs none. */
  isNeededToInspect?(files: Files): (event: LogEvent) => boolean;
  /** Whether an event is taken only while `inspect` finds no error. */
  onlyWhenValid?(event: string): boolean;
  /** The submission that ends the session without a result; `by` is a participant or `user`. Absent where it ends by itself. */
  closing?(state: State, by: string, reason: string): Closing;
  evidenceNeeded?(state: State, submission: Submission): EvidenceNeeded[];
  /** The claims that a participant may check; absent where nothing rests on evidence. */
  claims?(state: State): ClaimMade[];
  /** What the decision rests on, or would: each claim's newest record that met what was expected. */
  restsOn?(state: State): SeenBefore[];
  /** The message of a decision that no auditor has read as it is, and one may; undefined for none. */
  auditWanted?(state: State): number | undefined;
  /** What an auditor reads, given all events; or why there is nothing to read. */
  auditSubject?(state: State, events: readonly LogEvent[]): AuditSubject | string;
  /** What only a script can notice of the session, and what is no fault: one line each, in our words. */
  marks?(state: State): string[];
  /** What a finished session says of whether a second participant paid; undefined where nobody can tell. */
  payoff?(state: State): Payoff | undefined;
}

/** The state of any kind, with what the user has said and done in the session (`withPerson`). */
export interface FoldedState extends JsonObject {
  readonly user: PersonState;
}

/** A session of any kind at one point of its log. */
export interface SessionState {
  readonly kind: Kind;
  readonly state: FoldedState;
}
