import type { Clock } from "../base/clock.ts";
import { commandLine, readerAnywhere } from "../script/command-line.ts";
import { failureText } from "./failure.ts";
import type { SessionFault, SessionModel } from "./page/model.ts";
import { pageOf, sessionModel } from "./session-model.ts";
import type { Entry } from "./session-queue.ts";
import { LiveStory, type StoryAhead, type StoryPoint, withOlder } from "./session-timeline.ts";

/** A session as all pages that show it are told of it, in JSON: its items, and the rest. */
export interface Edition {
  readonly seq: number;
  readonly rest: string;
  readonly items: ReadonlyMap<number, string>;
}

/** One session that pages look at: its story, and who is to be told when it goes on. */
export class SessionWatch {
  readonly #entry: Entry;
  readonly #project: string;
  readonly #clock: Clock;
  readonly #story: LiveStory;

  constructor(entry: Entry, project: string, clock: Clock) {
    this.#entry = entry;
    this.#project = project;
    this.#clock = clock;
    this.#story = new LiveStory(entry.place);
  }

  get key(): string {
    return this.#entry.key;
  }

  get folder(): string {
    return this.#entry.place.folder;
  }

  /** As of now, or of an event; `before` gives the items before one. */
  async model(at?: number, before?: number): Promise<SessionModel | StoryAhead> {
    const now = await this.#story.now();
    const point = at === undefined ? now : await this.#story.asOf(at);
    if ("folded" in point) return point;
    if (before === undefined) return this.#tell(point, now.seq);
    return this.#tell(await withOlder(point, Math.ceil(before)), now.seq, before);
  }

  async edition(): Promise<Edition> {
    const now = await this.#story.now();
    const { items, ...rest } = await this.#tell(now, now.seq);
    const texts = new Map(items.map((it) => [it.seq, JSON.stringify(it)]));
    return { seq: now.seq, rest: JSON.stringify(rest), items: texts };
  }

  /** The whole text of an item. */
  async body(seq: number): Promise<string | undefined> {
    const point = await this.#story.now();
    const event = await point.session.log.at(seq);
    return event && (await pageOf(point.machine.kind)).body(point, event);
  }

  faultOf(cause: unknown): SessionFault {
    const { key, place } = this.#entry;
    const fault = failureText(cause, `read session ${place.id}`);
    const command = commandLine(
      "validate",
      { folder: { path: place.folder } },
      [],
      readerAnywhere(),
    );
    return { key, fault, command };
  }

  #tell(point: StoryPoint, lastSeq: number, before?: number): Promise<SessionModel> {
    const named = { key: this.#entry.key, project: this.#project };
    const wanted = { lastSeq, clock: this.#clock };
    return sessionModel(point, named, before === undefined ? wanted : { ...wanted, before });
  }
}
