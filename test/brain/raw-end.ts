import assert from "node:assert/strict";
import { WebSocket, WebSocketServer } from "ws";
import type { Handler, RpcPeer } from "../../scripts-src/brain/rpc-peer.ts";
import { openRpcSocket } from "../../scripts-src/brain/rpc-peer.ts";

/** Which end of the connection is ours; the other one is a plain WebSocket. */
export const ends = ["server", "client"] as const;
export type End = (typeof ends)[number];

/** A plain WebSocket that talks to a peer of ours, word for word. */
export class RawEnd {
  readonly peer: RpcPeer;
  readonly notes: string[];
  readonly #socket: WebSocket;
  readonly #stop: () => void;
  readonly #came: string[] = [];
  #wake = () => {};
  #code: number | undefined;
  #probes = 0;

  private constructor(socket: WebSocket, peer: RpcPeer, notes: string[], stop: () => void) {
    [this.#socket, this.peer, this.notes, this.#stop] = [socket, peer, notes, stop];
    socket.on("message", (data) => {
      this.#came.push(String(data));
      this.#wake();
    });
    socket.on("close", (code) => {
      this.#code = code;
      this.#wake();
    });
    socket.on("error", () => {});
  }

  static async open(end: End, handlers: ReadonlyMap<string, Handler>): Promise<RawEnd> {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
    await new Promise((done) => server.once("listening", done));
    const accepted = new Promise<WebSocket>((done) => server.once("connection", done));
    const address = server.address();
    assert(address !== null && typeof address === "object");
    const made = new WebSocket(`ws://127.0.0.1:${address.port}`, { perMessageDeflate: false });
    await new Promise((done) => made.once("open", done));
    const [ours, raw] = end === "server" ? [await accepted, made] : [made, await accepted];
    const notes: string[] = [];
    const peer = openRpcSocket(ours, { handlers, note: (text) => notes.push(text) });
    return new RawEnd(raw, peer, notes, () => {
      ours.terminate();
      raw.terminate();
      server.close();
    });
  }

  send(data: string | Buffer): void {
    this.#socket.send(data);
  }

  /** The next message; undefined when the connection was closed instead. */
  async next(): Promise<unknown> {
    while (this.#came.length === 0 && this.#code === undefined) {
      await new Promise<void>((done) => {
        this.#wake = done;
      });
    }
    const text = this.#came.shift();
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Why it was closed. */
  async closed(): Promise<number | undefined> {
    assert.equal(await this.next(), undefined);
    return this.#code;
  }

  /** What comes for a frame: everything until a question behind it is answered. */
  async answersTo(frame: string): Promise<unknown[]> {
    this.#probes += 1;
    const id = `probe ${this.#probes}`;
    this.send(frame);
    this.send(JSON.stringify({ jsonrpc: "2.0", method: "probe", id }));
    const answers: unknown[] = [];
    for (;;) {
      const answer = await this.next();
      if (typeof answer === "object" && answer !== null && "id" in answer && answer.id === id)
        return answers;
      assert.notEqual(answer, undefined, "the connection was closed");
      answers.push(answer);
    }
  }

  stop(): void {
    this.#stop();
  }
}
