import type { WebSocket } from "ws";

const pingMs = 30_000;
const missedMax = 2;

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
