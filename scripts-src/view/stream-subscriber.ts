import type { ServerResponse } from "node:http";
import type { Edition } from "./session-watch.ts";

/** A page that does not read what it is told is cut off; it comes back and is told again. */
const unreadBytesMax = 32_000_000;
/** So many that were cut off are remembered. */
const goneMax = 8;

/** One open page, and what it was told last. */
export interface Reader {
  readonly number: number;
  /** The session that it shows. */
  readonly key: string | undefined;
  response: ServerResponse;
  /** How many events it was sent. */
  sent: number;
  edition: Edition | undefined;
  fault: string;
  queue: string;
}

/** The whole session, or what of it is not as the page has it; nothing where all is. */
export function tellEdition(reader: Reader, edition: Edition): void {
  const { edition: known } = reader;
  const isFirst = known === undefined || edition.seq < known.seq;
  const fresh = [...edition.items].filter(
    ([seq, text]) => isFirst || known.items.get(seq) !== text,
  );
  reader.edition = edition;
  reader.fault = "";
  if (!isFirst && fresh.length === 0 && known.rest === edition.rest) return;
  const items = fresh.map(([, text]) => text).join(",");
  send(reader, isFirst ? "session" : "news", `${edition.rest.slice(0, -1)},"items":[${items}]}`);
}

export function tellFault(reader: Reader, fault: string): void {
  reader.edition = undefined;
  if (reader.fault === fault) return;
  reader.fault = fault;
  send(reader, "fault", fault);
}

export function tellQueue(reader: Reader, queue: string): void {
  if (reader.queue === queue) return;
  reader.queue = queue;
  send(reader, "queue", queue);
}

function send(reader: Reader, event: string, json: string): void {
  reader.sent += 1;
  const { response } = reader;
  response.write(`id: ${idOf(reader)}\nevent: ${event}\ndata: ${json}\n\n`);
  if (response.writableLength > unreadBytesMax) response.destroy();
}

/** The name of the event that a page was sent last: a browser that comes back says which it got last. */
function idOf({ number, sent }: Reader): string {
  return `${number}-${sent}`;
}

/** Pages that were cut off: one that got all that it was sent goes on from there, and any other begins anew. */
export class GoneReaders {
  readonly #gone = new Map<string, Reader>();

  keep(reader: Reader): void {
    this.#gone.set(idOf(reader), reader);
    const [oldest] = this.#gone.keys();
    if (this.#gone.size > goneMax && oldest !== undefined) this.#gone.delete(oldest);
  }

  /** The page that got this event last, where it shows what it showed then. */
  take(lastId: string, key: string | undefined): Reader | undefined {
    const found = this.#gone.get(lastId);
    if (found === undefined || found.key !== key) return undefined;
    this.#gone.delete(lastId);
    return found;
  }
}
