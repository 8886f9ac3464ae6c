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

/** What keeps sessions, before one of them is opened: a git remote, a cluster. */
export interface StoreHost {
  /**
   * Where a session that begins will be there: of git a ref.
   * @throws ConsultaError REFUSED for a name that the store does not take.
   */
  refFor(session: string): string;
  /** Where a session is; undefined where it is free. @throws ConsultaError UNAVAILABLE. */
  find(session: string): Promise<string | undefined>;
  /** The sessions there, by their ids. @throws ConsultaError UNAVAILABLE. */
  sessions(): Promise<string[]>;
  /** @throws ConsultaError REFUSED where the store lets this user write as anybody, whoever signs what. */
  refuseUnprovable(): Promise<void>;
}

/**
 * Where the log of one session is kept for several machines. A store knows lines and documents, not
 * events: `RemoteEventLog` makes an event log of it and of the copy in the session's folder.
 */
export interface RemoteStore {
  /** Where it is, in words for people; holds no credential. */
  readonly where: string;

  /** Where the person's own log of the session is kept, if the store was opened with one; it is signed where the session is. */
  readonly beside?: RemoteStore | undefined;

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
   * Calls `onNews` as soon as there may be more than was fetched, where the store can tell by itself;
   * `onEnd` when it can no longer. Returns what ends it. A waiting process looks all the same, only seldom.
   */
  ring?(onNews: () => void, onEnd: () => void): () => void;
}

/** What an event changes of a document: the bytes before and after it, each absent where there is none. */
export interface DocumentChange {
  readonly path: string;
  readonly before?: Bytes;
  readonly after?: Bytes;
}

type Bytes = () => Promise<Uint8Array>;

/** An event on its way into the copy here, or out of it. */
export interface Arrival {
  readonly seq: number;
  /** Sound by itself: it follows the one before. */
  readonly line: string;
  readonly changes: readonly DocumentChange[];
}

export interface ArrivalFault {
  readonly seq: number;
  /** To follow the event's name. */
  readonly fault: string;
  /** The document that it is about, if it is about one. */
  readonly path?: string;
}

/** What an intake check may ask of the store: as of the events that came in before. */
export type StoreBefore = Pick<RemoteStore, "count" | "linesAfter" | "documents" | "read">;

/**
 * Looks at events that are about to come in, in their order, by the rules of the session's kind. Gives the first
 * that must not; nothing of it, or after it, is taken.
 */
export type Gate = (
  arrivals: readonly Arrival[],
  store: StoreBefore,
) => Promise<ArrivalFault | undefined>;

/** The change from one stored version of a document to another; undefined for none of both. */
export function changeOf(
  store: Pick<RemoteStore, "read">,
  path: string,
  before: string | undefined,
  after: string | undefined,
): DocumentChange {
  const bytesOf = (version: string) => async () =>
    (await store.read([{ path, version }]))[0]?.bytes ?? new Uint8Array();
  return {
    path,
    ...(before === undefined ? {} : { before: bytesOf(before) }),
    ...(after === undefined ? {} : { after: bytesOf(after) }),
  };
}
