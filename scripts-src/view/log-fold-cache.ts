import { setImmediate as nextTurn } from "node:timers/promises";
import type { Machine } from "../protocol/machine.ts";
import { pagesOf } from "../session/replay.ts";
import type { Session } from "../session/session.ts";

/** So many machines are kept of a log: of a longer one every second goes, and then they are farther apart. */
const marksMax = 256;
/** Others are answered after so long. */
const stretchMs = 20;

interface Mark {
  readonly seq: number;
  readonly machine: Machine;
}

/**
 * Folds a long log once, as far as somebody asks, and keeps machines along the way: what was folded is
 * never folded again from the beginning.
 */
export class LogWalk {
  readonly #log: Session["log"];
  #marks: Mark[];
  #last: Mark;
  #apart = 250;
  #goal = 0;
  #fault: unknown;
  #walk: Promise<void> | undefined;

  constructor({ log, kind, settings }: Session) {
    this.#log = log;
    this.#last = { seq: 0, machine: kind.start(settings.value) };
    this.#marks = [this.#last];
  }

  /** How far it has come. */
  get seq(): number {
    return this.#last.seq;
  }

  /**
   * Whether it has come to an event, after so long at most; it goes on by itself.
   * @throws ConsultaError when the log cannot be read.
   */
  async reach(seq: number, patienceMs: number): Promise<boolean> {
    if (this.seq >= seq) return true;
    this.#goal = Math.max(this.#goal, seq);
    this.#walk ??= this.#go()
      .catch((cause) => {
        this.#fault = cause;
      })
      .finally(() => {
        this.#walk = undefined;
      });
    const timer = new AbortController();
    await Promise.race([this.#walk, pause(patienceMs, timer.signal)]);
    timer.abort();
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault !== undefined) throw fault;
    return this.seq >= seq;
  }

  /** The nearest machine that is not after an event. */
  nearest(seq: number): Mark {
    const found = this.#last.seq <= seq ? this.#last : this.#marks.findLast((it) => it.seq <= seq);
    if (found === undefined) throw new RangeError(`nothing is before event ${seq}`);
    return found;
  }

  async #go(): Promise<void> {
    const after = (await this.#log.before(this.seq + 1)) ?? this.#log.start;
    let began = performance.now();
    for await (const { events } of pagesOf({ log: this.#log }, after)) {
      for (const event of events) {
        if (event.seq <= this.seq) continue;
        if (this.seq >= this.#goal) return;
        this.#last = { seq: event.seq, machine: this.#last.machine.evolve(event) };
        if (event.seq % this.#apart === 0) this.#keep();
        if (performance.now() - began < stretchMs) continue;
        await nextTurn();
        began = performance.now();
      }
      if (this.seq >= this.#goal) return;
    }
  }

  #keep(): void {
    this.#marks.push(this.#last);
    if (this.#marks.length <= marksMax) return;
    this.#apart *= 2;
    this.#marks = this.#marks.filter(({ seq }) => seq % this.#apart === 0);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
}
