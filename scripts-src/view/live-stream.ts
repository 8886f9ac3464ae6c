import type { ServerResponse } from "node:http";
import { watchFolder } from "../files/watch-folder.ts";
import type { Queue } from "./page/model.ts";
import type { SessionQueue } from "./session-queue.ts";
import { printsOf, type SessionWatch } from "./session-watch.ts";

/** Proxies and laptops forget a line that is silent. */
const beatMs = 15_000;
/** Between two looks at all sessions, while somebody looks; longer where a look takes long. */
const lookMs = 1_000;

/** One open page: it is told what it lacks, and after a gap what it missed. */
interface Reader {
  readonly response: ServerResponse;
  readonly watch: SessionWatch | undefined;
  /** What it shows: the newest event, each item as it has it, the list. */
  seq: number;
  shown: Map<number, string>;
  queue: string;
  stop: () => void;
}

/**
 * Tells open pages what is new, by server-sent events. The id of an event is the seq of the session's
 * log: a page that was cut off says the last one that it has, and gets all that came since.
 */
export class LiveStream {
  readonly #queue: SessionQueue;
  readonly #readers = new Set<Reader>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(queue: SessionQueue) {
    this.#queue = queue;
  }

  /** Begins to tell a page; `since` is the event that it knows of the session which it shows. */
  async add(
    response: ServerResponse,
    watch: SessionWatch | undefined,
    since: number,
  ): Promise<void> {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.write("retry: 1000\n\n");
    const reader: Reader = {
      response,
      watch,
      seq: since,
      shown: new Map(),
      queue: "",
      stop: () => {},
    };
    const beat = setInterval(() => response.write(": beat\n\n"), beatMs);
    let isGone = false;
    response.on("close", () => {
      isGone = true;
      clearInterval(beat);
      this.#readers.delete(reader);
      reader.stop();
      if (this.#readers.size === 0) this.#rest();
    });
    this.#readers.add(reader);
    const tell = inTurn(() => this.#tellSession(reader));
    const stop = watch === undefined ? undefined : await watchFolder(watch.folder, tell);
    reader.stop = () => void stop?.();
    if (isGone) reader.stop();
    tell();
    this.#look();
  }

  /** Looks at once: somebody acted. */
  nudge(): void {
    this.#look();
  }

  close(): void {
    this.#rest();
    for (const { response } of this.#readers) response.end();
  }

  async #tellSession(reader: Reader): Promise<void> {
    const { watch } = reader;
    if (watch === undefined) return;
    try {
      const news = await watch.news(reader.shown);
      const isNew = news.items.length > 0 || news.seq !== reader.seq;
      for (const [seq, text] of printsOf(news.items)) reader.shown.set(seq, text);
      reader.seq = news.seq;
      if (isNew) send(reader, "session", news, news.seq);
    } catch (cause) {
      reader.shown.clear();
      send(reader, "fault", watch.faultOf(cause));
    }
  }

  /** All sessions again, as long as a page is open. */
  #look(): void {
    clearTimeout(this.#timer);
    if (this.#isLooking || this.#readers.size === 0) return;
    this.#isLooking = true;
    const began = performance.now();
    this.#queue
      .read((early) => this.#tellQueue(early, ({ queue }) => queue === ""))
      .then((queue) => this.#tellQueue(queue))
      .finally(() => {
        this.#isLooking = false;
        const pause = Math.max(lookMs, 4 * (performance.now() - began));
        if (this.#readers.size > 0) this.#timer = setTimeout(() => this.#look(), pause);
      });
  }

  #tellQueue(queue: Queue, isFor: (reader: Reader) => boolean = () => true): void {
    const text = JSON.stringify(queue);
    for (const reader of this.#readers) {
      if (isFor(reader) && reader.queue !== text) send(reader, "queue", queue);
      if (isFor(reader)) reader.queue = text;
    }
  }

  #rest(): void {
    clearTimeout(this.#timer);
  }
}

function send({ response }: Reader, event: string, data: object, id?: number): void {
  const head = id === undefined ? "" : `id: ${id}\n`;
  response.write(`${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Calls that come while one runs make one more after it. */
function inTurn(work: () => Promise<void>): () => void {
  let [isBusy, isAsked] = [false, false];
  const run = async () => {
    isBusy = true;
    do {
      isAsked = false;
      await work();
    } while (isAsked);
    isBusy = false;
  };
  return () => {
    isAsked = true;
    if (!isBusy) void run();
  };
}
