import { randomBytes } from "node:crypto";
import type { WebSocket } from "ws";
import type { BrainKey } from "../brain-key.ts";
import type { BrainLog } from "./brain-log.ts";
import { BrainServer } from "./brain-server.ts";

/** The door, which is opened before anybody is behind it: nobody knows the token until then. */
export class Entrance {
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
