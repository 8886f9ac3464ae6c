import type { DueTexts, HookClient } from "../brain/client/hook-client.ts";
import type { BrainAnswer } from "./ask-brain.ts";

/** A source of news, other than messages, that may wake a model. */
export interface News {
  /** Calls `notice` when something came, or when nothing will come any more. */
  begin(notice: () => void): void;
  /** What came. */
  came(): DueTexts | undefined;
  /** How long to go on waiting for it; 0 when that is over. */
  leftMs(): number;
  end(): void;
}

/** News of the brain for an idle session, until so many seconds are over or a newer wait began. */
export class BrainNews implements News {
  readonly #session: string;
  readonly #untilMs: number;
  readonly #client: HookClient;
  #notice = () => {};
  #given: DueTexts | undefined;
  #isOver = false;

  constructor({ session, client }: BrainAnswer, seconds: number) {
    this.#session = session;
    this.#untilMs = performance.now() + seconds * 1_000;
    this.#client = client;
  }

  begin(notice: () => void): void {
    this.#notice = notice;
    void this.#wait();
  }

  came(): DueTexts | undefined {
    return this.#given;
  }

  leftMs(): number {
    return this.#isOver ? 0 : Math.max(0, this.#untilMs - performance.now());
  }

  end(): void {
    this.#isOver = true;
    this.#client.close();
  }

  async #wait(): Promise<void> {
    const news = await this.#client.news(this.#session, Math.ceil(this.leftMs() / 1_000));
    // A brain that has gone, like one that has nothing to tell in time, brings no news any more.
    if (news === "none" || news === "gone") this.#isOver = true;
    else this.#given = news;
    this.#notice();
  }
}
