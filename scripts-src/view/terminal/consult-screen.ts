import type { Clock } from "../../base/clock.ts";
import { oneLine } from "../../base/visible-text.ts";
import type { Progress } from "../../consult/run-context.ts";
import { elapsedText, messageGist } from "../../consult/session-news.ts";
import type { LogEvent } from "../../log/event.ts";
import { isDeliveryNote } from "../../protocol/delivery-note.ts";
import type { SessionStatus } from "../../protocol/protocol.ts";
import { pagesOf } from "../../session/replay.ts";
import { catchUp, type Session, standingOf } from "../../session/session.ts";
import { needText, pausedText } from "../../session/text/person-text.ts";
import { type ConsultModel, consultFrame, type ParticipantRow } from "./consult-frame.ts";
import { Screen } from "./screen.ts";

/** Often enough for a clock with seconds. */
const tickMs = 1_000;

/** A run on a calm screen: drawn again in place when something in it has changed. */
export class ConsultScreen implements Progress {
  readonly #clock: Clock;
  readonly #screen = new Screen();
  readonly #startedMs: number;
  /** Since when each has been what it is now. */
  readonly #since = new Map<string, { state: ParticipantRow["state"]; ms: number }>();
  #shown: Session;
  #last = "";
  #check = "";
  #note = "";
  #isOn = false;
  #isOver = false;
  #showing: Promise<void> = Promise.resolve();

  constructor(session: Session, clock: Clock) {
    this.#shown = session;
    this.#clock = clock;
    this.#startedMs = this.#now();
  }

  note(text: string, weight?: "routine"): void {
    if (weight === undefined) this.#note = oneLine(text);
    this.#draw();
  }

  checking(what: string): void {
    this.#check = oneLine(what);
    this.#draw();
  }

  async follow(): Promise<() => Promise<void>> {
    const redraw = () => this.#draw();
    const timer = setInterval(redraw, tickMs);
    process.stderr.on("resize", redraw);
    await this.#readLast();
    this.#isOn = true;
    redraw();
    const stop = await this.#shown.log.watch(() => {
      // What fails here fails again where somebody waits for the news.
      this.showNews().catch(() => undefined);
    });
    return async () => {
      clearInterval(timer);
      process.stderr.off("resize", redraw);
      await stop();
      await this.showNews();
      this.#check = "";
      this.#isOver = true;
      this.#draw();
      this.#isOn = false;
      this.#screen.end();
    };
  }

  showNews(): Promise<void> {
    this.#showing = this.#showing
      .catch(() => undefined)
      .then(async () => {
        const { cursor } = this.#shown;
        this.#shown = await catchUp(this.#shown);
        const end = this.#shown.cursor.seq;
        for await (const { events } of pagesOf(this.#shown, cursor))
          for (const event of events) if (event.seq <= end) this.#tell(event);
        this.#draw();
      });
    return this.#showing;
  }

  /** What was said before this run took it up. */
  async #readLast(): Promise<void> {
    const { log, cursor } = this.#shown;
    for (let seq = cursor.seq; seq > Math.max(0, cursor.seq - lookedBack); seq -= 1) {
      const event = await log.at(seq);
      if (event !== undefined && this.#tell(event)) return;
    }
  }

  /** Whether the event is a message, or what stands for one. */
  #tell(event: LogEvent): boolean {
    const { machine } = this.#shown;
    if (isDeliveryNote(event) || event.event === "evidence") return false;
    const gist =
      machine.mail === undefined
        ? `${event.from}: ${event.event}: ${event.summary}`
        : messageGist(event);
    if (gist === undefined) return false;
    this.#last = oneLine(gist);
    // A try that failed is over once something came.
    this.#note = "";
    return true;
  }

  #now(): number {
    return Date.parse(this.#clock.now());
  }

  #draw(): void {
    if (!this.#isOn) return;
    const frame = consultFrame(this.#model(), this.#screen.terminal());
    this.#screen.draw(this.#isOver ? [...frame, ""] : frame);
  }

  #model(): ConsultModel {
    const standing = standingOf(this.#shown);
    const { id, topic, ended, phase, summary, paused, needsPerson } = standing;
    const note = needsPerson === undefined ? this.#note : needText(needsPerson);
    return {
      session: oneLine(id),
      question: oneLine(topic),
      elapsed: elapsedText(this.#now() - this.#startedMs),
      rows: standing.participants.map((name) => this.#row(name, standing)),
      standing: oneLine(`${phase}: ${summary}`),
      last: this.#last,
      check: this.#check,
      note: oneLine(paused === undefined ? note : pausedText(paused)),
      hint: ended || this.#isOver ? "" : "Ctrl+C stops; the session stays open",
    };
  }

  #row(name: string, standing: SessionStatus): ParticipantRow {
    const state = stateOf(name, standing);
    const known = this.#since.get(name);
    const since = known?.state === state ? known : { state, ms: this.#now() };
    this.#since.set(name, since);
    const confidence = standing.confidence?.[name];
    return { name: oneLine(name), state, since: elapsedText(this.#now() - since.ms), confidence };
  }
}

const lookedBack = 32;

function stateOf(
  name: string,
  { ended, paused, waitingFor }: SessionStatus,
): ParticipantRow["state"] {
  if (ended) return "done";
  if (paused?.stillBusy.includes(name)) return "ends its turn";
  if (paused?.held.includes(name)) return "paused";
  return waitingFor.includes(name) ? "at work" : "waits";
}
