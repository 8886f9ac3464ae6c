import type { Clock } from "../base/clock.ts";
import { shortLine } from "../clis/short-line.ts";
import { pagesOf } from "../session/replay.ts";
import type { Session } from "../session/session.ts";
import { elapsedText, newsLines } from "./session-news.ts";

/** Tells what goes on in a session, one line per event, as soon as it is in the log. */
export class LiveProgress {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #startedAt: number;
  #shown: Session;
  #showing: Promise<void> = Promise.resolve();

  constructor(session: Session, clock: Clock, write: (line: string) => void) {
    this.#shown = session;
    this.#clock = clock;
    this.#write = write;
    this.#startedAt = Date.parse(clock.now());
  }

  note(text: string): void {
    const elapsed = elapsedText(Date.parse(this.#clock.now()) - this.#startedAt);
    this.#write(`${elapsed.padStart(6)}  ${shortLine(text, 400)}`);
  }

  /** Tells of events as they come, until it is stopped. */
  follow(): Promise<() => Promise<void>> {
    return this.#shown.log.watch(() => {
      // What fails here fails again where somebody waits for the news.
      this.showNews().catch(() => undefined);
    });
  }

  /** Tells the events that came since the last time; callers at the same time take their turns. */
  showNews(): Promise<void> {
    this.#showing = this.#showing.then(async () => {
      for await (const { events, cursor } of pagesOf(this.#shown, this.#shown.cursor)) {
        let { machine } = this.#shown;
        for (const event of events) {
          const after = machine.evolve(event);
          for (const line of newsLines(event, machine, after)) this.note(line);
          machine = after;
        }
        this.#shown = { ...this.#shown, cursor, machine };
      }
    });
    return this.#showing;
  }
}
