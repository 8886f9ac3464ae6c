import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A line to a server of this machine that can be cut and restored, as sleep and tunnels do it. */
export interface CutLine {
  readonly from: number;
  readonly to: number;
  cut(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** Leads from a port of its own to that of the server. */
export async function openLine(to: number): Promise<CutLine> {
  const sockets = new Set<Socket>();
  let server = await listenAt(0, to, sockets);
  const address = server.address();
  const from = typeof address === "object" && address !== null ? address.port : 0;
  const cut = async () => {
    const closed = once(server, "close");
    server.close();
    for (const it of sockets) it.destroy();
    await closed;
  };
  return {
    ...{ from, to, cut, close: cut },
    async restore() {
      server = await listenAt(from, to, sockets);
    },
  };
}

async function listenAt(port: number, to: number, sockets: Set<Socket>): Promise<Server> {
  const server = createServer((near) => {
    const far = connect(to, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
