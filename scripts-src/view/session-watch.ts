import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { LiveStory, type Told } from "./live-story.ts";
import type { Item, SessionFault, SessionModel } from "./page/model.ts";
import { pageOf, sessionModel } from "./session-model.ts";
import type { Entry } from "./session-queue.ts";

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

  get folder(): string {
    return this.#entry.place.folder;
  }

  /** As of now, or of an event; `before` gives the items before one. */
  async model(at?: number, before?: number): Promise<SessionModel> {
    const now = await this.#story.now();
    const told = at === undefined ? now : await this.#story.asOf(at);
    return this.#tell(told, now.seq, before);
  }

  /** The whole text of an item. */
  async body(seq: number): Promise<string | undefined> {
    const told = await this.#story.now();
    const event = await told.session.log.at(seq);
    return event && (await pageOf(told.machine.kind)).body(told, event);
  }

  /** The session with those of its newest items that a reader does not have so: `known` are its prints. */
  async news(known: ReadonlyMap<number, string>): Promise<SessionModel> {
    const model = await this.model();
    return { ...model, items: model.items.filter((it) => known.get(it.seq) !== printOf(it)) };
  }

  faultOf(cause: unknown): SessionFault {
    if (!(cause instanceof ConsultaError)) throw cause;
    const { key, place } = this.#entry;
    return { key, fault: cause.message, command: `validate --session ${place.id}` };
  }

  #tell(told: Told, lastSeq: number, before: number | undefined): Promise<SessionModel> {
    const named = { key: this.#entry.key, project: this.#project };
    const clock = this.#clock;
    return sessionModel(told, named, {
      lastSeq,
      clock,
      ...(before === undefined ? {} : { before }),
    });
  }
}

function printOf(item: Item): string {
  return JSON.stringify(item);
}

export function printsOf(items: readonly Item[]): Map<number, string> {
  return new Map(items.map((it) => [it.seq, printOf(it)]));
}
