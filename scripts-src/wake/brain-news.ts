import { brainPath } from "../brain/brain-endpoint.ts";
import { type DueTexts, HookClient } from "../brain/client/hook-client.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import type { BrainAnswer } from "./ask-brain.ts";

/** A source of news, other than messages, that may wake a model. */
export interface News {
  /** Calls `notice` when something came, or when nothing will come any more. */
  begin(notice: () => void): void;
  /** What came. */
  came(): DueTexts | undefined;
  /** How long to go on waiting for it; 0 when that is over. */
  leftMs(): number;
  /** Looks for a brain again where the one that was asked has gone. */
  tryAgain(): void;
  end(): void;
}

/** News of the brain for an idle session, until so many seconds are over or a newer wait began. */
export class BrainNews implements News {
  readonly #folder: string;
  readonly #session: string;
  readonly #untilMs: number;
  #client: HookClient | undefined;
  #notice = () => {};
  #given: DueTexts | undefined;
  #isOver = false;
  #isTrying = false;

  constructor({ root }: Workspace, { session, client }: BrainAnswer, seconds: number) {
    this.#folder = brainPath(root);
    this.#session = session;
    this.#untilMs = performance.now() + seconds * 1_000;
    this.#client = client;
  }

  begin(notice: () => void): void {
    this.#notice = notice;
    if (this.#client !== undefined) this.#wait(this.#client);
  }

  came(): DueTexts | undefined {
    return this.#given;
  }

  leftMs(): number {
    return this.#isOver ? 0 : Math.max(0, this.#untilMs - performance.now());
  }

  tryAgain(): void {
    if (this.#client !== undefined || this.#isTrying || this.leftMs() === 0) return;
    this.#isTrying = true;
    const done = () => {
      this.#isTrying = false;
    };
    this.#connect().then(done, done);
  }

  end(): void {
    this.#isOver = true;
    this.#client?.close();
  }

  async #connect(): Promise<void> {
    const client = await HookClient.reach(this.#folder, { storeCommand: "", connectMs: retryMs });
    if (client === undefined || this.#isOver) {
      client?.close();
      return;
    }
    this.#client = client;
    this.#wait(client);
  }

  async #wait(client: HookClient): Promise<void> {
    const news = await client.news(this.#session, Math.ceil(this.leftMs() / 1_000));
    if (news === "gone") {
      client.close();
      this.#client = undefined;
      return;
    }
    if (news === "none") this.#isOver = true;
    else this.#given = news;
    this.#notice();
  }
}

const retryMs = 1_000;
