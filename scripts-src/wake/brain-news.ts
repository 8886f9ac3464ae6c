import { join } from "node:path";
import type { HookClient, Injection } from "../brain/client/hook-client.ts";
import { brainRoot } from "../session/workspace/brain-switch.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import type { BrainAnswer } from "./ask-brain.ts";

/** A source of news, other than messages, that may wake a model. */
export interface News {
  /** Calls `notice` when something came, or when nothing will come any more. */
  begin(notice: () => void): void;
  /** What came. */
  came(): Injection | undefined;
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
  #line: HookClient | undefined;
  #notice = () => {};
  #given: Injection | undefined;
  #isOver = false;
  #isTrying = false;

  constructor({ root }: Workspace, { session, line }: BrainAnswer, seconds: number) {
    this.#folder = join(brainRoot(root), "brain");
    this.#session = session;
    this.#untilMs = performance.now() + seconds * 1_000;
    this.#line = line;
  }

  begin(notice: () => void): void {
    this.#notice = notice;
    if (this.#line !== undefined) this.#wait(this.#line);
  }

  came(): Injection | undefined {
    return this.#given;
  }

  leftMs(): number {
    return this.#isOver ? 0 : Math.max(0, this.#untilMs - performance.now());
  }

  tryAgain(): void {
    if (this.#line !== undefined || this.#isTrying || this.leftMs() === 0) return;
    this.#isTrying = true;
    const done = () => {
      this.#isTrying = false;
    };
    this.#connect().then(done, done);
  }

  end(): void {
    this.#isOver = true;
    this.#line?.close();
  }

  async #connect(): Promise<void> {
    const { HookClient } = await import("../brain/client/hook-client.ts");
    const line = await HookClient.reach(this.#folder, { storeCommand: "", connectMs: retryMs });
    if (line === undefined || this.#isOver) {
      line?.close();
      return;
    }
    this.#line = line;
    this.#wait(line);
  }

  async #wait(line: HookClient): Promise<void> {
    const news = await line.news(this.#session, Math.ceil(this.leftMs() / 1_000));
    if (news === "gone") {
      line.close();
      this.#line = undefined;
      return;
    }
    if (news === "none") this.#isOver = true;
    else this.#given = news;
    this.#notice();
  }
}

const retryMs = 1_000;
