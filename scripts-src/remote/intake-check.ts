import type { RemoteStore } from "./remote-store.ts";

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

/** What a gate may ask of the store: as of the events that came in before. */
export type StoreBefore = Pick<RemoteStore, "count" | "linesAfter" | "documents" | "read">;

/**
 * Looks at events that are about to come in, in their order, with what those know of them who know what
 * kind of session it is. Gives the first that must not; nothing of it, or after it, is taken.
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
  const bytesOf = (version: string) => async () => {
    const [found] = await store.read([{ path, version }]);
    return found?.bytes ?? new Uint8Array();
  };
  return {
    path,
    ...(before === undefined ? {} : { before: bytesOf(before) }),
    ...(after === undefined ? {} : { after: bytesOf(after) }),
  };
}
