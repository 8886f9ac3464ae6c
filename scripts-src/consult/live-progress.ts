import type { Clock } from "../base/clock.ts";
import { shortLine } from "../clis/output-line.ts";
import { pagesOf } from "../log/event-log.ts";
import type { SessionState } from "../protocol/protocol.ts";
import { stateAfter } from "../protocol/session-state.ts";
import type { Session } from "../session/session.ts";
import { watchLog } from "../session/waiting/follow.ts";
import type { Progress } from "./run-context.ts";
import { deliveryNews, elapsedText, newsLines } from "./session-news.ts";

/**
 * Tells what goes on in a session, one line for each thing that matters, as soon as it is in the log; with
 * `delivery` also how far each message came.
 */
export class LiveProgress implements Progress {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #startedAt: number;
  readonly #tellsDelivery: boolean;
  #shown: Session;
  #showing: Promise<void> = Promise.resolve();

  constructor(
    session: Session,
    clock: Clock,
    write: (line: string) => void,
    { delivery = false }: { readonly delivery?: boolean } = {},
  ) {
    this.#shown = session;
    this.#clock = clock;
    this.#write = write;
    this.#tellsDelivery = delivery;
    this.#startedAt = Date.parse(clock.now());
  }

  note(text: string): void {
    const elapsed = elapsedText(Date.parse(this.#clock.now()) - this.#startedAt);
    this.#write(`${elapsed.padStart(6)}  ${shortLine(text, 400)}`);
  }

  checking(what: string): void {
    if (what !== "") this.note(`looks at ${what}`);
  }

  working(participant: string, doing: string): void {
    if (doing !== "") this.note(`${participant}: ${doing}`);
  }

  follow(): Promise<() => Promise<void>> {
    return watchLog(this.#shown, () => {
      // What fails here fails again where somebody waits for the news.
      this.showNews().catch(() => undefined);
    });
  }

  /** Callers at the same time take their turns. */
  showNews(): Promise<void> {
    this.#showing = this.#showing
      .catch(() => undefined)
      .then(async () => {
        for await (const { events, cursor } of pagesOf(this.#shown.log, this.#shown.cursor)) {
          let before: SessionState = this.#shown;
          for (const event of events) {
            const after = stateAfter(before, event);
            const delivery = this.#tellsDelivery ? deliveryNews(event, before, after) : [];
            for (const line of [...newsLines(event, after), ...delivery]) this.note(line);
            before = after;
          }
          this.#shown = { ...this.#shown, cursor, state: before.state };
        }
      });
    return this.#showing;
  }
}
