import { randomBytes } from "node:crypto";
import type { WebSocket } from "ws";
import type { BrainKey } from "../brain-key.ts";
import type { BrainLog } from "./brain-log.ts";
import { BrainServer } from "./brain-server.ts";

const pingMs = 30_000;
const missedMax = 2;

/** The door, which is opened before anybody is behind it: nobody knows the token until then. */
export class BrainEntrance {
  readonly token = randomBytes(32).toString("hex");
  readonly door: BrainServer;
  port = 0;
  enter: (socket: WebSocket) => void = (socket) => socket.terminate();

  constructor(key: BrainKey, log: BrainLog) {
    const { token } = this;
    const note = (text: string) => log.note(text);
    this.door = new BrainServer({
      token,
      key,
      port: 0,
      note,
      enter: (socket) => this.enter(socket),
    });
  }

  async open(): Promise<void> {
    this.port = await this.door.open();
  }

  /** A door that stays open keeps the process from its end. */
  shut(): void {
    this.door.close();
    this.door.shut();
  }
}

/** Pings a connection and ends it when nobody answers twice; it ends with the connection. */
export function keepAlive(socket: WebSocket, intervalMs = pingMs): void {
  let missed = 0;
  const timer = setInterval(() => {
    missed += 1;
    if (missed > missedMax) socket.terminate();
    else socket.ping();
  }, intervalMs);
  timer.unref();
  socket.on("pong", () => {
    missed = 0;
  });
  socket.on("close", () => clearInterval(timer));
}
