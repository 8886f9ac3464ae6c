import type { ServerResponse } from "node:http";
import type { Clock } from "../base/clock.ts";
import { watchFolder } from "../files/watch-folder.ts";
import { commandLine, readerAnywhere } from "../script/command-line.ts";
import { FollowedLogs } from "../session/waiting/follow.ts";
import type { QueueRow, SessionFault, SessionModel } from "./page/model.ts";
import { sessionModel } from "./session-model.ts";
import { failureText, type SessionQueue, unreadableRow } from "./session-queue.ts";
import { LiveStory } from "./session-timeline.ts";

/** Proxies and laptops forget a line that is silent. */
const beatMs = 15_000;
/** Between two looks at all sessions, while somebody looks; longer where a look takes long. */
const lookMs = 1_000;
/** A page that does not read what it is told is cut off; it comes back and is told again. */
const unreadBytesMax = 32_000_000;

/** One open page, and what it was told last, by the name of the event. */
interface Reader {
  /** The session that it shows. */
  readonly key: string | undefined;
  readonly response: ServerResponse;
  readonly told: Map<string, string>;
}

/** A session that pages show. */
interface Room {
  readonly story: LiveStory;
  readonly stop: Promise<() => Promise<void>>;
}

/** A log into which other machines may write. */
interface Followed {
  readonly logs: FollowedLogs;
  readonly begun: Promise<void>;
}

/** Tells open pages, by server-sent events, all sessions and the one that they show, whenever these change. */
export class LiveStream {
  readonly #queue: SessionQueue;
  readonly #clock: Clock;
  readonly #readers = new Set<Reader>();
  readonly #rooms = new Map<string, Room>();
  readonly #followed = new Map<string, Followed>();
  readonly #lookAtAll = inTurn(() => this.#tellQueue());
  readonly #lookAtShown = inTurn(() => this.#tellShown());
  #timer: NodeJS.Timeout | undefined;

  constructor(queue: SessionQueue, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
  }

  /** Begins to tell a page of all sessions, and of the one that it shows. */
  add(response: ServerResponse, key: string | undefined): void {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.write("retry: 1000\n\n");
    const reader: Reader = { key, response, told: new Map() };
    this.#readers.add(reader);
    const beat = setInterval(() => response.write(": beat\n\n"), beatMs);
    response.on("close", () => {
      clearInterval(beat);
      this.#readers.delete(reader);
      this.#closeRooms();
      if (this.#readers.size === 0) void this.#unfollow([...this.#followed.keys()]);
    });
    this.look();
  }

  /** Looks at once. */
  look(): void {
    this.#lookAtShown();
    this.#lookAtAll();
  }

  /** A session as of now, or of an event, or why it cannot be shown. */
  async model(key: string, at?: number): Promise<SessionModel | SessionFault> {
    let command = `${commandLine("status", {}, [], readerAnywhere())} --all`;
    try {
      const entry = this.#queue.entry(key);
      const where = { folder: { path: entry.folder } };
      command = commandLine("validate", where, [], readerAnywhere());
      this.#followed.get(key)?.logs.check();
      const story = this.#rooms.get(key)?.story ?? new LiveStory(entry.place());
      const { seq: lastSeq } = await story.now();
      const point = await (at === undefined ? story.now() : story.asOf(at));
      return await sessionModel(point, { key, project: entry.project, lastSeq }, this.#clock);
    } catch (cause) {
      return { key, fault: failureText(cause, "read the session"), command };
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const { response } of this.#readers) response.end();
    this.#readers.clear();
    this.#closeRooms();
    await this.#unfollow([...this.#followed.keys()]);
  }

  async #tellShown(): Promise<void> {
    for (const key of new Set([...this.#readers].flatMap((it) => it.key ?? []))) {
      this.#openRoom(key);
      const model = await this.model(key);
      const [event, other] = "fault" in model ? ["fault", "session"] : ["session", "fault"];
      const text = JSON.stringify(model);
      for (const reader of this.#readers)
        if (reader.key === key) {
          reader.told.delete(other);
          tell(reader, event, text);
        }
    }
  }

  /** One watch for all pages that show a session; where it cannot be opened its model says why. */
  #openRoom(key: string): void {
    if (this.#rooms.has(key)) return;
    try {
      const place = this.#queue.entry(key).place();
      const stop = watchFolder(place.folder, this.#lookAtShown);
      this.#rooms.set(key, { story: new LiveStory(place), stop });
    } catch {
      // Looked for again at the next look.
    }
  }

  #closeRooms(): void {
    const shown = new Set([...this.#readers].map((it) => it.key));
    for (const [key, { stop }] of this.#rooms)
      if (!shown.has(key)) {
        this.#rooms.delete(key);
        void stop.then((end) => end());
      }
  }

  /** All sessions again, as long as a page is open; what no file of theirs shows among it. */
  async #tellQueue(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#readers.size === 0) return;
    const began = performance.now();
    const { rows, projects } = await this.#queue.read();
    if (this.#readers.size > 0) this.#followStores();
    const text = JSON.stringify({ rows: rows.map((row) => this.#checked(row)), projects });
    for (const reader of this.#readers) tell(reader, "queue", text);
    const pause = Math.max(lookMs, 4 * (performance.now() - began));
    if (this.#readers.size > 0) this.#timer = setTimeout(() => this.look(), pause);
  }

  /** A log that is no longer what it was is not shown as if it were. */
  #checked(row: QueueRow): QueueRow {
    try {
      this.#followed.get(row.key)?.logs.check();
      return row;
    } catch (cause) {
      return unreadableRow(row, failureText(cause, `read session ${row.id}`));
    }
  }

  /** Brings in what other machines append to the sessions that go on. */
  #followStores(): void {
    const ongoing = new Map(this.#queue.ongoing());
    void this.#unfollow([...this.#followed.keys()].filter((key) => !ongoing.has(key)));
    for (const [key, { log }] of ongoing) {
      if (this.#followed.has(key)) continue;
      const logs = new FollowedLogs();
      const begun = logs.begin([{ log }], () => this.look());
      this.#followed.set(key, { logs, begun });
    }
  }

  async #unfollow(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const followed = this.#followed.get(key);
      this.#followed.delete(key);
      await followed?.begun;
      await followed?.logs.end();
    }
  }
}

/** Nothing where the page was told the same. */
function tell({ told, response }: Reader, event: string, json: string): void {
  if (told.get(event) === json) return;
  told.set(event, json);
  response.write(`event: ${event}\ndata: ${json}\n\n`);
  if (response.writableLength > unreadBytesMax) response.destroy();
}

/** Calls that come while one runs make one more after it. */
function inTurn(work: () => Promise<void>): () => void {
  let [isBusy, isAsked] = [false, false];
  const run = async () => {
    isBusy = true;
    try {
      while (isAsked) {
        isAsked = false;
        await work();
      }
    } finally {
      isBusy = false;
    }
  };
  return () => {
    isAsked = true;
    if (!isBusy) void run();
  };
}
