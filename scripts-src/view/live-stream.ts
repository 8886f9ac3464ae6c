import type { ServerResponse } from "node:http";
import { watchFolder } from "../files/watch-folder.ts";
import { failureText } from "./failure.ts";
import type { Queue, SessionFault } from "./page/model.ts";
import { FollowedStores } from "./poll-remote-stores.ts";
import { unreadableRow } from "./queue-row.ts";
import type { SessionQueue } from "./session-queue.ts";
import type { SessionWatch } from "./session-watch.ts";
import {
  GoneReaders,
  type Reader,
  tellEdition,
  tellFault,
  tellQueue,
} from "./stream-subscriber.ts";

/** Proxies and laptops forget a line that is silent. */
const beatMs = 15_000;
/** Between two looks at all sessions, while somebody looks; longer where a look takes long. */
const lookMs = 1_000;

/**
 * Tells open pages what is new, by server-sent events. A page that comes is told all that there is now, and so
 * is one that comes back and missed something of what it was sent; else it is told what is new since.
 */
export class LiveStream {
  readonly #queue: SessionQueue;
  readonly #readers = new Set<Reader>();
  readonly #gone = new GoneReaders();
  readonly #rooms = new Map<SessionWatch, Room>();
  readonly #look = inTurn(() => this.#tellAll());
  readonly #stores = new FollowedStores(() => this.#look());
  #timer: NodeJS.Timeout | undefined;
  #readersCount = 0;

  constructor(queue: SessionQueue) {
    this.#queue = queue;
  }

  /**
   * Begins to tell a page of all sessions, and of the one that it shows or why that cannot be shown; `lastId`
   * names the event that it got last, "" for none.
   */
  add(response: ServerResponse, shown: SessionWatch | SessionFault | undefined, lastId: string) {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.write("retry: 1000\n\n");
    const reader = this.#readerOf(response, shown?.key, lastId);
    const beat = setInterval(() => response.write(": beat\n\n"), beatMs);
    this.#readers.add(reader);
    const room = shown === undefined || "fault" in shown ? undefined : this.#roomOf(shown);
    response.on("close", () => {
      clearInterval(beat);
      this.#readers.delete(reader);
      this.#gone.keep(reader);
      if (room?.leave(reader) === "empty") this.#rooms.delete(room.watch);
      if (this.#readers.size > 0) return;
      clearTimeout(this.#timer);
      void this.#stores.end();
    });
    if (shown !== undefined && "fault" in shown) tellFault(reader, JSON.stringify(shown));
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

  #readerOf(response: ServerResponse, key: string | undefined, lastId: string): Reader {
    const known = this.#gone.take(lastId, key);
    if (known !== undefined) {
      known.response = response;
      return known;
    }
    this.#readersCount += 1;
    const told = { sent: 0, edition: undefined, fault: "", queue: "" };
    return { number: this.#readersCount, key, response, ...told };
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
    for (const reader of this.#readers) if (isFor(reader)) tellQueue(reader, text);
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
