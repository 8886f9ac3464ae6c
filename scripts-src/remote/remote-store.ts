import type { EventDocument } from "../log/event-log.ts";

/** A document as a store has it; `version` differs where its bytes do. */
export interface StoredDocument {
  readonly path: string;
  readonly version: string;
}

/** What a document holds. */
export type DocumentText = EventDocument & { readonly bytes: Uint8Array };

/** What became of a line: `taken` when another writer was faster. */
export type AppendEnd = "stored" | "taken";

/**
 * Where the log of one session is kept for several machines. A store knows lines and documents, not
 * events: `RemoteEventLog` makes an event log of it and of the copy in the session's folder.
 */
export interface RemoteStore {
  /** Where it is, in words for people; holds no credential. */
  readonly where: string;

  /**
   * Brings here what is new and returns how many lines there are. Nothing that is not sound comes in.
   * @throws ConsultaError UNAVAILABLE when it is out of reach, REFUSED when what it holds is not what
   * it held, or not what a script of Consulta wrote.
   */
  fetch(): Promise<number>;

  /** How many lines there were at the last fetch of any process on this machine. */
  count(): Promise<number>;

  /** The lines after `seq` as they were fetched, without their newlines. */
  linesAfter(seq: number): Promise<string[]>;

  /**
   * Stores a line and the documents that go with it, as the one after `seq - 1`; durably, as far as
   * the store promises that.
   * @throws ConsultaError UNAVAILABLE when it may be stored or not, and as `fetch`.
   */
  append(seq: number, line: string, documents: readonly EventDocument[]): Promise<AppendEnd>;

  /** The documents as of the last line that was fetched. */
  documents(): Promise<StoredDocument[]>;

  /** What some of these documents hold. */
  read(documents: readonly StoredDocument[]): Promise<DocumentText[]>;

  /**
   * Whether there is more than was fetched, here or in the log beside it: as cheap as the store has it.
   * @throws ConsultaError UNAVAILABLE when it is out of reach.
   */
  hasNews(): Promise<boolean>;

  /** Whether there is more in the log beside it than was fetched, as of the last look at the store. */
  hasNewsBeside(): Promise<boolean>;

  /**
   * Calls `onNews` as soon as there may be more than was fetched, where the store can tell by itself;
   * `onEnd` when it can no longer. Returns what ends it. Who waits looks all the same, only seldom.
   */
  ring(onNews: () => void, onEnd: () => void): () => void;

  /** Tells other machines that a participant waits here, until what is given is called; where the store can. */
  attend(participant: string): () => Promise<void>;

  /** Who waits on other machines; undefined where the store cannot tell. */
  attending(): Promise<readonly string[] | undefined>;
}
