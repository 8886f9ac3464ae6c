import type { ConsultaError } from "../base/errors.ts";
import type { JsonValue } from "../base/json.ts";
import type { LogEvent } from "./event.ts";
import type { ChainCheck } from "./inspect-log.ts";

/** A place in a log: after event `seq`. `mark` belongs to the store; keep it, never read it. */
export interface Cursor {
  readonly seq: number;
  readonly mark: JsonValue;
}

/** Events in order and the place after the last of them; `more` says that another read gives more. */
export interface Page {
  readonly events: LogEvent[];
  /** What is wrong with these events, where others write the log as well; else they are sound. */
  readonly faults: string[];
  readonly cursor: Cursor;
  readonly more: boolean;
}

/** A document of the session as it is to be read together with an event: a path below the session's folder. */
export interface EventDocument {
  readonly path: string;
  /** Null where it is no longer there. */
  readonly bytes: Uint8Array | null;
}

/** What other machines have in a document as of the event before; undefined where there is none. */
export type SharedText = (path: string) => Promise<Uint8Array | undefined>;

/** The documents that go to other machines with an event; called for just before it goes. */
export type CarriedDocuments = (shared: SharedText) => Promise<readonly EventDocument[]>;

/** Who waits for what other machines append. */
export interface LogFollower {
  /**
   * Told why nothing more comes: undefined once what was wrong with the log is put right. Of a bug as well,
   * for nobody else can tell it; nothing more comes after one.
   */
  onFault(fault: Error | undefined): void;
  /** Told when the store can no longer be reached; what comes once it can needs no word. */
  readonly onLost?: ((why: ConsultaError) => void) | undefined;
}

/** A value folded from the log up to `cursor`. */
export interface Checkpoint {
  readonly cursor: Cursor;
  readonly value: JsonValue;
}

/**
 * The append-only log of one session: the only truth (DESIGN section 5).
 *
 * An acknowledged event survives a crash and, unless the store says otherwise, a power cut. Two
 * writers never take the same seq. Readers never see a torn, reordered or missing event.
 */
export interface EventLog {
  /** The place before the first event. */
  readonly start: Cursor;

  /**
   * The events after a cursor, at most about 4 MiB at once.
   * @throws ConsultaError REFUSED when the log is damaged; the message names file and line.
   */
  read(after: Cursor): Promise<Page>;

  /** Every line that cannot be read, as `events.jsonl line 3 is not JSON: ...`; none where the log is sound. */
  damage(): Promise<string[]>;

  /** Which lines are no longer as they were when the one after them was appended. */
  chain(): Promise<ChainCheck>;

  /** How it differs from what other machines have of it; none where it is kept here alone. */
  differences(): Promise<string[]>;

  /** The event with this seq, in time that hardly grows with the log; undefined when absent. */
  at(seq: number): Promise<LogEvent | undefined>;

  /** The place before the event with this seq, as fast as `at`; undefined where only a scan can tell. */
  before(seq: number): Promise<Cursor | undefined>;

  /**
   * Stores `event`, whose seq must be `after.seq + 1`, durably, and gives the place after it; or
   * undefined when another writer took that place: read on and decide again.
   * @throws ConsultaError REFUSED when the event is too large, UNAVAILABLE when the disk is full
   * or refuses, or the log is kept elsewhere and out of reach; the event may then be stored or not:
   * read on and look for its `id`.
   *
   * A log that other machines read as well stores the `documents` with the event; to others they lie in
   * the session's folder already, and nobody calls for them.
   */
  append(after: Cursor, event: LogEvent, documents?: CarriedDocuments): Promise<Cursor | undefined>;

  /**
   * Brings here what was appended on other machines, and says whether there can be any: false where
   * the log is kept here alone.
   * @throws ConsultaError UNAVAILABLE when it is out of reach: what is here can still be read; REFUSED
   * when it is not what it was.
   */
  fetch(): Promise<boolean>;

  /** Brings it here as it comes, for somebody who waits; returns the function that stops it. */
  follow(follower: LogFollower): Promise<() => Promise<void>>;

  /** The saved checkpoint if it fits this log; undefined when absent, damaged or from another log. */
  loadCheckpoint(): Promise<Checkpoint | undefined>;

  /** Saves a checkpoint; it speeds up the next reader and is never needed to be right. */
  saveCheckpoint(checkpoint: Checkpoint): Promise<void>;
}

/** A log page by page: a reader of all of it keeps of it what it needs. */
export async function* pagesOf(log: EventLog, after = log.start) {
  let cursor = after;
  for (let more = true; more; ) {
    const page = await log.read(cursor);
    yield page;
    ({ cursor, more } = page);
  }
}
