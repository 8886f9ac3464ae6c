import "./own-home.ts";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  type BrainConnection,
  connectBrain,
} from "../../scripts-src/brain/client/connect-brain.ts";
import { ensureBrainFolder } from "../../scripts-src/brain/endpoint.ts";
import type { Handler } from "../../scripts-src/brain/rpc-peer.ts";
import { defaultThresholds } from "../../scripts-src/brain/rules/alerts.ts";
import { type ServeOptions, serveBrain } from "../../scripts-src/brain/server/serve.ts";
import { openStore } from "../../scripts-src/brain/store/brain-store.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

/** A call that the brain made to a client. */
export interface Pushed {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** A client that takes what it is given and notes it. */
export class TestClient {
  readonly pushed: Pushed[] = [];
  /** What it answers to a push; throw to refuse. */
  accept: (pushed: Pushed) => unknown = () => ({ accepted: true });
  line: BrainConnection | undefined;

  readonly handlers: ReadonlyMap<string, Handler> = new Map(
    ["context.inject", "action.suggest", "alert.memory_full", "alert.hallucination_risk"].map(
      (method) => [
        method,
        (params) => {
          const pushed = { method, params: Object(params) };
          this.pushed.push(pushed);
          return this.accept(pushed);
        },
      ],
    ),
  );

  /** Asks the brain; results are looked at field by field. */
  async ask(method: string, params?: object): Promise<Record<string, unknown>> {
    if (this.line === undefined) throw new Error("not connected");
    return Object(await this.line.peer.request(method, params, 10_000));
  }

  async tell(method: string, params?: object): Promise<void> {
    await this.line?.peer.notify(method, params);
    // An answered question behind it: the notification has been worked on.
    await this.ask("memory.list", { limit: 1 });
  }

  /** Tells of a session, or waits for its news; what is due is noted as if it were pushed. Returns the receipt. */
  async due(method: "session.sync" | "session.wait", params: object): Promise<unknown> {
    const { due, receipt } = await this.ask(method, params);
    this.pushed.push(...Object(due));
    return receipt;
  }

  /** Does so, and says that all of it arrived; returns what was due, in short. */
  async sync(report: object): Promise<string[]> {
    const receipt = await this.due("session.sync", report);
    if (receipt !== undefined) await this.ask("session.delivered", { receipt });
    return this.news();
  }

  /** What was pushed since the last look, in short. */
  news(): string[] {
    return this.pushed
      .splice(0)
      .map(({ method, params }) =>
        [method, params["reason"] ?? params["token_percentage"] ?? ""].join(" ").trim(),
      );
  }
}

/** A brain in this process. */
export class ServedBrain {
  readonly root: string;
  /** What the brain's clock says. */
  now = Date.parse("2026-11-22T09:00:00Z");
  readonly #folder: string;
  #stop = new AbortController();
  readonly #options: ServeOptions;
  ended: Promise<string | undefined> = Promise.resolve(undefined);

  /** Of a project of its own, which is gone when it stops, or of the one in `folder`. */
  constructor(options: Partial<ServeOptions> = {}, folder = makeScratchFolder()) {
    this.#folder = folder;
    this.root = join(folder, ".consulta");
    mkdirSync(this.root, { recursive: true });
    this.#options = {
      root: this.root,
      settings: async () => ({
        delegate: [],
        delegateTimeoutMs: 5_000,
        chunkBytes: 1_000,
        thresholds: defaultThresholds,
      }),
      environment: { PATH: process.env["PATH"] },
      idleMs: 600_000,
      now: () => new Date(this.now).toISOString(),
      openStore: (path) => openStore(path),
      ready: () => undefined,
      ...options,
    };
  }

  get folder(): string {
    return ensureBrainFolder(this.root);
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const ready = () => resolve();
      this.ended = serveBrain({ ...this.#options, ready }, this.#stop.signal);
      this.ended.then(() => resolve(), reject);
    });
  }

  async client(): Promise<TestClient> {
    const client = new TestClient();
    client.line = await connectBrain(this.folder, {
      handlers: client.handlers,
      timeoutMs: 10_000,
    });
    if (client.line === undefined) throw new Error("the brain cannot be reached");
    return client;
  }

  /** Resolves when the brain has seen that all clients but this one are gone. */
  async aloneWith(client: TestClient): Promise<void> {
    while ((await client.ask("brain.status"))["connections"] !== 1);
  }

  /** Another brain for the same project, as after half an hour in which nobody came. */
  async restart(): Promise<void> {
    this.#stop.abort();
    await this.ended;
    this.#stop = new AbortController();
    await this.start();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
    removeFolder(this.#folder);
  }
}
