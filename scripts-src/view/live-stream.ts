import type { ServerResponse } from "node:http";
import { watchFolder } from "../files/watch-folder.ts";
import { failureText } from "./failure.ts";
import { FollowedStores } from "./followed-stores.ts";
import type { Queue, SessionFault } from "./page/model.ts";
import { unreadableRow } from "./queue-row.ts";
import type { SessionQueue } from "./session-queue.ts";
import type { Edition, SessionWatch } from "./session-watch.ts";

/** Proxies and laptops forget a line that is silent. */
const beatMs = 15_000;
/** Between two looks at all sessions, while somebody looks; longer where a look takes long. */
const lookMs = 1_000;
/** A page that does not read what it is told is cut off; it comes back and is told again. */
const unreadBytesMax = 32_000_000;

/** One open page, and what it was told last. */
interface Reader {
  readonly response: ServerResponse;
  edition: Edition | undefined;
  fault: string;
  queue: string;
}

/**
 * Tells open pages what is new, by server-sent events. A page that comes, or comes back, is told all
 * that there is now: nothing depends on what it knew.
 */
export class LiveStream {
  readonly #queue: SessionQueue;
  readonly #readers = new Set<Reader>();
  readonly #rooms = new Map<SessionWatch, Room>();
  readonly #look = inTurn(() => this.#tellAll());
  readonly #stores = new FollowedStores(() => this.#look());
  #timer: NodeJS.Timeout | undefined;

  constructor(queue: SessionQueue) {
    this.#queue = queue;
  }

  /** Begins to tell a page of all sessions, and of the one that it shows or why that cannot be shown. */
  add(response: ServerResponse, shown: SessionWatch | SessionFault | undefined): void {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.write("retry: 1000\n\n");
    const reader: Reader = { response, edition: undefined, fault: "", queue: "" };
    const beat = setInterval(() => response.write(": beat\n\n"), beatMs);
    this.#readers.add(reader);
    const room = shown === undefined || "fault" in shown ? undefined : this.#roomOf(shown);
    response.on("close", () => {
      clearInterval(beat);
      this.#readers.delete(reader);
      if (room?.leave(reader) === "empty") this.#rooms.delete(room.watch);
      if (this.#readers.size > 0) return;
      clearTimeout(this.#timer);
      void this.#stores.end();
    });
    if (shown !== undefined && "fault" in shown) send(reader, "fault", JSON.stringify(shown));
    room?.enter(reader);
    this.#look();
  }

  /** Looks at once: somebody acted. */
  nudge(): void {
    this.#look();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const { response } of this.#readers) response.end();
    this.#readers.clear();
    await this.#stores.end();
  }

  #roomOf(watch: SessionWatch): Room {
    const room = this.#rooms.get(watch) ?? new Room(watch, this.#stores);
    this.#rooms.set(watch, room);
    return room;
  }

  /** All sessions again, as long as a page is open; what no file of theirs shows among it. */
  async #tellAll(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#readers.size === 0) return;
    const began = performance.now();
    const isNew = ({ queue }: Reader) => queue === "";
    const early = (queue: Queue) => {
      if ([...this.#readers].some(isNew)) this.#tellQueue(queue, isNew);
    };
    for (const room of this.#rooms.values()) room.tell();
    try {
      const queue = await this.#queue.read(early);
      if (this.#readers.size > 0) this.#stores.follow(this.#queue.ongoing(), this.#shownKeys());
      this.#tellQueue(this.#withFaults(queue), () => true);
    } catch (cause) {
      this.#tellQueue(brokenQueue(failureText(cause, "read the sessions")), () => true);
    }
    const pause = Math.max(lookMs, 4 * (performance.now() - began));
    if (this.#readers.size > 0) this.#timer = setTimeout(this.#look, pause);
  }

  #shownKeys(): Set<string> {
    return new Set([...this.#rooms.keys()].map(({ key }) => key));
  }

  /** A log that is no longer what it was is not shown as if it were. */
  #withFaults({ rows, projects }: Queue): Queue {
    const told = rows.map((row) => {
      try {
        this.#stores.check(row.key);
        return row;
      } catch (cause) {
        return unreadableRow(row, failureText(cause, `read session ${row.id}`));
      }
    });
    return { rows: told, projects };
  }

  #tellQueue(queue: Queue, isFor: (reader: Reader) => boolean): void {
    const text = JSON.stringify(queue);
    for (const reader of this.#readers) {
      if (!isFor(reader) || reader.queue === text) continue;
      send(reader, "queue", text);
      reader.queue = text;
    }
  }
}

/** The list where none can be made: the page says why, and looks again. */
function brokenQueue(fault: string): Queue {
  return { rows: [unreadableRow({ key: "", id: "", project: "" }, fault)], projects: [] };
}

/** The pages that show one session: it is looked at once for all of them. */
class Room {
  readonly watch: SessionWatch;
  readonly tell: () => void;
  readonly #stores: FollowedStores;
  readonly #readers = new Set<Reader>();
  #stop: Promise<() => Promise<void>> | undefined;

  constructor(watch: SessionWatch, stores: FollowedStores) {
    this.watch = watch;
    this.#stores = stores;
    this.tell = inTurn(() => this.#tell());
  }

  enter(reader: Reader): void {
    this.#readers.add(reader);
    this.#stop ??= watchFolder(this.watch.folder, this.tell);
    this.tell();
  }

  leave(reader: Reader): "empty" | undefined {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return undefined;
    void this.#stop?.then((stop) => stop());
    this.#stop = undefined;
    return "empty";
  }

  async #tell(): Promise<void> {
    if (this.#readers.size === 0) return;
    try {
      this.#stores.check(this.watch.key);
      const edition = await this.watch.edition();
      for (const reader of this.#readers) tellEdition(reader, edition);
    } catch (cause) {
      const fault = JSON.stringify(this.watch.faultOf(cause));
      for (const reader of this.#readers) tellFault(reader, fault);
    }
  }
}

/** The whole session, or what of it is not as the page has it; nothing where all is. */
function tellEdition(reader: Reader, edition: Edition): void {
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

function tellFault(reader: Reader, fault: string): void {
  reader.edition = undefined;
  if (reader.fault === fault) return;
  reader.fault = fault;
  send(reader, "fault", fault);
}

function send({ response }: Reader, event: string, json: string): void {
  response.write(`event: ${event}\ndata: ${json}\n\n`);
  if (response.writableLength > unreadBytesMax) response.destroy();
}

/** Calls that come while one runs make one more after it. */
function inTurn(work: () => Promise<void>): () => void {
  let [isBusy, isAsked] = [false, false];
  const run = async () => {
    isBusy = true;
    try {
      do {
        isAsked = false;
        await work();
      } while (isAsked);
    } finally {
      isBusy = false;
    }
  };
  return () => {
    isAsked = true;
    if (!isBusy) void run();
  };
}
